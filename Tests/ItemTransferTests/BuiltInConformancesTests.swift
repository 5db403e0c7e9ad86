// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing
import UniformTypes

@testable import ItemTransfer

/// The conformances of Swift's and Foundation's types to `Transferable`.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct BuiltInConformancesTests {
  private func provider(_ type: UTType, _ bytes: [UInt8]) -> ItemProvider {
    ItemProvider(of: type) { _ in Data(bytes) }
  }

  private func requireUndecodable<Item: Transferable>(
    _ item: Item.Type, _ type: UTType, _ bytes: [UInt8], sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let error = try await requireProviderError(.undecodable, type, sourceLocation: sourceLocation) {
      try await provider(type, bytes).value(as: Item.self)
    }
    #expect(error.underlyingError is DecodingError, sourceLocation: sourceLocation)
  }

  // MARK: Data

  @Test(arguments: [Data(), Data([0, 0xFF]), Data([1, 2, 3])[1...]])
  func dataRoundTripsAndImportsAnyRepresentation(bytes: Data) async throws {
    let provider = ItemProvider(bytes)
    #expect(provider.contentTypes == [.data])
    for provider in [provider, self.provider(.png, Array(bytes))] { try await provider.expectValue(bytes) }
  }

  // MARK: String

  @Test(arguments: ["", "Αἴας", "a\0b", "\u{FEFF}marked", "e\u{301}", "😀\r\n"])
  func stringRoundTrips(text: String) async throws {
    let provider = ItemProvider(text)
    #expect(provider.contentTypes == [.utf8PlainText])
    #expect(try await provider.data(for: .text) == Data(text.utf8))
    #expect(Array(try await provider.value(as: String.self).utf8) == Array(text.utf8))
  }

  @Test(
    arguments: [
      (UTType.utf8PlainText, [0xC3, 0xA9], "é"), (.utf8PlainText, [0xEF, 0xBB, 0xBF, 0x61], "\u{FEFF}a"),
      (.utf16ExternalPlainText, [0xFE, 0xFF, 0x00, 0xE9], "é"),
      (.utf16ExternalPlainText, [0xFF, 0xFE, 0xE9, 0x00], "é"),
      (.utf16ExternalPlainText, [0x00, 0xE9], "é"), (.utf16ExternalPlainText, [0xD8, 0x3D, 0xDE, 0x00], "😀"),
      (.utf16ExternalPlainText, [0xFE, 0xFF], ""), (.utf16PlainText, [0xFE, 0xFF, 0x00, 0xE9], "é"),
      (.utf16PlainText, [0xFF, 0xFE, 0xE9, 0x00], "é"), (.plainText, [0xC3, 0xA9], "é"), (.plainText, [], ""),
      (.plainText, [0xEF, 0xBB, 0xBF, 0x61], "a"), (.plainText, [0xFF, 0xFE, 0x61, 0x00], "a"),
      (.plainText, [0xFE, 0xFF, 0x00, 0x61], "a"), (.utf8TabSeparatedText, [0x61, 0x09], "a\t"),
    ] as [(UTType, [UInt8], String)])
  func textImportsEachEncoding(type: UTType, bytes: [UInt8], text: String) async throws {
    #expect(Array(try await provider(type, bytes).value(as: String.self).utf8) == Array(text.utf8))
    try await provider(type, bytes).expectValue(AttributedString(text))
  }

  @Test func unmarkedNativeUTF16HasNativeByteOrder() async throws {
    let bytes = withUnsafeBytes(of: UInt16(0xE9)) { Array($0) }
    try await provider(.utf16PlainText, bytes).expectValue("é")
  }

  @Test(
    arguments: [
      (UTType.utf8PlainText, [0x61, 0xFF]), (.utf8PlainText, [0xC0, 0x80]), (.utf8PlainText, [0xED, 0xA0, 0x80]),
      (.utf16ExternalPlainText, [0xD8, 0x00]), (.utf16ExternalPlainText, [0xDC, 0x00, 0x00, 0x61]),
      (.utf16ExternalPlainText, [0x61]), (.utf16PlainText, [0xFE, 0xFF, 0x00]), (.plainText, [0xE9]),
      (.plainText, [0xFF, 0xFE, 0x00]), (.plainText, [0xEF, 0xBB, 0xBF, 0xFF]),
    ] as [(UTType, [UInt8])])
  func malformedTextFails(type: UTType, bytes: [UInt8]) async throws {
    try await requireUndecodable(String.self, type, bytes)
    try await requireUndecodable(AttributedString.self, type, bytes)
  }

  @Test(arguments: [UTType.json, .html, .png, .text])
  func markupIsNotImportedAsText(type: UTType) async throws {
    try await requireProviderError(.noRepresentation, .utf8PlainText) {
      try await provider(type, [0x61]).value(as: String.self)
    }
  }

  // MARK: AttributedString

  @Test func attributedStringExportsItsCharacters() async throws {
    var text = AttributedString("Hail, ")
    text.append(AttributedString("Ajax"))
    let provider = ItemProvider(text)
    #expect(provider.contentTypes == [.utf8PlainText])
    try await provider.expectValue("Hail, Ajax")
    try await provider.expectValue(AttributedString("Hail, Ajax"))
  }

  // MARK: URL

  @Test(arguments: ["https://example.org/a%20b?c#d", "mailto:a@b", "urn:isbn:0"])
  func urlRoundTrips(text: String) async throws {
    let url = try #require(URL(string: text))
    let provider = ItemProvider(url)
    #expect(provider.contentTypes == [.url])
    try await provider.expectText(text, for: .url)
    try await provider.expectValue(url)
    try await requireProviderError(.noRepresentation, .fileURL) { try await provider.data(for: .fileURL) }
  }

  @Test func fileURLExportsItsOwnTypeFirst() async throws {
    let url = URL(fileURLWithPath: "/tmp/a b/é%.txt")
    let provider = ItemProvider(url)
    #expect(provider.contentTypes == [.fileURL, .url])
    try await provider.expectText("file:///tmp/a%20b/%C3%A9%25.txt", for: .url)
    try await provider.expectValue(url)
    let plain = self.provider(.url, Array("file:///tmp/a".utf8))
    #expect(try await plain.value(as: URL.self).path == "/tmp/a")
  }

  @Test func relativeURLExportsAsAbsoluteOrFails() async throws {
    let base = try #require(URL(string: "https://example.org/a/"))
    let relative = try #require(URL(string: "b", relativeTo: base))
    try await ItemProvider(relative).expectText("https://example.org/a/b", for: .url)
    let baseless = try #require(URL(string: "a/b"))
    let error = try await requireProviderError(.representationFailed, .url) {
      try await ItemProvider(baseless).data(for: .url)
    }
    #expect(error.underlyingError is EncodingError)
  }

  @Test func importedURLIsTrimmedAndPercentEncoded() async throws {
    for (text, url) in [
      (" \thttps://example.org/a\r\n", "https://example.org/a"),
      ("https://example.org/é", "https://example.org/%C3%A9"),
    ] {
      #expect(try await ItemProvider(of: .url, text).value(as: URL.self).absoluteString == url)
    }
  }

  @Test func malformedURLFails() async throws {
    for text in ["", " \n", "a/b", "//example.org", "https://a\u{0}b", "https://a\nhttps://b", "://", "1:2"] {
      try await requireUndecodable(URL.self, .url, Array(text.utf8))
    }
    try await requireUndecodable(URL.self, .url, [0x61, 0x3A, 0xFF])
    try await requireUndecodable(URL.self, .fileURL, Array("https://example.org".utf8))
  }

  // MARK: Never

  @Test func neverHasNoRepresentation() {
    func isRepresentation<R: TransferRepresentation>(_: R.Type) -> Bool { R.Item.self == Never.self }
    #expect(isRepresentation(Never.self))
  }
}
