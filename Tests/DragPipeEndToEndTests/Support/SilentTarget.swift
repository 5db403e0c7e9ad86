// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DisplayWire
import DropSystem
import Synchronization
import TestSupport

/// A window of another program that accepts drops, but requests no content and never reports the end.
final class SilentTarget: Sendable {
  private let connection: X11Connection
  private let serving = Lock<Task<Void, Never>?>(nil)
  /// The windows of the sources of all drops.
  let drops = Collector<X11Identifier>()

  /// Opens the window, 100 pixels wide and high, with a title.
  init(_ address: DisplayAddress, title: String, x: Int16) async throws {
    let connection = try await X11Connection.open(address, timeout: .seconds(60))
    self.connection = connection
    let atoms = try await connection.intern([
      "XdndAware", "XdndPosition", "XdndStatus", "XdndDrop", "XdndActionCopy",
    ])
    let window = try connection.newIdentifier()
    try connection.send(
      .createWindow(
        window, parent: connection.screen.root, frame: X11Rectangle(x: x, y: 0, width: 100, height: 100),
        attributes: X11WindowAttributes(backgroundPixel: 0, overridesRedirect: true)))
    try connection.send(.changeProperty(window, atoms[0], type: .atom, .words32([5])))
    try connection.send(.changeProperty(window, .wmName, type: .string, .bytes(ArraySlice(title.utf8))))
    try connection.send(.mapWindow(window))
    try await connection.synchronize()
    let task = Task { [drops] in
      while let event = try? await connection.nextEvent() {
        guard case .clientMessage(let message) = event.kind, case .words32(let words) = message.data else { continue }
        let source = X11Identifier(words[0])
        switch message.type {
        case atoms[1]:
          let status = X11Data.words32([window.rawValue, 3, 0, 0, atoms[4].rawValue])
          try? connection.send(
            .sendEvent(X11ClientMessage(window: source, type: atoms[2], data: status), to: source))
        case atoms[3]: drops.add(source)
        default: break
        }
      }
    }
    serving.withLock { $0 = task }
  }

  deinit {
    connection.close()
  }

  /// Whether the window of a drop's source exists.
  func exists(_ source: X11Identifier) async -> Bool {
    (try? await connection.response(to: .getGeometry(source))) != nil
  }
}
