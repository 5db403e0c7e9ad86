// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DisplayWire
internal import DropSystem
internal import DropTransport

extension X11Display {
  func run(
    _ drag: DesktopDrag, from press: DesktopDrag.Press, onDrop: @escaping @Sendable (String?) -> Void
  ) async throws -> DesktopDrag.Outcome {
    let atoms = try await DragAtoms(connection)
    let content = drag.content
    var time = X11Time(press.time)
    if time == .current { time = try await currentTime() }
    let source = try await DragSource(self, atoms, content, allowsMove: drag.allowsMove, time: time)
    defer { source.close() }
    let owner = try await SelectionOwner(
      self, atoms[.selection], window: source.owner, content, time: time, drag: source.window)
    var window: DragIconWindow?
    if let icon = drag.icon {
      window = try DragIconWindow(
        icon, self, shape: try await connection.serverExtension(X11Extension.shapeName))
    }
    let loop = DragLoop(
      source, atoms, content, icon: window, allowsMove: drag.allowsMove, opensWindow: drag.opensWindow,
      finishTimeout: drag.finishTimeout, onDrop: onDrop)
    return try await withThrowingTaskGroup(of: DesktopDrag.Outcome?.self) { group in
      group.addTask {
        _ = try await owner.serve()
        return nil
      }
      group.addTask { [time] in try await loop.run(button: press.button, time: time) }
      defer {
        group.cancelAll()
        content.cancelLoads()
      }
      return try await group.next().flatMap { $0 } ?? .cancelled
    }
  }

  func target(_ target: DesktopDrop, _ queue: AsyncQueue<DesktopDrop.Event>) async throws -> any DropReceiver {
    let atoms = try await DragAtoms(connection)
    let loop = DropLoop(target, self, atoms, queue)
    let version = X11Data.words32([UInt32(DragVersion.own)])
    try connection.send(.changeProperty(loop.window, atoms[.aware], type: .atom, version))
    // This request fails if the window does not exist.
    _ = try await connection.response(to: .getGeometry(loop.window))
    return loop
  }
}
