// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

public import Foundation

extension Data {
  /// Creates data from pairs of hexadecimal digits, with optional white space.
  ///
  /// - Precondition: The string contains no other characters, and an even number of digits.
  public init(hex: String) {
    let digits = hex.filter { !$0.isWhitespace }.map(\.hexDigitValue)
    precondition(!digits.contains(nil) && digits.count.isMultiple(of: 2), "two hexadecimal digits for each byte")
    self.init(stride(from: 0, to: digits.count, by: 2).map { UInt8((digits[$0] ?? 0) << 4 | (digits[$0 + 1] ?? 0)) })
  }

  /// The bytes as pairs of lower-case hexadecimal digits, without spaces.
  public var hex: String {
    map { String($0 >> 4, radix: 16) + String($0 & 0x0F, radix: 16) }.joined()
  }
}

/// The article that describes the drop stream byte by byte.
public enum FormatArticle {
  /// Returns the bytes of the article's example.
  ///
  /// Each indented line of the example has an offset, bytes in hexadecimal and, after two spaces, a description.
  ///
  /// - Throws: `CocoaError` if the article cannot be read; `WrongOffset` for an inconsistent line.
  public static func exampleBytes() throws -> [UInt8] {
    let root = (0..<3).reduce(URL(fileURLWithPath: #filePath)) { url, _ in url.deletingLastPathComponent() }
    let article = root.appendingPathComponent("Sources/DropTransport/DropTransport.docc/DropStreamFormat.md")
    var bytes: [UInt8] = []
    for line in try String(contentsOf: article, encoding: .utf8).split(separator: "\n") {
      guard let match = line.firstMatch(of: /^    ([0-9a-f]{3})  ((?:[0-9a-f]{2} )*[0-9a-f]{2})(?: {2,}|$)/) else {
        continue
      }
      guard Int(match.1, radix: 16) == bytes.count else { throw WrongOffset(line: String(line)) }
      bytes += match.2.split(separator: " ").compactMap { UInt8($0, radix: 16) }
    }
    return bytes
  }

  /// The error for a line whose offset is not the number of preceding bytes.
  struct WrongOffset: Error {
    let line: String
  }
}
