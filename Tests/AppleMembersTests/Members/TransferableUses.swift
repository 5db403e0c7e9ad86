// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import UniformTypeIdentifiers

/// A value with three representations, one through a proxy and one with a condition.
struct Ode: Codable, Equatable, Transferable {
  var words = "Sing, goddess"

  static var transferRepresentation: some TransferRepresentation {
    CodableRepresentation(contentType: .json)
    DataRepresentation(exportedContentType: .rtf) { Data("{\\rtf1 \($0.words)}".utf8) }
      .suggestedFileName("Ode")
    ProxyRepresentation(exporting: \.words)
      .exportingCondition { !$0.words.isEmpty }
  }
}

/// A value that states the type of its representations.
struct Canto: Transferable {
  var words = "Arms and the man"

  static var transferRepresentation:
    TupleTransferRepresentation<
      Canto, (DataRepresentation<Canto>, ProxyRepresentation<Canto, String>, DataRepresentation<Canto>)
    >
  {
    DataRepresentation(exportedContentType: .rtf) { Data("{\\rtf1 \($0.words)}".utf8) }
    ProxyRepresentation(exporting: \.words)
    DataRepresentation(importedContentType: .xml) { Canto(words: String(decoding: $0, as: UTF8.self)) }
  }
}

extension TupleTransferRepresentation {
  /// The representations, as code for Apple's systems finds them.
  var parts: [Any] {
    Mirror(reflecting: self).descendant("value").map { Mirror(reflecting: $0).children.map(\.value) } ?? []
  }
}

/// A use of the builder outside a `Transferable` type.
@TransferRepresentationBuilder<Ode> var odeAsText: some TransferRepresentation<Ode> {
  CodableRepresentation(contentType: .json)
}

/// A representation that is composed of other representations.
struct Scroll: TransferRepresentation {
  typealias Item = Verse

  var body: some TransferRepresentation<Verse> {
    DataRepresentation(exportedContentType: .utf8PlainText) { Data($0.words.utf8) }
      .suggestedFileName { "\($0.words).txt" }
    DataRepresentation(exportedContentType: .json) { try JSONEncoder().encode($0.words) }
  }
}

struct Verse: Transferable {
  var words = "Sing"

  static var transferRepresentation: some TransferRepresentation {
    Scroll()
    DataRepresentation(exportedContentType: .xml) { Data($0.words.utf8) }
      .visibility(.ownProcess)
  }
}

struct Sketch: Transferable {
  var data: Data

  static var transferRepresentation: some TransferRepresentation {
    DataRepresentation(contentType: .png) {
      $0.data
    } importing: {
      Sketch(data: $0)
    }
    DataRepresentation(exportedContentType: .rtf) { $0.data }
    DataRepresentation(importedContentType: .gif) { Sketch(data: $0) }
  }
}

struct Track: Transferable {
  var file: URL
  var wasOriginal: Bool?

  static var transferRepresentation: some TransferRepresentation {
    FileRepresentation(contentType: .mp3, shouldAttemptToOpenInPlace: true) {
      SentTransferredFile($0.file)
    } importing: {
      Track(file: $0.file, wasOriginal: $0.isOriginalFile)
    }
    FileRepresentation(exportedContentType: .wav, shouldAllowToOpenInPlace: true) { SentTransferredFile($0.file) }
    FileRepresentation(importedContentType: .aiff, shouldAttemptToOpenInPlace: true) { Track(file: $0.file) }
  }
}

/// A value with every initializer of `ProxyRepresentation`; the first matching representation is used.
struct Saying: Transferable {
  var words = "Know thyself"

  private func later() async -> String { words }

  static var transferRepresentation: some TransferRepresentation {
    ProxyRepresentation(exporting: \.words)
    ProxyRepresentation(exporting: { await $0.later() })
    ProxyRepresentation(importing: { Saying(words: $0) })
    ProxyRepresentation(importing: { (words: String) async in Saying(words: words) })
    ProxyRepresentation(exporting: { $0.words }, importing: { Saying(words: $0) })
    ProxyRepresentation(exporting: { await $0.later() }, importing: { (words: String) async in Saying(words: words) })
    ProxyRepresentation(exporting: { $0.words }, importing: { (words: String) async in Saying(words: words) })
  }
}
