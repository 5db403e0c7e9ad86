// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

@testable import UniformTypes

/// A temporary `mime` directory, which is removed when the last reference is released.
final class MIMEFixture {
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

  let base: String
  private var entries: [String] = []

  init() throws {
    var template = Array("/tmp/mime-fixture-XXXXXX".utf8CString)
    try #require(mkdtemp(&template) != nil)
    base = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    makeDirectory("mime")
  }

  deinit {
    for entry in entries.reversed() { remove(entry) }
    remove(base)
  }

  /// The path of the database's directory.
  var path: String { "\(base)/mime" }

  func database() -> MIMEDatabase { MIMEDatabase(directories: [path]) }

  func makeDirectory(_ name: String) {
    entries.append("\(base)/\(name)")
    mkdir("\(base)/\(name)", 0o700)
  }

  func makeFIFO(_ name: String) {
    entries.append("\(path)/\(name)")
    mkfifo("\(path)/\(name)", 0o600)
  }

  func makeLink(_ name: String, to target: String) {
    entries.append("\(path)/\(name)")
    symlink(target, "\(path)/\(name)")
  }

  @discardableResult
  func write(_ name: String, _ text: String) throws -> Self {
    try write(name, Array(text.utf8))
  }

  @discardableResult
  func write(_ name: String, _ bytes: [UInt8]) throws -> Self {
    // Creates a new file each time, as programs that update the database do.
    remove("\(path)/\(name)")
    entries.append("\(path)/\(name)")
    let file = try #require(fopen("\(path)/\(name)", "w"))
    defer { fclose(file) }
    try #require(fwrite(bytes, 1, bytes.count, file) == bytes.count)
    return self
  }

  @discardableResult
  func writeMagic(_ sections: [(header: String, rules: [Rule])]) throws -> Self {
    try write("magic", Self.magic(sections))
  }

  static func magic(_ sections: [(header: String, rules: [Rule])]) -> [UInt8] {
    sections.reduce(into: Array("MIME-Magic\0\n".utf8)) { bytes, section in
      bytes += Array("[\(section.header)]\n".utf8) + section.rules.flatMap(\.bytes)
    }
  }
}

extension MIMEDatabase {
  func sniff(_ text: String) -> Match { type(ofContent: Array(text.utf8).span) }
  func sniff(_ bytes: [UInt8]) -> Match { type(ofContent: bytes.span) }
  func type(ofName name: String, bytes: [UInt8]) -> Match { type(ofName: name, content: bytes.span) }
  func type(ofName name: String, text: String) -> Match { type(ofName: name, content: Array(text.utf8).span) }
}
