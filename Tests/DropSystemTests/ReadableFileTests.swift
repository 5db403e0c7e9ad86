// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import Glibc
import TestSupport
import Testing

@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct ReadableFileTests {
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
  }

  private func path(_ name: String) -> String { directory.url.path + "/" + name }

  @Test(arguments: [(0, ""), (3, "one"), (7, "one two"), (100, "one two")])
  func readsUpToTheLimit(limit: Int, expected: String) throws {
    try Data("one two".utf8).write(to: URL(filePath: path("file")))
    let file = try ReadableFile(path: path("file"))
    let status = file.status
    #expect(status.kind == .regular && status.size == 7)
    let parts = try [file.read(upTo: limit), file.read(upTo: 100)]
    #expect(parts == [Array(expected.utf8), Array("one two".utf8.dropFirst(limit))])
  }

  @Test func kindsOfFilesAreDistinguishedAndANamedPipeDoesNotBlock() throws {
    try #require(mkfifo(path("pipe"), 0o600) == 0)
    let file = try ReadableFile(path: path("pipe"))
    let kinds = [file.status.kind] + (try ["/dev/null", "/dev"].map { try SystemCalls.status(ofPath: $0).kind })
    #expect(kinds == [.pipe, .characterDevice, .directory])
  }

  @Test func errorsHaveTheirCallAndNumber() throws {
    #expect(throws: SystemError(ENOENT, in: "open")) { _ = try ReadableFile(path: path("none")).status }
    #expect(throws: SystemError(EISDIR, in: "read")) { try ReadableFile(path: directory.url.path).read(upTo: 1) }
    #expect(throws: SystemError(ENOENT, in: "fstatat")) { try SystemCalls.status(ofPath: path("none")) }
    #expect(throws: SystemError(ENOENT, in: "getxattr")) {
      try SystemCalls.extendedAttribute("user.name", ofPath: path("none"), limit: 16)
    }
  }
}
