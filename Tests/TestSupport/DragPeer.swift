// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

package import DisplayWire
internal import DropSystem
internal import Foundation
internal import Glibc

/// A window of another toolkit in its own process, which ends when the last reference is released.
package final class DragPeer: Sendable {
  /// The toolkits.
  package enum Toolkit: String, Sendable, CaseIterable {
    case gtk3, gtk4, qt5

    /// Whether the Python module of the toolkit is installed.
    package var isInstalled: Bool { Self.installed.contains(self) }

    private static let installed = Set(Self.allCases.filter { probe($0) })

    private static func probe(_ toolkit: Toolkit) -> Bool {
      let script =
        switch toolkit {
        case .gtk3: "import gi; gi.require_version('Gtk', '3.0'); from gi.repository import Gtk"
        case .gtk4: "import gi; gi.require_version('Gtk', '4.0'); from gi.repository import Gtk"
        case .qt5: "from PyQt5 import QtWidgets"
        }
      let process = Process()
      process.executableURL = URL(fileURLWithPath: DragPeer.python)
      process.arguments = ["-c", script]
      process.standardError = FileHandle.nullDevice
      guard (try? process.run()) != nil else { return false }
      process.waitUntilExit()
      return process.terminationStatus == 0
    }
  }

  /// The Python interpreter for which Linux distributions package the toolkits.
  static let python = "/usr/bin/python3"

  private let process: ChildProcess
  private let lines: AsyncStream<String>

  /// Starts a peer, and waits until its window is visible.
  package init(_ toolkit: Toolkit, _ arguments: [String], on address: DisplayAddress) async throws {
    let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("Interoperability/desktop_peer.py").path
    let (input, output) = try SystemCalls.pipe()
    let writer = OwnedDescriptor(output)
    let sink = try OwnedDescriptor.open("/dev/null", O_WRONLY)
    process = try ChildProcess(
      Self.python, ["-B", script, toolkit.rawValue] + arguments, output: writer.raw, errors: sink.raw,
      environment: ["DISPLAY": "\(address)"])
    try writer.close()
    let (lines, continuation) = AsyncStream.makeStream(of: String.self)
    self.lines = lines
    let reader = PeerOutput(input)
    DetachedThread.start {
      while let line = reader.nextLine() { continuation.yield(line) }
      continuation.finish()
    }
    guard await next() == "ready" else { throw NotReady() }
  }

  package struct NotReady: Error {}

  deinit {
    process.terminate()
  }

  /// Waits for the next line of output.
  ///
  /// Returns `nil` at the end.
  package func next() async -> String? {
    var iterator = lines.makeAsyncIterator()
    return await iterator.next()
  }
}

/// The lines that a peer prints.
private final class PeerOutput: @unchecked Sendable {
  // Only one thread uses the object.
  private let descriptor: OwnedDescriptor
  private var rest: [UInt8] = []

  init(_ descriptor: CInt) {
    self.descriptor = OwnedDescriptor(descriptor)
  }

  /// Waits for the next line.
  ///
  /// Returns `nil` at the end.
  func nextLine() -> String? {
    while true {
      if let end = rest.firstIndex(of: 0x0A) {
        defer { rest.removeFirst(end + 1) }
        return String(decoding: rest[..<end], as: UTF8.self)
      }
      var bytes = [UInt8](repeating: 0, count: 4096)
      let count = (try? bytes.withUnsafeMutableBytes { try SystemCalls.read(descriptor.raw, $0) }) ?? 0
      guard count > 0 else { return nil }
      rest += bytes[..<count]
    }
  }
}
