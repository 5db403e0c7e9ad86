// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import DropTransport
import Foundation
import ItemTransfer
import TestSupport
import Testing
import UniformTypes

@testable import DragPipeTool

/// A directory with drop files, and functions that run the tool on them.
struct DropFixture {
  /// An item: its name, and the bytes of its representations by type.
  typealias Item = (name: String?, representations: KeyValuePairs<String, [UInt8]>)

  struct Run {
    let exitCode: Int32
    let output: Data
    let errors: String

    var text: String { String(decoding: output, as: UTF8.self) }
    var lines: [Substring] { text.split(separator: "\n") }
    var errorLines: [Substring] { errors.split(separator: "\n") }

    /// Returns the output as JSON; fails if it is not JSON.
    func document() throws -> [String: Any] {
      try #require(try JSONSerialization.jsonObject(with: output) as? [String: Any])
    }
  }

  let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
  }

  func path(_ name: String) -> String { directory.file(name).path }

  var names: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: directory.url.path).sorted() }
  }

  /// Writes a drop file with an index.
  ///
  /// - Returns: The path of the file.
  @discardableResult
  func drop(_ items: Item..., to name: String = "a.drop") async throws -> String {
    let path = path(name)
    try await DropStream.withWriter(to: .file(path)) { writer in
      for item in items {
        let provider = ItemProvider(suggestedName: item.name)
        for (type, bytes) in item.representations {
          provider.register(UTType(importedAs: type)) { _ in Data(bytes) }
        }
        try await writer.write(provider)
      }
    }
    return path
  }

  func bytes(of name: String = "a.drop") throws -> [UInt8] {
    Array(try Data(contentsOf: directory.file(name)))
  }

  /// Runs the tool within this process.
  func run(_ arguments: String..., input: [UInt8] = []) async throws -> Run {
    try await run(arguments, input: input)
  }

  func run(_ arguments: [String], input: [UInt8] = []) async throws -> Run {
    let own = try TemporaryDirectory()
    try own.write(Data(input), to: "input")
    let standard = try OwnedDescriptor.open(own.file("input").path, O_RDONLY)
    let output = try OwnedDescriptor.open(own.file("output").path, O_WRONLY | O_CREAT, 0o600)
    let errors = try OwnedDescriptor.open(own.file("errors").path, O_WRONLY | O_CREAT, 0o600)
    let code = await Tool.run(
      arguments, in: ToolEnvironment(input: standard.raw, output: output.raw, errors: errors.raw))
    return Run(
      exitCode: code, output: try Data(contentsOf: own.file("output")),
      errors: String(decoding: try Data(contentsOf: own.file("errors")), as: UTF8.self))
  }

  /// Returns the items of a file in the form that reports receive.
  func descriptions(of path: String) async throws -> [DropItemDescription] {
    let prefixLength: @Sendable (UTType) -> Int = { _ in 1 << 16 }
    return try await DropStream.withInspector(from: .file(path), keeping: prefixLength) { items in
      var all: [DropItemDescription] = []
      for try await item in items { all.append(item) }
      return all
    }
  }
}
