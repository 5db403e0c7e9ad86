// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

package import DisplayWire
internal import DropSystem
internal import Foundation
package import Testing

/// An X server without a real screen, which ends when the last reference is released.
package final class VirtualDisplay: Sendable {
  /// The address of the server.
  package let address: DisplayAddress
  private let server: ChildProcess
  /// A connection that keeps the server running: it ends with its last connection, even if this process crashes.
  private let connection: X11Connection

  /// Starts a server, and waits until it accepts connections.
  ///
  /// The file `authority` has the cookies that the server accepts. Without it, all processes of this user may connect.
  ///
  /// - Throws: The error of a system call; `NoDisplay` if the server does not start.
  package init(
    authority: String? = nil, isOnNetwork: Bool = false, screenCount: Int = 1, screen size: (Int, Int) = (640, 480)
  ) async throws {
    let (reader, output) = try SystemCalls.pipe()
    let writer = OwnedDescriptor(output)
    let sink = try OwnedDescriptor.open("/dev/null", O_WRONLY)
    var arguments = ["-displayfd", "1", isOnNetwork ? "-listen" : "-nolisten", "tcp", "-terminate"]
    for screen in 0..<screenCount { arguments += ["-screen", "\(screen)", "\(size.0)x\(size.1)x24"] }
    if let authority { arguments += ["-auth", authority] }
    let server = try ChildProcess("Xvfb", arguments, output: writer.raw, errors: sink.raw)
    try writer.close()
    let line = try await ChildLines(of: server, reader).next("the number of the display")
    guard let number = line.flatMap({ Int($0) }) else { throw NoDisplay(text: line ?? "") }
    let address = DisplayAddress(display: number)
    let cookies = try authority.map { try DisplayAuthority.load(path: $0) } ?? .none
    connection = try await X11Connection.open(address, authority: cookies, timeout: .seconds(60))
    self.address = address
    self.server = server
  }

  /// The error that the server did not report the number of its display.
  package struct NoDisplay: Error {
    let text: String
  }

  deinit {
    server.terminate()
  }

  /// Stops the server before the last reference is released.
  package func stop() async {
    await server.stop()
  }
}

/// A trait that starts a server before a suite and stops it afterwards.
///
/// The tests of the suite share it as ``VirtualDisplay/current``.
package struct VirtualDisplayScope: SuiteTrait, TestScoping {
  /// Starts the server, runs the suite and stops the server.
  package func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    let display = try await VirtualDisplay()
    do {
      try await VirtualDisplay.$shared.withValue(display) { try await function() }
    } catch {
      await display.stop()
      throw error
    }
    await display.stop()
  }
}

extension VirtualDisplay {
  @TaskLocal fileprivate static var shared: VirtualDisplay?

  /// The server that the suite shares.
  ///
  /// - Throws: `NoDisplay` outside of a suite with the trait `virtualDisplay`.
  package static var current: VirtualDisplay {
    get throws {
      guard let shared else { throw NoDisplay(text: "the suite has no trait virtualDisplay") }
      return shared
    }
  }
}

extension Trait where Self == VirtualDisplayScope {
  /// A trait that starts a server for a suite, which also needs the condition `.peers("Xvfb")`.
  package static var virtualDisplay: Self { Self() }
}
