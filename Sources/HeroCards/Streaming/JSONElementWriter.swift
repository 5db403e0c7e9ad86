// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials

/// Writes values as JSON, one a line, and hands out the bytes whenever its owner wants some.
struct JSONElementWriter<Value: Encodable>: Sendable {
  private let style: HeroCardStyle
  private let encoder = JSONEncoder()
  private var bytes = Data()
  private var isAtStart = true
  private var isFinished = false

  init(style: HeroCardStyle) {
    self.style = style
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
  }

  /// Writes a value, or throws and writes nothing.
  mutating func append(_ value: Value) throws {
    precondition(!isFinished, "a value appended after finish()")
    let element = try encoder.encode(value)
    if style == .array { bytes += isAtStart ? "[\n".utf8 : ",\n".utf8 }
    bytes += element
    if style == .lines { bytes += "\n".utf8 }
    isAtStart = false
  }

  mutating func takeBytes() -> Data {
    defer { bytes = Data() }
    return bytes
  }

  mutating func finish() {
    guard !isFinished else { return }
    if style == .array { bytes += isAtStart ? "[]\n".utf8 : "\n]\n".utf8 }
    isFinished = true
  }
}
