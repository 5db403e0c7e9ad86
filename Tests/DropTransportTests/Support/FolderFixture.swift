// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import ItemTransfer
import TestSupport
import Testing

@testable import DropTransport

/// A destination folder, and a file beside it that no receive may change.
struct FolderFixture {
  private let directory: TemporaryDirectory
  let url: URL
  private let canary: URL
  var folder: DropFolder

  init() throws {
    directory = try TemporaryDirectory()
    url = directory.url.appendingPathComponent("in", isDirectory: true)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
    canary = try directory.write(Data("canary".utf8), to: "canary")
    folder = DropFolder(path: url.path)
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

  /// Returns the folder with a change.
  func folder(_ change: (inout DropFolder) -> Void) -> DropFolder {
    var folder = folder
    change(&folder)
    return folder
  }

  func file(_ name: String) -> URL { url.appendingPathComponent(name, isDirectory: false) }

  func content(_ name: String) throws -> [UInt8] { Array(try Data(contentsOf: file(name))) }

  func write(_ text: String, to name: String) throws { try Data(text.utf8).write(to: file(name)) }

  func permissions(_ path: String) throws -> UInt32 {
    try SystemCalls.statusAt(DropEndpoint.currentDirectory, path).permissions
  }

  /// Receives these bytes through a pipe.
  func receive(
    _ bytes: [UInt8], options: DropStreamOptions = DropStreamOptions()
  ) async throws -> [DropFolder.File] {
    try await folder.receive(from: .descriptor(try pipe(holding: bytes)), options: options).files
  }
}

extension StagingDirectory.Outcome {
  /// The final names by the suggested names.
  ///
  /// It works only if no two names are equal as strings.
  var names: [String: String] {
    finalNames.reduce(into: [:]) { $0[String(decoding: $1.key, as: UTF8.self)] = $1.value }
  }
}
