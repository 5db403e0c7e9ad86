// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DisplayWire
import DropSystem
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import DropWindows

/// A window on its own server, and a second connection that simulates input.
final class WindowTester: Sendable {
  let window: DesktopWindow
  let viewer: X11Connection
  private let display: VirtualDisplay
  private let connection: X11Connection
  private let xtest: X11Extension
  private let collected = Lock<[WindowAction]>([])
  private let errors = Lock<[String]>([])
  private let loop = Lock<Task<Void, Never>?>(nil)

  /// Opens a window, and waits until it is drawn.
  init(_ model: WindowModel, options: WindowOptions = WindowOptions(text: BuiltInFont())) async throws {
    display = try await VirtualDisplay()
    connection = try await X11Connection.open(display.address, timeout: .seconds(60))
    viewer = try await X11Connection.open(display.address, timeout: .seconds(60))
    xtest = try #require(try await viewer.serverExtension(X11Extension.xtestName))
    window = try await DesktopWindow.open(on: connection, model, options: options)
    let task = Task { [self] in
      do {
        while let event = try await connection.nextEvent() {
          if case .error(let error) = event.kind { errors.withLock { $0.append("\(error)") } }
          let actions = try window.handle(event)
          collected.withLock { $0 += actions }
        }
      } catch {
        // The tester may close the connection while an event is processed.
        if (error as? DisplayError)?.code != .closed { errors.withLock { $0.append("\(error)") } }
      }
    }
    loop.withLock { $0 = task }
    try await waitUntil { $0.frameCount > 0 }
  }

  /// Waits until a condition on the window's content holds, and the server shows this content.
  func waitUntil(
    sourceLocation: SourceLocation = #_sourceLocation, _ condition: (DesktopWindow.Contents) -> Bool
  ) async throws {
    let isFulfilled = try await eventually {
      let contents = window.contents.withLock { $0 }
      return condition(contents) && !contents.isFrameRequested && contents.scene == contents.state.scene()
    }
    #expect(isFulfilled, sourceLocation: sourceLocation)
    // Makes sure that the server has received the last image.
    try await connection.synchronize()
  }

  /// Waits for the actions of the window, and compares them with the expected actions.
  func expect(_ actions: [WindowAction], sourceLocation: SourceLocation = #_sourceLocation) async throws {
    let isEqual = try await eventually { collected.withLock { $0.count } >= actions.count }
    #expect(isEqual, sourceLocation: sourceLocation)
    #expect(collected.withLock { $0 } == actions, sourceLocation: sourceLocation)
    collected.withLock { $0 = [] }
  }

  func send(_ inputs: X11FakeInput...) async throws {
    for input in inputs { try viewer.send(.xtestFakeInput(xtest, input)) }
    try await viewer.synchronize()
  }

  /// Presses and releases the key of a symbol.
  func press(_ symbol: UInt32) async throws {
    let setup = viewer.setup
    let mapping = try await viewer.response(
      to: .getKeyboardMapping(firstKeyCode: setup.minimumKeyCode, count: setup.maximumKeyCode - setup.minimumKeyCode))
    let code = try #require((setup.minimumKeyCode..<setup.maximumKeyCode).first { mapping.symbol($0) == symbol })
    try await send(.key(code: code, isPressed: true), .key(code: code, isPressed: false))
  }

  /// Returns a motion to the location that is `dx` pixels to the right of the middle of an area.
  ///
  /// The window is at the origin of the screen.
  func motion(to area: PixelRectangle, dx: Int = 0) -> X11FakeInput {
    .motion(
      root: viewer.screen.root, x: Int16(area.x + area.width / 2 + dx), y: Int16(area.y + area.height / 2))
  }

  /// Returns a screenshot of the window, or `nil` if the program `xwd` is not installed.
  func screenshot() async throws -> Canvas? {
    guard installedProgram("xwd") != nil else { return nil }
    let directory = try TemporaryDirectory()
    let file = directory.file("screen.xwd")
    let child = try ChildProcess(
      "xwd", ["-display", "\(display.address)", "-id", "\(window.identifier)", "-silent", "-out", file.path])
    _ = await child.waitForEnd()
    let data = [UInt8](try Data(contentsOf: file))
    func word(_ index: Int) -> Int { data[4 * index..<4 * index + 4].reduce(0) { $0 << 8 | Int($1) } }
    let (width, height, stride) = (word(4), word(5), word(12))
    let start = word(0) + 12 * word(19)
    var canvas = Canvas(width: width, height: height)
    for y in 0..<height {
      for x in 0..<width {
        let pixel = data[start + y * stride + 4 * x..<start + y * stride + 4 * x + 4]
        canvas.clear(
          PixelRectangle(x: x, y: y, width: 1, height: 1),
          Color(pixel.reversed().reduce(0) { $0 << 8 | UInt32($1) } & 0xFF_FFFF))
      }
    }
    return canvas
  }

  /// Closes the window and the server.
  ///
  /// Also checks that no request has failed.
  func close(allowsErrors: Bool = false, sourceLocation: SourceLocation = #_sourceLocation) async throws {
    try await connection.synchronize()
    window.close()
    try? await connection.synchronize()
    connection.close()
    viewer.close()
    await loop.withLock { $0 }?.value
    #expect(allowsErrors || errors.withLock { $0 } == [], sourceLocation: sourceLocation)
    await display.stop()
  }
}
