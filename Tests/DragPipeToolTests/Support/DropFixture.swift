// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import DropTransport
import Foundation
import ItemTransfer
import TestSupport
import UniformTypes

/// A directory with drop files.
struct DropFixture {
  /// An item: its name, and the bytes of its representations by type.
  typealias Item = (name: String?, representations: KeyValuePairs<String, [UInt8]>)

  let directory: TemporaryDirectory

  /// Creates a directory that contains some empty directories.
  init(folders: String...) throws {
    directory = try TemporaryDirectory()
    for name in folders {
      try FileManager.default.createDirectory(at: directory.file(name), withIntermediateDirectories: false)
    }
  }

  func path(_ name: String) -> String { directory.file(name).path }

  func fileNames(in folder: String = ".") throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: path(folder)).sorted()
  }

  /// Writes a file, and returns its path.
  @discardableResult
  func write(_ bytes: some Sequence<UInt8>, to name: String) throws -> String {
    try directory.write(Data(bytes), to: name).path
  }

  /// Writes a drop file with an index, and returns its path.
  @discardableResult
  func drop(_ items: Item..., to name: String = "a.drop") async throws -> String {
    try await write(items, to: .file(path(name)))
    return path(name)
  }

  /// Writes a drop stream without an index to a file, and returns its path.
  func stream(_ items: Item..., to name: String = "stream") async throws -> String {
    let file = try OwnedDescriptor.open(path(name), O_WRONLY | O_CREAT | O_EXCL, 0o600)
    try await write(items, to: .descriptor(file.release()))
    return path(name)
  }

  private func write(_ items: [Item], to endpoint: DropEndpoint) async throws {
    try await DropStream.withWriter(to: endpoint) { writer in
      for item in items {
        let provider = ItemProvider(suggestedName: item.name)
        for (type, bytes) in item.representations {
          provider.register(UTType(importedAs: type)) { _ in Data(bytes) }
        }
        try await writer.write(provider)
      }
    }
  }

  func bytes(of name: String = "a.drop") throws -> [UInt8] {
    Array(try Data(contentsOf: directory.file(name)))
  }

  /// Changes one bit in a copy of a file, at the last of some bytes.
  ///
  /// - Returns: The path of the copy.
  func corrupting(_ needle: some Sequence<UInt8>, of name: String = "a.drop") throws -> String {
    var data = Data(try bytes(of: name))
    guard let range = data.range(of: Data(needle), options: .backwards) else { throw CocoaError(.fileReadCorruptFile) }
    data[range.upperBound - 1] ^= 1
    return try write(data, to: "damaged.drop")
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
