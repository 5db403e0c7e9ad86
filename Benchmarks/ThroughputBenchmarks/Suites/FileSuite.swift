// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import BenchmarkKit
import CDropShims
import DragPipe
import DropSystem
import DropTransport
import FoundationEssentials
import Glibc

/// Drop files: the times to write a file, and to load or extract one item without reading the others.
struct FileSuite: Sendable {
  let workload: Workload
  /// The environment variable with the path of the prepared files, without their extensions.
  private static let pathVariable = "DRAGPIPE_BENCHMARK_FILE"

  var localCases: [LocalCase] {
    [
      Self.writing(workload.archivedItemCount, length: workload.writtenItemLength),
      Self.opening(workload.fileItemCount, length: workload.fileItemLength), extracting,
    ]
  }

  private static func content(_ length: Int) -> Data {
    Data((0..<length).map { UInt8(truncatingIfNeeded: $0 &* 31) })
  }

  static func write(_ count: Int, _ content: Data, to path: String) async throws {
    try await DropStream.withWriter(to: .file(path, replacing: true)) { writer in
      for number in 0..<count {
        let item = ItemProvider(suggestedName: "\(number)")
        item.register(.data, size: .exact(Int64(content.count))) { _ in content }
        try await writer.write(item)
      }
    }
  }

  /// Creates the file or the database from which items are loaded.
  ///
  /// All processes of the run share it.
  static func makeFile(_ count: Int, _ length: Int, at path: String) async throws {
    let content = content(length)
    if path.hasSuffix(".sqlite") {
      try SQLite.shared?.write(count, content, to: path)
    } else {
      try await write(count, content, to: path)
    }
  }

  /// Creates the file with `count` items of `length` bytes, and returns the environment variable with its path.
  static func environment(_ count: Int, _ length: Int, _ workspace: Workspace) async throws -> [String: String] {
    let base = "items-\(count)x\(length)"
    for name in [base + ".drop"] + (SQLite.shared == nil ? [] : [base + ".sqlite"]) {
      _ = try await workspace.file(name) { path in
        _ = try await OwnProcess.output("make-file", ["\(count)", "\(length)", path])
      }
    }
    return [pathVariable: workspace.path + "/" + base]
  }

  private static func preparedPath() throws -> String {
    guard let path = getenv(pathVariable) else { throw MeasurementFailure("no file was made") }
    return String(cString: path)
  }

  // MARK: Cases

