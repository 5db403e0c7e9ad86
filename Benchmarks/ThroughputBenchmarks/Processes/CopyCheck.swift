// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import BenchmarkKit
import DropSystem
import DropTransport
import FoundationEssentials
import Glibc

/// A check that a program has copied its complete input.
///
/// A shell reports the status of a pipeline's last program only.
struct CopyCheck: Sendable {
  private static let length = 256 << 10

  /// The path of a file, or of a directory with files.
  let original: String
  let program: String

  init(of original: String, by program: String) {
    self.original = original
    self.program = program
  }

  /// Checks that a directory contains a copy of the original file, or of each file in the original directory.
  ///
  /// A single file may have any name. The bytes are compared only when no time is measured, since reading them would
  /// change what is in the cache. Otherwise only the lengths are compared.
  ///
  /// - Throws: `MeasurementFailure` if a copy differs or is missing, or if there are other files.
  func expectCopy(in directory: String, _ purpose: Benchmark.Purpose) throws {
    let names = try Self.files(in: directory)
    let originals = try Self.files(in: original)
    if originals.isEmpty {
      guard names.count == 1 else { throw failure("\(names.count) files") }
      try expectSame(original, directory + "/" + names[0], purpose)
    } else {
      guard names == originals else { throw failure("\(names.count) files instead of \(originals.count)") }
      for name in names { try expectSame(original + "/" + name, directory + "/" + name, purpose) }
    }
  }

  private func expectSame(_ one: String, _ other: String, _ purpose: Benchmark.Purpose) throws {
    let first = try OwnedDescriptor.open(one, O_RDONLY)
    let second = try OwnedDescriptor.open(other, O_RDONLY)
    let lengths = (try SystemCalls.seek(first.raw, 0, SEEK_END), try SystemCalls.seek(second.raw, 0, SEEK_END))
    guard lengths.0 == lengths.1 else { throw failure("\(lengths.1) bytes instead of \(lengths.0)") }
    guard purpose == .counting else { return }
    // Reads small pieces, since the memory of this process would be counted as that of its child processes.
    var pieces = ([UInt8](repeating: 0, count: Self.length), [UInt8](repeating: 0, count: Self.length))
    var offset: Int64 = 0
    while offset < lengths.0 {
      let count = try pieces.0.withUnsafeMutableBytes { try SystemCalls.read(first.raw, $0, at: offset) }
      let otherCount = try pieces.1.withUnsafeMutableBytes { try SystemCalls.read(second.raw, $0, at: offset) }
      guard count > 0, count == otherCount, pieces.0[..<count] == pieces.1[..<count] else {
        throw failure("other bytes from \(offset) on")
      }
      offset += Int64(count)
    }
  }

  private func failure(_ what: String) -> MeasurementFailure {
    MeasurementFailure("\(program) left \(what)")
  }

  /// Returns the sorted names of the regular files; none if there is no such directory.
  private static func files(in directory: String) throws -> [String] {
    guard mode(directory) == S_IFDIR else { return [] }
    let names = try FileManager.default.contentsOfDirectory(atPath: directory)
    return names.filter { mode(directory + "/" + $0) == S_IFREG }.sorted()
  }

  private static func mode(_ path: String) -> mode_t {
    var status = stat()
    return lstat(path, &status) == 0 ? status.st_mode & S_IFMT : 0
  }
}
