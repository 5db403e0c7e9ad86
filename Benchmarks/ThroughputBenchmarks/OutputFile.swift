// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import BenchmarkKit
import DropSystem
import DropTransport
import FoundationEssentials
import Glibc

/// The destination of output: a file, or standard output for `-`.
///
/// A regular file is replaced atomically, after its new content is on the disk. Other destinations, such as a pipe, are
/// written directly.
struct OutputFile: Sendable {
  /// The maximum number of bytes to read from a file that this program wrote.
  static let longestInput = 64 << 20

  /// The name that the user gave.
  let name: String
  /// The path, without symbolic links if the file exists.
  private let path: String
  private let isReplaced: Bool

  /// Checks that the directory of a regular file accepts new files, before the measurements begin.
  ///
  /// - Throws: `BenchmarkProgram.Failure` if it does not.
  init(_ name: String) throws {
    self.name = name
    var status = stat()
    let exists = stat(name, &status) == 0
    isReplaced = name != "-" && (!exists || status.st_mode & S_IFMT == S_IFREG)
    path = exists ? Self.resolved(name) : name
    guard isReplaced else { return }
    // Creates and removes a temporary file, to find out whether the directory accepts new files.
    let temporary = "\(path).\(getpid())"
    do {
      try OwnedDescriptor.open(temporary, O_WRONLY | O_CREAT | O_EXCL, 0o666).close()
      unlink(temporary)
    } catch {
      throw Self.failure(name, error)
    }
  }

  /// Writes the complete output.
  ///
  /// - Throws: `BenchmarkProgram.Failure`. A regular file is then unchanged.
  func write(_ data: Data) throws {
    do {
      guard name != "-" else {
        return try data.withUnsafeBytes { try SystemCalls.writeAll(STDOUT_FILENO, $0) }
      }
      guard isReplaced else {
        let file = try OwnedDescriptor.open(path, O_WRONLY)
        try data.withUnsafeBytes { try SystemCalls.writeAll(file.raw, $0) }
        return try file.close()
      }
      try replace(with: data)
    } catch {
      throw Self.failure(name, error)
    }
  }

  func write(_ text: String) throws {
    try write(Data(text.utf8))
  }

  private func replace(with data: Data) throws {
    let temporary = "\(path).\(getpid())"
    do {
      let file = try OwnedDescriptor.open(temporary, O_WRONLY | O_CREAT | O_EXCL, 0o666)
      var status = stat()
      if stat(path, &status) == 0 { fchmod(file.raw, status.st_mode & 0o777) }
      try data.withUnsafeBytes { try SystemCalls.writeAll(file.raw, $0) }
      try SystemCalls.sync(file.raw)
      try file.close()
      guard rename(temporary, path) == 0 else { throw SystemError(errno, in: "rename") }
    } catch {
      unlink(temporary)
      throw error
    }
  }

  private static func resolved(_ name: String) -> String {
    guard let path = realpath(name, nil) else { return name }
    defer { free(path) }
    return String(cString: path)
  }

  private static func failure(_ name: String, _ error: any Error) -> BenchmarkProgram.Failure {
    BenchmarkProgram.Failure(description: "\(name == "-" ? "standard output" : name) cannot be written: \(error)")
  }

  // MARK: Reading the output of this program

  /// Reads a file that this program has written, or standard input for `-`.
  ///
  /// - Throws: `BenchmarkProgram.Failure` for an error of reading, and for more bytes than the limit.
  static func read(_ name: String) throws -> Data {
    do {
      guard name != "-" else { return try contents(of: STDIN_FILENO) }
      let file = try OwnedDescriptor.open(name, O_RDONLY)
      let data = try contents(of: file.raw)
      try file.close()
      return data
    } catch {
      throw BenchmarkProgram.Failure(description: "\(name) cannot be read: \(error)")
    }
  }

  private static func contents(of descriptor: CInt) throws -> Data {
    var data = Data()
    try PlainPipe.forEachPiece(of: descriptor) { piece in
      guard data.count + piece.count <= longestInput else {
        throw BenchmarkProgram.Failure(description: "it is longer than \(Figures.bytes(Double(longestInput)))")
      }
      data.append(contentsOf: piece)
    }
    return data
  }
}