  static func writing(_ count: Int, length: Int, besideFiles: Bool = true) -> LocalCase {
    let database = SQLite.shared
    return LocalCase(
      suite: .file, name: "writing items", unit: .bytes, amount: count * length, bytesPerItem: length,
      contenders: [Contender("drop file", .ours)]
        + (besideFiles ? [Contender("a file for each, unchecked", .peer)] : [])
        + (database == nil ? [] : [Contender("SQLite, one transaction, unchecked", .peer)])
        + [Contender("one file by hand, unchecked", .limit)]
    ) {
      let content = content(length)
      let base = try preparedPath() + "-\(getpid())"
      var rounds: [() async throws -> Void] = [
        {
          try await write(count, content, to: base)
          unlink(base)
        }
      ]
      if besideFiles { rounds.append { try writeFiles(count, content, in: base) } }
      if let database {
        rounds.append {
          try database.write(count, content, to: base)
          unlink(base)
        }
      }
      rounds.append {
        let file = try OwnedDescriptor.open(base, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        for _ in 0..<count { try content.withUnsafeBytes { try SystemCalls.writeAll(file.raw, $0) } }
        unlink(base)
      }
      return LocalCase.Work(rounds: rounds)
    }
  }

  private static func writeFiles(_ count: Int, _ content: Data, in directory: String) throws {
    try SystemCalls.makeDirectory(directory, 0o700)
    for number in 0..<count {
      let file = try OwnedDescriptor.open("\(directory)/\(number)", O_WRONLY | O_CREAT | O_EXCL, 0o600)
      try content.withUnsafeBytes { try SystemCalls.writeAll(file.raw, $0) }
    }
    for number in 0..<count { unlink("\(directory)/\(number)") }
    rmdir(directory)
  }

  /// The number of items that each round loads.
  static let openings = 20

  /// Returns the case that loads items at random positions, and opens the file again for each of them.
  static func opening(_ count: Int, length: Int) -> LocalCase {
    let database = SQLite.shared
    return LocalCase(
      suite: .file, name: "one of \(Figures.count(Double(count))) items", unit: .items, amount: openings,
      bytesPerItem: length,
      contenders: [Contender("DropFile", .ours)] + (database == nil ? [] : [Contender("SQLite, unchecked", .peer)])
        + [Contender("pread at a known place, unchecked", .limit)], goals: [.seconds(5e-3)]
    ) {
      let path = try preparedPath()
      let content = content(length)
      let places = places(openings, below: count)
      var rounds: [() async throws -> Void] = [
        {
          for number in places {
            var limits = DropStreamLimits()
            limits.items = .max
            let item = try await DropFile(path: path + ".drop", limits: limits).item(at: number)
            let data = try await item.data(for: .data)
            precondition(data == content && item.suggestedName == "\(number)")
          }
        }
      ]
      if let database {
        rounds.append {
          for number in places {
            let item = try database.item(number, at: path + ".sqlite")
            precondition(item.content == content && item.name == "\(number)")
          }
        }
      }
      rounds.append {
        for number in places {
          let file = try OwnedDescriptor.open(path + ".drop", O_RDONLY)
          keep(
            try [UInt8](unsafeUninitializedCapacity: length) { buffer, initialized in
              let place = Int64(number * length)
              initialized = try SystemCalls.read(file.raw, UnsafeMutableRawBufferPointer(buffer), at: place)
              guard initialized == length else { throw MeasurementFailure("the file is too short") }
            })
        }
      }
      return LocalCase.Work(rounds: rounds)
    }
  }

  private static func places(_ count: Int, below limit: Int) -> [Int] {
    var number = 1
    return (0..<count).map { _ in
      number = number &* 48_271 % 2_147_483_647
      return number % limit
    }
  }

  /// The case that extracts one large item to a file, compared with copies of a file with the same bytes.
  private var extracting: LocalCase {
    let length = workload.byteCount / 4
    let hasProgram = InstalledPrograms.has("cp")
    return LocalCase(
      suite: .file, name: "one item extracted as a file", unit: .bytes, amount: length,
      contenders: [
        Contender("DropFile.extract", .ours), Contender("FileManager.copyItem, unchecked", .peer),
        Contender("copy_file_range, unchecked", .peer),
      ] + (hasProgram ? [Contender("cp, as a process, unchecked", .peer)] : [])
    ) {
      let base = try Self.preparedPath() + "-\(getpid())"
      let (archive, copy) = (base + ".drop", base + ".out")
      try BenchmarkFile.make(base, byteCount: length)
      try await DropStream.withWriter(to: .file(archive)) {
        try await $0.write(ItemProvider(contentsOf: URL(fileURLWithPath: base), contentType: .data))
      }
      var rounds: [() async throws -> Void] = [
        {
          try await DropFile(path: archive).extract(item: 0, representation: 0, to: copy)
          unlink(copy)
        },
        {
          try FileManager.default.copyItem(atPath: base, toPath: copy)
          unlink(copy)
        },
        {
          try Self.copyRange(of: base, to: copy)
          unlink(copy)
        },
      ]
      if hasProgram {
        rounds.append {
          let ending = try await MeasuredProcess("cp", [base, copy]).waitForEnd()
          guard ending.exitCode == 0 else { throw MeasurementFailure("cp ended with \(ending)") }
          unlink(copy)
        }
      }
      return LocalCase.Work(
        rounds: rounds,
        figures: {
          try FileManager.default.createDirectory(atPath: copy, withIntermediateDirectories: false)
          defer { try? FileManager.default.removeItem(atPath: copy) }
          try await DropFile(path: archive).extract(item: 0, representation: 0, to: copy + "/item")
          try CopyCheck(of: base, by: "DropFile.extract").expectCopy(in: copy, .counting)
          return []
        }, finish: { for name in [base, archive] { unlink(name) } })
    }
  }

  private static func copyRange(of path: String, to copy: String) throws {
    let input = try OwnedDescriptor.open(path, O_RDONLY)
    let output = try OwnedDescriptor.open(copy, O_WRONLY | O_CREAT | O_EXCL, 0o600)
    var offset: Int64 = 0
    while true {
      let count = dragpipe_copy_file_range(input.raw, offset, output.raw, 1 << 30)
      guard count >= 0 else { throw SystemError(errno, in: "copy_file_range") }
      if count == 0 { return }
      offset += Int64(count)
    }
  }
}
