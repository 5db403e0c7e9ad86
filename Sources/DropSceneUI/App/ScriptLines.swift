// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// The lines of a script or of standard input.
enum ScriptLines {
  /// Reads a file with any line endings.
  ///
  /// For `-` or `nil`, a separate thread reads standard input, since reading may block.
  static func stream(_ path: String?) throws -> AsyncStream<InputLine> {
    let (stream, continuation) = AsyncStream.makeStream(of: InputLine.self)
    if let path, path != "-" {
      for line in try text(of: path).split(whereSeparator: \.isNewline) {
        continuation.yield(InputLine(text: String(line)))
      }
      continuation.finish()
      return stream
    }
    Thread {
      while let line = readLine() { continuation.yield(InputLine(text: line)) }
      continuation.finish()
    }.start()
    return stream
  }

  /// Returns the content of a file, which may also be a pipe or a device.
  private static func text(of path: String) throws -> String {
    guard let file = fopen(path, "r") else { throw unreadable(path) }
    defer { fclose(file) }
    var bytes = Data()
    var buffer = [UInt8](repeating: 0, count: 1 << 12)
    while case let count = fread(&buffer, 1, buffer.count, file), count > 0 { bytes += buffer[..<count] }
    if ferror(file) != 0 { throw unreadable(path) }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw SceneAppError(reason: "the script \(path) is not UTF-8")
    }
    return text
  }

  /// Returns the error for a file that cannot be read, from `errno`.
  private static func unreadable(_ path: String) -> SceneAppError {
    SceneAppError(reason: "cannot read the script \(path): \(String(cString: strerror(errno)))")
  }
}
