// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// An encoder of the sequences that a program sends to its terminal.
package struct TerminalEncoder: Sendable, Hashable {
  private static let escape: UInt8 = 0x1B
  private static let end: [UInt8] = [escape, UInt8(ascii: "\\")]

  /// The number by which a multiplexer recognizes this program; 0 for none.
  package var client = 0
  /// Whether tmux passes the sequences to the terminal around it.
  package var isInsideTmux = false

  /// Creates an encoder.
  package init(client: Int = 0, isInsideTmux: Bool = false) {
    (self.client, self.isInsideTmux) = (client, isInsideTmux)
  }

  /// Encodes a message whose payload is text, in chunks.
  ///
  /// Control characters of the payload are left out, since they would end the sequence.
  package func encode(_ message: TerminalMessage) -> [UInt8] {
    let payload = message.payload.filter { $0 >= 0x20 && $0 != 0x7F }
    var bytes: [UInt8] = []
    var rest = payload[...]
    repeat {
      let chunk = rest.prefix(TerminalMessage.maximumPayload)
      rest = rest.dropFirst(chunk.count)
      let isFirst = chunk.startIndex == payload.startIndex
      var metadata = isFirst ? Self.metadata(of: message) : []
      if client != 0 { metadata.append("i=\(client)") }
      // Without a payload, the value of `m` is its default.
      if !chunk.isEmpty { metadata.append("m=\(rest.isEmpty ? 0 : 1)") }
      let body = "\(TerminalMessage.commandNumber);" + metadata.joined(separator: ":") + (chunk.isEmpty ? "" : ";")
      bytes += wrap(Self.sequence(Array(body.utf8) + chunk))
    } while !rest.isEmpty
    return bytes
  }

  /// Encodes a message whose payload is bytes, in chunks.
  ///
  /// An empty message marks the end of data that several messages carry. For them, pass a multiple of three bytes
  /// except in the last message, so that the texts can be decoded together.
  package func encode(_ message: TerminalMessage, data: some Collection<UInt8>) -> [UInt8] {
    var message = message
    message.payload = TerminalBase64.encode(data)
    return encode(message)
  }

  private static func metadata(of message: TerminalMessage) -> [String] {
    let values = [
      ("o", message.operation), ("x", message.x), ("y", message.y), ("X", message.upperX), ("Y", message.upperY),
    ]
    return ["t=\(Unicode.Scalar(message.kind.rawValue))"] + values.filter { $0.1 != 0 }.map { "\($0.0)=\($0.1)" }
  }

  /// The request for the attributes of the terminal, which every terminal answers.
  package var attributesRequest: [UInt8] { wrap(Array("\u{1B}[c".utf8)) }

  /// The end of a sequence that was written only in part; without one, the terminal ignores it.
  package var endOfSequence: [UInt8] { isInsideTmux ? Self.end + wrap(Self.end) : Self.end }

  /// Encodes content for a clipboard of the terminal: OSC 52.
  ///
  /// - Parameters:
  ///   - data: The content; no bytes clear the clipboard.
  ///   - isPrimary: Whether to set the primary selection in place of the clipboard.
  /// - Returns: The sequence.
  package func clipboard(storing data: some Collection<UInt8>, isPrimary: Bool = false) -> [UInt8] {
    // A text that is not base64 clears the clipboard.
    let text = data.isEmpty ? [UInt8(ascii: "!")] : TerminalBase64.encode(data)
    // tmux has a clipboard of its own, and passes its content on.
    return Self.sequence(Array("52;\(isPrimary ? "p" : "c");".utf8) + text)
  }

  /// Encodes a request for the content of a clipboard of the terminal: OSC 52.
  package func clipboardRequest(isPrimary: Bool = false) -> [UInt8] {
    Self.sequence(Array("52;\(isPrimary ? "p" : "c");?".utf8))
  }

  private static func sequence(_ body: [UInt8]) -> [UInt8] {
    [escape, UInt8(ascii: "]")] + body + end
  }

  /// Wraps a sequence for tmux, with each Escape byte doubled.
  private func wrap(_ sequence: [UInt8]) -> [UInt8] {
    guard isInsideTmux else { return sequence }
    let doubled = sequence.flatMap { $0 == Self.escape ? [$0, $0] : [$0] }
    return Array("\u{1B}Ptmux;".utf8) + doubled + Self.end
  }
}
