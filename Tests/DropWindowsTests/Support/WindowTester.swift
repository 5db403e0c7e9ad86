// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DisplayWire
import DropSystem
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import DropWindows

/// A window on a display, whose events it handles until it is closed.
final class WindowTester: Sendable {
  let window: DesktopWindow
  let connection: X11Connection
  private let collected = Lock<[WindowAction]>([])
  private let errors = Lock<[String]>([])
  private let loop = Lock<Task<Void, Never>?>(nil)

  /// Opens a window, and waits until it is drawn.
  init(
    _ model: WindowModel, options: WindowOptions = WindowOptions(text: BuiltInFont()), on connection: X11Connection
  ) async throws {
    self.connection = connection
    window = try await DesktopWindow.open(on: .x11(connection), model, options: options)
    let task = Task { [self] in
      do {
        while let event = try await connection.nextEvent() {
          if case .error(let error) = event.kind { errors.withLock { $0.append("\(error)") } }
          let actions = try window.handle(.x11(event))
          collected.withLock { $0 += actions }
        }
      } catch {
        // The tester may close the connection while an event is processed.
        if (error as? DisplayError)?.code != .closed { errors.withLock { $0.append("\(error)") } }
      }
    }
    loop.withLock { $0 = task }
    try await waitUntil("the first frame") { $0.frameCount > 0 }
  }

  /// The window on the display.
  var identifier: X11Identifier { X11Identifier(window.identifier) }

  var contents: DesktopWindow.Contents { window.contents.withLock { $0 } }

  /// Returns the area of a row.
  func row(_ index: Int) -> PixelRectangle { window.layout.row(index, scroll: 0) }

  /// Waits until a condition on the window's content holds, and the server has received this content.
  func waitUntil(_ state: String, _ condition: (DesktopWindow.Contents) -> Bool) async throws {
    func isReached() -> Bool {
      let contents = contents
      return condition(contents) && !contents.isFrameRequested && contents.scene == contents.state.scene()
    }
    try await wait(for: state, details: { "\(errors.withLock { $0 })" }, until: isReached)
    try await connection.synchronize()
  }

  /// Waits for the actions of the window, and compares them with the expected actions.
  func expect(_ actions: [WindowAction], sourceLocation: SourceLocation = #_sourceLocation) async throws {
    try await wait(
      for: "\(actions)", details: { "\(collected.withLock { $0 })" },
      until: { collected.withLock { $0.count } >= actions.count })
    #expect(collected.withLock { $0 } == actions, sourceLocation: sourceLocation)
    collected.withLock { $0 = [] }
  }

  /// Closes the window and the connection, and checks that no request has failed.
  func close(sourceLocation: SourceLocation = #_sourceLocation) async throws {
    try await connection.synchronize()
    window.close()
    try? await connection.synchronize()
    connection.close()
    await loop.withLock { $0 }?.value
    #expect(errors.withLock { $0 } == [], sourceLocation: sourceLocation)
  }
}

/// A fake server that shows one window, and sends the events of a user.
final class FakeScreen: Sendable {
  /// The symbols of the keys from the key code 8 on.
  static let keys: [UInt32] = [0xFF54, 0x20, 0xFF1B]

  let display: FakeDisplay
  /// While it is active, the server does not forward the messages of the window to itself.
  let hold: Hold

  final class Hold: Sendable {
    let isActive = Lock(false)
  }

  init() throws {
    let hold = Hold()
    self.hold = hold
    display = try FakeDisplay { request, display in
      switch request.opcode {
      case 8:
        display.send(
          event: [12, 0, 0, 0] + bytes(request.word32(0)) + bytes(halves: [0, 0, 0x7FFF, 0x7FFF]) + zeros(16))
      case 25 where request.word32(0) != FakeDisplay.root.rawValue:
        while hold.isActive.withLock({ $0 }) { usleep(1000) }
        display.send(event: [request.body[8] | 0x80] + request.body[9..<40])
      case 101:
        display.respond(to: request, detail: 1, zeros(24) + bytes(Self.keys) + zeros(4 * (248 - Self.keys.count)))
      default: return false
      }
      return true
    }
  }

  /// Sends an event of the pointer or a key in the middle of an area.
  func send(
    _ code: UInt8, detail: UInt8 = 0, to window: X11Identifier, in area: PixelRectangle, dx: Int = 0, state: UInt16 = 0,
    mode: UInt8 = 0
  ) {
    let location = [UInt16(area.x + area.width / 2 + dx), UInt16(area.y + area.height / 2)]
    display.send(
      event: [code, detail, 0, 0] + bytes([1000, FakeDisplay.root.rawValue, window.rawValue, 0])
        + bytes(halves: location + location + [state]) + [mode, 0])
  }

  func press(in area: PixelRectangle, of window: X11Identifier) { send(4, detail: 1, to: window, in: area) }
  func release(in area: PixelRectangle, of window: X11Identifier) { send(5, detail: 1, to: window, in: area) }

  /// Sends a message of the window manager.
  func send(_ message: X11ClientMessage) {
    display.send(event: [message.encoded[0] | 0x80] + message.encoded[1...])
  }

  /// Returns what the images of all requests show together.
  func picture(width: Int, height: Int) -> Canvas {
    var canvas = Canvas(width: width, height: height)
    for image in display.requests where image.opcode == 72 {
      let pixels = stride(from: 20, to: image.body.count, by: 4).map { image.word32($0) | 0xFF00_0000 }
      let (width, height) = (Int(image.word16(8)), Int(image.word16(10)))
      canvas.draw(
        Picture(width: width, height: height, pixels: pixels), x: Int(image.word16(12)), y: Int(image.word16(14)))
    }
    return canvas
  }
}

func bytes(_ values: UInt32...) -> [UInt8] { bytes(values) }
func bytes(_ values: [UInt32]) -> [UInt8] {
  values.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8 & 0xFF), UInt8($0 >> 16 & 0xFF), UInt8($0 >> 24)] }
}
func bytes(halves: [UInt16]) -> [UInt8] { halves.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] } }
func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }
