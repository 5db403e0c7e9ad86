// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DisplayWire
import DropSystem
import Synchronization
import TestSupport

@testable import DropWindows

/// A fake compositor that shows windows, and notes what violates the protocol.
final class WaylandScreen: Sendable {
  /// The behaviour, which a test may change at any time.
  struct Behavior: Sendable {
    /// Whether the compositor reports at once that it has shown a frame.
    var showsFrames = true
    /// Whether it releases a buffer when the next one replaces it.
    var releasesBuffers = true
    /// The first size that it requests.
    var firstSize: (width: Int32, height: Int32) = (0, 0)
    /// The capabilities of the seat: 1 for a pointer, 2 for a keyboard.
    var capabilities: UInt32 = 3
    /// The scales of the outputs in the order in which the client binds them.
    var scales: [Int32] = [1]
  }

  fileprivate struct Buffer {
    let memory: WaylandDescriptor
    let width: Int
    let height: Int
    var isBusy = false
  }

  fileprivate struct Surface {
    var attached: UInt32?
    var shown: UInt32?
    var damage: [PixelRectangle] = []
    var frames: [UInt32] = []
    var picture = Canvas(width: 0, height: 0)
    var frameCount = 0
  }

  fileprivate struct State {
    var behavior: Behavior
    var pools: [UInt32: WaylandDescriptor] = [:]
    var buffers: [UInt32: Buffer] = [:]
    var surfaces: [UInt32: Surface] = [:]
    /// The windows whose first size has been requested, and those that have acknowledged one.
    var configured: Set<UInt32> = []
    var acknowledged: Set<UInt32> = []
    var surfaceOfShell: [UInt32: UInt32] = [:]
    var toplevelOfSurface: [UInt32: (shell: UInt32, toplevel: UInt32)] = [:]
    var waiting: [UInt32] = []
    var outputCount = 0
    var violations: [String] = []
    var bufferCount = 0
  }

  /// The state, and the reactions to requests, which the compositor's thread also uses.
  fileprivate final class Desk: Sendable {
    let state: Lock<State>

    init(_ behavior: Behavior) { state = Lock(State(behavior: behavior)) }
  }

  let compositor: FakeCompositor
  private let desk: Desk

  init(
    without missing: [WaylandInterface] = [], with more: [WaylandInterface] = [], _ behavior: Behavior = Behavior()
  ) throws {
    let desk = Desk(behavior)
    self.desk = desk
    let globals = (FakeCompositor.desktop + [.subcompositor] + more).filter { !missing.contains($0) }
    compositor = try FakeCompositor(globals: globals) { request, compositor in
      desk.react(to: request, compositor)
      return false
    }
  }

  /// Changes the behaviour.
  func change(_ body: (inout Behavior) -> Void) { desk.state.withLock { body(&$0.behavior) } }

  /// The violations of the protocol by the client.
  var violations: [String] { desk.state.withLock { $0.violations } }
  /// The number of buffers that exist, and the number of all buffers so far.
  var buffers: (live: Int, all: Int) { desk.state.withLock { ($0.buffers.count, $0.bufferCount) } }

  /// Returns what a surface shows: only the areas that the client has declared as changed are read.
  func picture(_ surface: UInt32) -> Canvas {
    desk.state.withLock { $0.surfaces[surface]?.picture ?? Canvas(width: 0, height: 0) }
  }

  /// Returns the number of times that a surface was shown with a new buffer.
  func frameCount(_ surface: UInt32) -> Int { desk.state.withLock { $0.surfaces[surface]?.frameCount ?? 0 } }

  /// Reports that the frames so far are shown.
  func showFrames() {
    let waiting = desk.state.withLock { state in
      defer { state.waiting = [] }
      return state.waiting
    }
    for frame in waiting { compositor.finish(frame) }
  }

  /// Requests a size of the only window.
  func configure(_ width: Int32, _ height: Int32, serial: UInt32 = 7) {
    guard let toplevel = compositor.object(.toplevel), let shell = compositor.object(.xdgSurface) else { return }
    compositor.send(toplevel, .toplevel, "configure", .int(width), .int(height), .array([]))
    compositor.send(shell, .xdgSurface, "configure", .uint(serial))
  }
}

extension WaylandScreen.Desk {
  fileprivate func react(to request: FakeWaylandRequest, _ compositor: FakeCompositor) {
    switch (request.interface, request.name) {
    case (.registry, "bind"): announce(request, compositor)
    case (.windowBase, "get_xdg_surface"): state.withLock { $0.surfaceOfShell[request.uint(0)] = request.uint(1) }
    case (.xdgSurface, "get_toplevel"):
      state.withLock { state in
        guard let surface = state.surfaceOfShell[request.object] else { return }
        state.toplevelOfSurface[surface] = (request.object, request.uint(0))
      }
    case (.xdgSurface, "ack_configure"):
      state.withLock { state in
        if let surface = state.surfaceOfShell[request.object] { state.acknowledged.insert(surface) }
      }
    case (.shm, "create_pool"):
      guard let memory = request.descriptor(1)?.take() else { return }
      let shared = WaylandDescriptor(memory)
      state.withLock { $0.pools[request.uint(0)] = shared }
    case (.shmPool, "create_buffer"):
      state.withLock { state in
        guard let memory = state.pools[request.object] else { return }
        state.bufferCount += 1
        state.buffers[request.uint(0)] = WaylandScreen.Buffer(
          memory: memory, width: Int(request.int(2)), height: Int(request.int(3)))
      }
    case (.shmPool, "destroy"): state.withLock { $0.pools[request.object] = nil }
    case (.buffer, "destroy"): state.withLock { $0.buffers[request.object] = nil }
    case (.surface, _): reactToSurface(request, compositor)
    default: break
    }
  }

