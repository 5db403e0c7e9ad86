// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import ItemTransfer
import TestSupport
import Testing
import UniformTypes

@testable import DropTransport

/// A destination folder, and a file beside it that no receive may change.
struct FolderFixture {
  private let directory: TemporaryDirectory
  private let state: TemporaryDirectory
  let url: URL
  private let canary: URL
  var folder: DropFolder

  init() throws {
    directory = try TemporaryDirectory()
    url = directory.url.appendingPathComponent("in", isDirectory: true)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
    canary = try directory.write(Data("canary".utf8), to: "canary")
    state = try TemporaryDirectory()
    folder = DropFolder(path: url.path)
    folder.stateDirectory = state.url.path
  }

  /// The names of all files in the folder, including temporary files.
  var names: Set<String> {
    get throws { Set(try FileManager.default.contentsOfDirectory(atPath: url.path)) }
  }

  /// Whether the parent of the folder has no new file, and the file beside the folder is unchanged.
  var surroundingsAreUntouched: Bool {
    get throws {
      let outside = Set(try FileManager.default.contentsOfDirectory(atPath: directory.url.path))
      return try outside == ["in", "canary"] && Data(contentsOf: canary) == Data("canary".utf8)
    }
  }

  /// Expects the names of all files in the folder, and that nothing beside the folder has changed.
  func expect(names: Set<String>, _ comment: Comment? = nil, sourceLocation: SourceLocation = #_sourceLocation) throws {
    #expect(try self.names == names, comment, sourceLocation: sourceLocation)
    #expect(try surroundingsAreUntouched, comment, sourceLocation: sourceLocation)
  }

  func folder(_ change: (inout DropFolder) -> Void) -> DropFolder {
    var folder = folder
    change(&folder)
    return folder
  }

  /// The proof of the lists that receivers write into this folder.
  var seal: StagingSeal {
    get throws { try StagingSeal(in: state.url.path) }
  }

  func file(_ name: String) -> URL { url.appendingPathComponent(name, isDirectory: false) }

  func content(_ name: String) throws -> [UInt8] { Array(try Data(contentsOf: file(name))) }

  func write(_ text: String, to name: String) throws { try Data(text.utf8).write(to: file(name)) }

  func permissions(_ path: String) throws -> UInt32 {
    try SystemCalls.statusAt(DropEndpoint.currentDirectory, path).permissions
  }

  func receive(
    _ bytes: [UInt8], options: DropStreamOptions = DropStreamOptions()
  ) async throws -> [DropFolder.File] {
    try await folder.receive(from: .descriptor(try pipe(holding: bytes)), options: options).files
  }
}

extension DropFolder.Receipt {
  /// Expects the names of the files, the taken names of the items that were left out, and the names that are missing.
  func expect(
    files names: [String], kept: [Int]? = nil, leftOut takenNames: [String?] = [], missing missingNames: [String] = [],
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(files.map(\.name) == names, sourceLocation: sourceLocation)
    if let kept { #expect(keptItems == kept, sourceLocation: sourceLocation) }
    #expect(leftOut.map(\.takenName) == takenNames, sourceLocation: sourceLocation)
    #expect(missing.map(\.name) == missingNames, sourceLocation: sourceLocation)
  }
}

extension Publication.Outcome {
  /// The final names by the suggested names.
  ///
  /// It works only if no two names are equal as strings.
  var names: [String: String] {
    finalNames.reduce(into: [:]) { $0[String(decoding: $1.key, as: UTF8.self)] = $1.value }
  }
}

/// A way to transfer items to a folder.
///
/// All ways must have the same result.
enum FolderWay: String, CaseIterable, Sendable {
  case pipe, session, items

  func receive(_ items: [ItemProvider], into folder: DropFolder) async throws -> DropFolder.Receipt {
    switch self {
    case .items: return try await folder.receive(items)
    case .pipe:
      let pair = try DescriptorPair.pipe()
      async let written: Void = DropStream.withWriter(to: pair.writer) { writer in
        for item in items { _ = try await writer.writeAvailable(item) }
      }
      let received: Result<DropFolder.Receipt, any Error>
      do { received = .success(try await folder.receive(from: pair.reader)) } catch { received = .failure(error) }
      _ = try? await written
      return try received.get()
    case .session:
      let (_, received) = try await holdSession { session in
        try await session.offer(items)
      } destination: { session in
        for try await drop in session.drops {
          do {
            let receipt = try await folder.receive(drop)
            try await drop.finish(.copy, keeping: receipt.keptItems)
            return receipt
          } catch {
            try? await drop.refuse(because: "\(error)")
            throw error
          }
        }
        throw CancellationError()
      }
      return try received.get()
    }
  }
}

/// A receive whose stream lacks its last byte, after its files were staged.
struct StalledReceive {
  private let pair: DescriptorPair
  private let lastByte: UInt8
  let task: Task<DropFolder.Receipt, any Error>

  /// Starts a receive, and waits until a number of files was staged.
  init(_ bytes: [UInt8], into fixture: FolderFixture, staging count: Int) async throws {
    let (pair, folder) = (try DescriptorPair.pipe(), fixture.folder)
    self.pair = pair
    lastByte = bytes[bytes.count - 1]
    try bytes.dropLast().withUnsafeBytes { try SystemCalls.writeAll(pair.write, $0) }
    task = Task { try await folder.receive(from: pair.reader) }
    try await wait(for: "\(count) staged files") {
      guard let name = try fixture.stagingName else { return false }
      return try FileManager.default.contentsOfDirectory(atPath: fixture.file(name).path).count == count
    }
  }

  func finish() async throws -> DropFolder.Receipt {
    try [lastByte].withUnsafeBytes { try SystemCalls.writeAll(pair.write, $0) }
    return try await truncate()
  }

  func truncate() async throws -> DropFolder.Receipt {
    try SystemCalls.close(pair.write)
    return try await task.value
  }
}

extension FolderFixture {
  var stagingName: String? { get throws { try names.first { $0.hasPrefix(".dragpipe-") } } }

  /// The texts of all files by their paths; other entries have the text `-`.
  var tree: [String: String] {
    get throws {
      try FileManager.default.subpathsOfDirectory(atPath: url.path).reduce(into: [:]) { tree, path in
        let status = try SystemCalls.statusAt(DropEndpoint.currentDirectory, file(path).path, AT_SYMLINK_NOFOLLOW)
        tree[path] = status.kind == .regular ? String(decoding: try content(path), as: UTF8.self) : "-"
      }
    }
  }

  func expect(
    tree: [String: String], _ comment: Comment? = nil, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    #expect(try self.tree == tree, comment, sourceLocation: sourceLocation)
  }

  func makeDirectory(_ name: String) throws {
    try FileManager.default.createDirectory(at: file(name), withIntermediateDirectories: true)
  }
}

extension StagingDirectory {
  /// Stages an item with a file for each name.
  func stage(_ names: [String], _ text: String = "new") throws {
    guard case .files(let files) = try makeItem(names.map { .init(name: $0) }) else {
      throw TestFailure("the item is left out")
    }
    for file in files {
      try Array(text.utf8).withUnsafeBytes { try file.append($0) }
      try finish(file)
    }
  }
}

/// Returns an item with text representations: for each type, its content.
func textItem(_ name: String?, _ representations: KeyValuePairs<UTType, String>) -> ItemProvider {
  let item = ItemProvider(suggestedName: name)
  for (type, text) in representations { item.register(type) { _ in Data(text.utf8) } }
  return item
}
