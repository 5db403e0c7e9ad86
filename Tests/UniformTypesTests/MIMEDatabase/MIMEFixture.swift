// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport

@testable import UniformTypes

/// A temporary directory of a MIME database, which is removed when the last reference is released.
final class MIMEFixture {
  typealias MagicSection = (header: String, rules: [Rule])

  /// A rule of a magic file.
  struct Rule {
    var depth = 0
    var offset = 0
    var value: [UInt8]
    var mask: [UInt8]?
    var suffix = ""

    init(_ value: [UInt8], at offset: Int = 0, depth: Int = 0, mask: [UInt8]? = nil, suffix: String = "") {
      self.depth = depth
      self.offset = offset
      self.value = value
      self.mask = mask
      self.suffix = suffix
    }

    init(_ text: String, at offset: Int = 0, depth: Int = 0, suffix: String = "") {
      self.init(Array(text.utf8), at: offset, depth: depth, suffix: suffix)
    }

    var bytes: [UInt8] {
      var bytes = Array("\(depth == 0 ? "" : "\(depth)")>\(offset)=".utf8)
      bytes += [UInt8(value.count >> 8), UInt8(value.count & 0xFF)] + value
      if let mask { bytes += [UInt8(ascii: "&")] + mask }
      return bytes + Array(suffix.utf8) + [UInt8(ascii: "\n")]
    }
  }

  private let directory: TemporaryDirectory

  /// The value of `XDG_DATA_HOME`.
  var base: String { directory.url.path }
  /// The directory of the database.
  var path: String { base + "/mime" }

  /// Creates a directory with some files, whose parts may be in directories of their own.
  init(_ files: [String: String] = [:], magic sections: [MagicSection] = []) throws {
    directory = try TemporaryDirectory()
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    for (name, text) in files { try write(name, text) }
    if !sections.isEmpty { try write("magic", Self.magic(sections)) }
  }

  func database() -> MIMEDatabase { MIMEDatabase(directories: [path]) }

  func write(_ name: String, _ text: String) throws {
    try write(name, Array(text.utf8))
  }

  /// Creates a new file each time, as programs that update the database do.
  func write(_ name: String, _ bytes: [UInt8]) throws {
    let file = URL(fileURLWithPath: "\(path)/\(name)")
    try? FileManager.default.removeItem(at: file)
    try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(bytes).write(to: file)
  }

  static func magic(_ sections: [MagicSection]) -> [UInt8] {
    sections.reduce(into: Array("MIME-Magic\0\n".utf8)) { bytes, section in
      bytes += Array("[\(section.header)]\n".utf8) + section.rules.flatMap(\.bytes)
    }
  }
}

extension MIMEDatabase {
  /// Reads the files of several directories, the nearest first, which are then removed.
  static func reading(
    _ directories: [String: String]..., magic: [MIMEFixture.MagicSection]...
  ) throws -> MIMEDatabase {
    let fixtures = try (0..<max(directories.count, magic.count)).map { index in
      try MIMEFixture(
        directories.indices.contains(index) ? directories[index] : [:],
        magic: magic.indices.contains(index) ? magic[index] : [])
    }
    return withExtendedLifetime(fixtures) { MIMEDatabase(directories: fixtures.map(\.path)) }
  }

  func sniff(_ text: String) -> Match { type(ofContent: Array(text.utf8).span) }
  func sniff(_ bytes: [UInt8]) -> Match { type(ofContent: bytes.span) }
  func type(ofName name: String, bytes: [UInt8]) -> Match { type(ofName: name, content: bytes.span) }
  func type(ofName name: String, text: String) -> Match { type(ofName: name, content: Array(text.utf8).span) }
}
