// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation

/// The lines of a script, or what is typed.
final class ScriptLines {
  let stream: AsyncStream<String>
  private let continuation: AsyncStream<String>.Continuation
  private var interrupts: [any DispatchSourceSignal] = []

  /// Reads a file, however its lines end; `-` and `nil` stand for standard input, which is read on a thread that may wait.
  init(_ path: String?) throws {
    (stream, continuation) = AsyncStream.makeStream(of: String.self)
    if let path, path != "-" {
      for line in try Self.text(of: path).split(whereSeparator: \.isNewline) { continuation.yield(String(line)) }
      continuation.finish()
      return
    }
    Thread { [continuation] in
      while let line = readLine() { continuation.yield(line) }
      continuation.finish()
    }.start()
  }

  /// What a file has, which may also be a pipe or a device.
  private static func text(of path: String) throws -> String {
    guard let file = fopen(path, "r") else { throw unreadable(path) }
    defer { fclose(file) }
    var bytes = Data()
    var buffer = [UInt8](repeating: 0, count: 1 << 12)
    while case let count = fread(&buffer, 1, buffer.count, file), count > 0 { bytes += buffer[..<count] }
    if ferror(file) != 0 { throw unreadable(path) }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw SceneTerminalError(reason: "the script \(path) is not UTF-8")
    }
    return text
  }

  /// Why a file cannot be read, as the system has just said.
  private static func unreadable(_ path: String) -> SceneTerminalError {
    SceneTerminalError(reason: "cannot read the script \(path): \(String(cString: strerror(errno)))")
  }

  /// Has an interrupt, a wish to end or a terminal that is gone be the last line.
  func endAtInterrupts() {
    for number in [SIGINT, SIGTERM, SIGHUP] {
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number)
      source.setEventHandler { [continuation] in continuation.finish() }
      source.activate()
      interrupts.append(source)
    }
  }
}