  /// Sends the first events of a new object.
  fileprivate func announce(_ request: FakeWaylandRequest, _ compositor: FakeCompositor) {
    let object = request.uint(3)
    switch request.string(1) {
    case "wl_seat":
      compositor.send(object, .seat, "capabilities", .uint(state.withLock { $0.behavior.capabilities }))
    case "wl_output":
      let scale = state.withLock { state in
        defer { state.outputCount += 1 }
        return state.behavior.scales[min(state.outputCount, state.behavior.scales.count - 1)]
      }
      compositor.send(object, .output, "scale", .int(scale))
      compositor.send(object, .output, "done")
    default: break
    }
  }

  fileprivate func reactToSurface(
    _ request: FakeWaylandRequest, _ compositor: FakeCompositor
  ) {
    let id = request.object
    switch request.name {
    case "attach": state.withLock { $0.surfaces[id, default: .init()].attached = request.uint(0) }
    case "damage_buffer":
      let area = PixelRectangle(
        x: Int(request.int(0)), y: Int(request.int(1)), width: Int(request.int(2)), height: Int(request.int(3)))
      state.withLock { $0.surfaces[id, default: .init()].damage.append(area) }
    case "frame": state.withLock { $0.surfaces[id, default: .init()].frames.append(request.uint(0)) }
    case "destroy":
      state.withLock { state in
        state.surfaces[id] = nil
        state.toplevelOfSurface[id] = nil
        state.configured.remove(id)
        state.acknowledged.remove(id)
      }
    case "commit": commit(id, compositor)
    default: break
    }
  }

  fileprivate func commit(_ id: UInt32, _ compositor: FakeCompositor) {
    if let (window, size) = state.withLock({ state -> ((shell: UInt32, toplevel: UInt32), (Int32, Int32))? in
      guard let window = state.toplevelOfSurface[id], state.configured.insert(id).inserted else { return nil }
      return (window, state.behavior.firstSize)
    }) {
      compositor.send(window.toplevel, .toplevel, "configure", .int(size.0), .int(size.1), .array([]))
      compositor.send(window.shell, .xdgSurface, "configure", .uint(1))
      return
    }
    let (shown, released) = state.withLock { state -> ([UInt32], UInt32?) in
      var surface = state.surfaces[id] ?? .init()
      if state.toplevelOfSurface[id] != nil, surface.attached != nil, !state.acknowledged.contains(id) {
        state.violations.append("a buffer before the acknowledged configure")
      }
      var released: UInt32?
      if let attached = surface.attached, let buffer = state.buffers[attached] {
        if buffer.isBusy { state.violations.append("a buffer that was not released") }
        state.buffers[attached]?.isBusy = true
        if let former = surface.shown, former != attached, state.behavior.releasesBuffers, state.buffers[former] != nil
        {
          state.buffers[former]?.isBusy = false
          released = former
        }
        surface.shown = attached
        surface.frameCount += 1
        surface.read(buffer.memory, width: buffer.width, height: buffer.height)
      } else if surface.attached != nil {
        state.violations.append("a buffer that does not exist")
      } else if !surface.damage.isEmpty {
        state.violations.append("damage without a buffer")
      }
      let frames = surface.frames
      (surface.attached, surface.damage, surface.frames) = (nil, [], [])
      state.surfaces[id] = surface
      if !state.behavior.showsFrames { state.waiting += frames }
      return (state.behavior.showsFrames ? frames : [], released)
    }
    if let released { compositor.send(released, .buffer, "release") }
    for frame in shown { compositor.finish(frame) }
  }
}

extension WaylandScreen.Surface {
  /// Reads the declared areas of a buffer.
  fileprivate mutating func read(_ memory: WaylandDescriptor, width: Int, height: Int) {
    guard let raw = memory.raw else { return }
    if picture.width != width || picture.height != height { picture = Canvas(width: width, height: height) }
    var pixels = [UInt32](repeating: 0, count: width * height)
    _ = pixels.withUnsafeMutableBytes { bytes in
      Result { () throws(SystemError) in try SystemCalls.read(raw, bytes, at: 0) }
    }
    for area in damage.map({ $0.intersection(picture.bounds) }) where !area.isEmpty {
      let part = (area.y..<area.endY).flatMap { pixels[$0 * width + area.x..<$0 * width + area.endX] }
      picture.draw(Picture(width: area.width, height: area.height, pixels: part), x: area.x, y: area.y)
    }
  }
}
