// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import DropTransport
internal import ItemCoding

/// Shows the items of a file that holds a CBOR sequence, each as soon as it is read.
struct SequenceInspection {
  /// Bytes of an item, all of which are in memory while it is shown.
  private static let limits = CBORSequenceLimits(itemBytes: 256 << 20)
  /// Output gathers until there is so much of it.
  private static let bufferLength = 32 << 10

  let file: String
  /// One document, with `items` and `verified` and, when that is false, `error`; else one item a line.
  let isJSON: Bool

  func run(in environment: ToolEnvironment) async throws {
    let notation = CBORDiagnosticNotation()
    let json = JSONOutput()
    var reader = CBORItemReader(maximumDepth: notation.maximumDepth, limits: Self.limits)
    let source = try ChunkSource(.file(file))
    var text = isJSON ? #"{"items": ["# : ""
    var hasItems = false
    var isAtEnd = false
    do {
      while !isAtEnd {
        if let chunk = try await source.next() {
          reader.append(chunk)
        } else {
          reader.finish()
          isAtEnd = true
        }
        while let item = try reader.next() {
          let line = try notation.text(of: item, start: reader.offset - item.count)
          text += isJSON ? (hasItems ? ",\n" : "\n") + (try json.text(line)) : line + "\n"
          hasItems = true
          if text.utf8.count >= Self.bufferLength {
            try await environment.write(text)
            text = ""
          }
        }
      }
    } catch let error as DecodingError {
      let message = "\(file): \(error.sentence)".escapedForDisplay(limit: 400)
      let verdict = isJSON ? "\n], \"verified\": false, \"error\": \(try json.text(message))}\n" : ""
      try await environment.write(text + verdict)
      throw ToolFailure(.malformed, message)
    }
    try await environment.write(text + (isJSON ? "\n], \"verified\": true}\n" : ""))
  }
}
