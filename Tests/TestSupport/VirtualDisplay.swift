// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

package import DisplayWire
internal import DropSystem
internal import Foundation

/// An X server without a screen, for tests; it ends with the last reference.
package final class VirtualDisplay: Sendable {
  /// The address of the server.
  package let address: DisplayAddress
  private let server: ChildProcess

  /// Whether the server's program is installed.
  package static var isInstalled: Bool { installedProgram("Xvfb") != nil }

  /// Starts a server with a screen of 640 by 480 pixels.
  ///
  /// Blocks until the server accepts connections.
  ///
  /// - Parameter authority: The path of a file with the cookies that the server accepts; `nil` to accept this user.
  /// - Throws: The error of a system call, `NoDisplay` if the server does not start.
  package init(authority: String? = nil) throws {
    let (input, output) = try SystemCalls.pipe()
    let reader = OwnedDescriptor(input)
    let writer = OwnedDescriptor(output)
    let sink = try OwnedDescriptor.open("/dev/null", O_WRONLY)
    var arguments = ["-displayfd", "1", "-screen", "0", "640x480x24", "-nolisten", "tcp", "-noreset"]
    if let authority { arguments += ["-auth", authority] }
    let server = try ChildProcess("Xvfb", arguments, output: writer.raw, errors: sink.raw)
    self.server = server
    try writer.close()
    var text = ""
    while !text.hasSuffix("\n") {
      var bytes = [UInt8](repeating: 0, count: 16)
      let count = try bytes.withUnsafeMutableBytes { try SystemCalls.read(reader.raw, $0) }
      guard count > 0 else { throw NoDisplay(text: text) }
      text += String(decoding: bytes[..<count], as: UTF8.self)
    }
    guard let display = Int(text.dropLast()) else { throw NoDisplay(text: text) }
    address = DisplayAddress(display: display)
  }

  /// The server has not reported the number of its display.
  package struct NoDisplay: Error {
    let text: String
  }

  deinit {
    server.terminate()
  }

  /// Ends the server before the last reference is released.
  package func stop() async {
    await server.stop()
  }
}
