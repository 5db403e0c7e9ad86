// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing
import UniformTypes

@testable import ItemTransfer

@Suite(.serialized, .limited) struct SavedFileTests {
  private let directory: TemporaryDirectory
  private let file: URL

  init() throws {
    directory = try TemporaryDirectory()
    file = try directory.write(Data("original".utf8), to: "saga.txt")
  }

  private func provider(inPlace: Bool) -> ItemProvider {
    ItemProvider(contentsOf: file, openInPlace: inPlace)
  }

  @Test("a saved file is the receiver's, under its name; a name that is taken is an error, and nothing is replaced")
  func saving() async throws {
    let target = try TemporaryDirectory()
    let saved = try await provider(inPlace: true).saveFile(for: .text, in: target.url)
    #expect(saved.lastPathComponent == "saga.txt")
    #expect(try Data(contentsOf: saved) == Data("original".utf8))
    try Data("mine".utf8).write(to: saved)
    let error = try await requireProviderError(.fileUnavailable, .plainText) {
      try await provider(inPlace: false).saveFile(for: .text, in: target.url)
    }
    #expect("\(error)".contains("File exists") && "\(error)".contains(saved.path))
    #expect(try Data(contentsOf: saved) == Data("mine".utf8))
    #expect(try FileManager.default.contentsOfDirectory(atPath: target.url.path) == ["saga.txt"])
  }

  @Test("saving where there is no directory is an error")
  func noDirectory() async throws {
    _ = try await requireProviderError(.fileUnavailable, .plainText) {
      try await provider(inPlace: false).saveFile(for: .text, in: URL(fileURLWithPath: "/nowhere/at/all"))
    }
  }

  @Test("a copy can be run if the original can")
  func permissions() async throws {
    try FileManager.default.setAttributes([.posixPermissions: 0o750], ofItemAtPath: file.path)
    let permissions = try await provider(inPlace: false).withFile(for: .text) {
      try FileManager.default.attributesOfItem(atPath: $0.path)[.posixPermissions] as? Int
    }
    #expect(permissions == 0o750 || permissions == 0o700)
  }
}
