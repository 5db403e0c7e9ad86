// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials
internal import UniformTypes

extension URL: Transferable {
  /// An address as its text: `public.url`, and before it `public.file-url` if it is one of a file.
  ///
  /// It is the address that goes, not what is there: `ItemProvider(contentsOf:)` offers a file's contents. Only
  /// absolute addresses go and come, since another process has another place to start from; white space around one
  /// is no part of it.
  ///
  /// A list of addresses (`text/uri-list`, RFC 2483) is no URL: taking its first line would lose the others unseen.
  public static var transferRepresentation: some TransferRepresentation {
    DataRepresentation(contentType: .fileURL) {
      try $0.foreignText()
    } importing: { data in
      let url = try URL(foreignText: data)
      guard url.isFileURL else { throw unusable("not the URL of a file") }
      return url
    }
    .exportingCondition(\.isFileURL)
    DataRepresentation(contentType: .url) {
      try $0.foreignText()
    } importing: {
      try URL(foreignText: $0)
    }
  }

  package func foreignText() throws -> Data {
    guard scheme != nil else {
      throw EncodingError.invalidValue(
        self, .init(codingPath: [], debugDescription: "a relative URL, which means nothing in another process"))
    }
    return Data(absoluteString.utf8)
  }

  /// Characters that belong into no URL are percent-encoded, as browsers do: people write addresses with them.
  package init(foreignText data: Data) throws {
    let text = try ForeignText.utf8(data).trimmingWhiteSpace
    guard text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else { throw unusable("control characters") }
    guard let url = URL(string: text), url.scheme?.isEmpty == false else { throw unusable("not an absolute URL") }
    self = url
  }
}

private func unusable(_ reason: String) -> DecodingError {
  .dataCorrupted(.init(codingPath: [], debugDescription: reason))
}

extension String {
  /// Without spaces, tabs and ends of lines at either end.
  fileprivate var trimmingWhiteSpace: String {
    let isSpace: (UInt8) -> Bool = { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
    let start = utf8.drop(while: isSpace)
    let end = start.lastIndex { !isSpace($0) }
    return end.map { String(Substring(start[...$0])) } ?? ""
  }
}
