// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import BenchmarkKit
import DragPipe
import DropTransport
import Glibc

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Drop files: how fast one is written, and what it takes to have one item of it without the others.
struct FileSuite: Sendable {
  let workload: Workload
  /// Where the file with many items is; in the processes that do the work it comes from the environment.
  private static let pathVariable = "DRAGPIPE_BENCHMARK_FILE"

  var localCases: [LocalCase] { [writing, opening, extracting] }

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

  /// The file that items are had from, made once for all processes.
  static func makeFile(_ workload: Workload, at path: String) async throws {
    try await write(workload.fileItemCount, content(workload.fileItemLength), to: path)
  }

  /// What tells a process where it is.
  static func environment(_ workload: Workload, _ workspace: Workspace) async throws -> [String: String] {
    let path = try await workspace.file("many.drop") { path in
      _ = try await OwnProcess.output("make-file", workload.arguments + [path])
    }
    return [pathVariable: path]
  }

  private static func preparedPath() throws -> String {
    guard let path = getenv(pathVariable) else { throw OwnProcess.Failure(description: "no drop file was made") }
    return String(cString: path)
  }

  // MARK: Cases

  private var writing: LocalCase {
    let (count, length) = (workload.archivedItemCount, workload.fileItemLength)
    return LocalCase(
      suite: .file, name: "writing items", unit: .bytes, amount: count * length,
      contenders: [
        Contender("drop file", .ours), Contender("a file for each", .peer), Contender("one file by hand", .limit),
      ]
    ) {
      let content = Self.content(length)
      let base = try Self.preparedPath() + "-\(getpid())"
      return LocalCase.Work(rounds: [
        {
          try await Self.write(count, content, to: base)
          unlink(base)
        },
        { try Self.writeFiles(count, content, in: base) },
        {
          let file = try OwnedDescriptor.open(base, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
          for _ in 0..<count { try content.withUnsafeBytes { try SystemCalls.writeAll(file.raw, $0) } }
          unlink(base)
        },
      ])
    }
  }

  private static func writeFiles(_ count: Int, _ content: Data, in directory: String) throws {
    guard mkdir(directory, 0o700) == 0 else { throw PlainPipe.Failure(call: "mkdir") }
    for number in 0..<count {
      let file = try OwnedDescriptor.open("\(directory)/\(number)", O_WRONLY | O_CREAT | O_EXCL, 0o600)
      try content.withUnsafeBytes { try SystemCalls.writeAll(file.raw, $0) }
    }
    for number in 0..<count { unlink("\(directory)/\(number)") }
    rmdir(directory)
  }

  /// Opened anew for each item, somewhere in the file.
  private var opening: LocalCase {
    let (count, length) = (workload.fileItemCount, workload.fileItemLength)
    return LocalCase(
      suite: .file, name: "one of \(Figures.count(Double(count))) items", unit: .items, amount: 20,
      contenders: [Contender("DropFile", .ours), Contender("pread at a known place", .limit)], goals: [.seconds(5e-3)]
    ) {
      let path = try Self.preparedPath()
      let content = Self.content(length)
      return LocalCase.Work(rounds: [
        {
          for number in Self.places(20, below: count) {
            let item = try await DropFile.open(path).item(at: number)
            let data = try await item.data(for: .data)
            precondition(data == content && item.suggestedName == "\(number)")
          }
        },
        {
          for number in Self.places(20, below: count) {
            let file = try OwnedDescriptor.open(path, O_RDONLY)
            keep(
              try [UInt8](unsafeUninitializedCapacity: length) { buffer, initialized in
                initialized = pread(file.raw, buffer.baseAddress, length, off_t(number * length))
                guard initialized == length else { throw PlainPipe.Failure(call: "pread") }
              })
          }
        },
      ])
    }
  }

  private static func places(_ count: Int, below limit: Int) -> [Int] {
    var number = 1
    return (0..<count).map { _ in
      number = number &* 48_271 % 2_147_483_647
      return number % limit
    }
  }

  /// The bytes of one large item as a file of their own.
  private var extracting: LocalCase {
    let length = workload.byteCount / 4
    return LocalCase(
      suite: .file, name: "one item extracted as a file", unit: .bytes, amount: length,
      contenders: [
        Contender("DropFile.extract", .ours), Contender("FileManager.copyItem", .peer),
      ]
    ) {
      let base = try Self.preparedPath() + "-\(getpid())"
      try BenchmarkFile.make(base, byteCount: length)
      try await DropStream.withWriter(to: .file(base + ".drop")) {
        try await $0.write(ItemProvider(contentsOf: URL(fileURLWithPath: base), contentType: .data))
      }
      return LocalCase.Work(
        rounds: [
          {
            try await DropFile.open(base + ".drop").extract(item: 0, representation: 0, to: base + ".out")
            unlink(base + ".out")
          },
          {
            try FileManager.default.copyItem(atPath: base, toPath: base + ".out")
            unlink(base + ".out")
          },
        ], finish: { for name in [base, base + ".drop"] { unlink(name) } })
    }
  }
}
