// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// A part of the input from a terminal.
package enum TerminalInput: Sendable, Hashable {
  /// Bytes of keys and of other sequences.
  case bytes([UInt8])
  /// A chunk of a message of the drag and drop protocol.
  case message(TerminalMessage)
  /// The content of a clipboard: the response to a request by OSC 52.
  case clipboard([UInt8])
  /// The primary attributes of the terminal, which show that earlier requests were answered.
  case attributes
  /// A message that is malformed or incomplete, and was ignored.
  case malformed(TerminalSyntaxError)
  /// The content of a clipboard that is malformed, and was ignored.
  case malformedClipboard(TerminalSyntaxError)
}

/// An incremental parser of the input from a terminal, which is not trusted.
///
/// The parser stores at most one sequence, up to a limit. It skips the rest of a longer sequence. A control character
/// ends every sequence, so that the key Control-C reaches the program even after a sequence without an end.
package struct TerminalInputParser: Sendable {
  private enum State: Hashable, Sendable {
    case ground
    case escape
    /// A control sequence, such as that of a key.
    case control
    /// An operating system command.
    case command
    case commandEscape
    /// A string of another kind, which is skipped.
    case string
    case stringEscape
  }

  private static let escape: UInt8 = 0x1B
  private static let bell: UInt8 = 0x07
  /// The maximum length of a control sequence in bytes.
  private static let maximumControl = 64
  private static let clipboardStart = Array("52;".utf8)
  private static let messageStart = Array("72;".utf8)

  /// The maximum number of bytes of a clipboard.
  private let clipboardLimit: Int
  private var state = State.ground
  /// The bytes of the incomplete sequence, or of the command without its introducer.
  private var held: [UInt8] = []
  /// The number of bytes of the command or string so far.
  private var length = 0
  /// The second byte of a skipped string.
  private var introducer: UInt8 = 0
  /// The metadata of a message that further chunks continue.
  private var chain: TerminalMessage.Metadata?

  /// Creates a parser.
  package init(clipboardLimit: Int = 8 << 20) {
    self.clipboardLimit = clipboardLimit
  }

  /// Whether the input so far may be the Escape key, or a key with Alt, instead of the start of a sequence.
  package var isAmbiguous: Bool {
    switch state {
    case .ground: false
    case .escape: true
    // The end of a sequence may arrive late.
    case .commandEscape, .stringEscape: length > limit
    case .control: held.count == 2
    case .command, .string: length == 0
    }
  }

  /// Parses the next bytes.
  package mutating func parse(_ bytes: [UInt8]) -> [TerminalInput] {
    var inputs: [TerminalInput] = []
    var keys: [UInt8] = []
    var index = 0
    while index < bytes.count {
      if state == .command, length >= Self.clipboardStart.count {
        let text = bytes[index...].prefix { $0 >= 0x20 }
        length += text.count
        held += text.prefix(max(0, limit - held.count))
        index = text.endIndex
        if index == bytes.count { break }
      }
      step(bytes[index], &inputs, &keys)
      index += 1
    }
    if !keys.isEmpty { inputs.append(.bytes(keys)) }
    return inputs
  }

  /// Resolves ``isAmbiguous`` after a pause of the input.
  ///
  /// - Returns: The bytes of the key; `nil` if the input is not ambiguous.
  package mutating func flush() -> TerminalInput? {
    guard isAmbiguous else { return nil }
    let key: [UInt8] =
      switch state {
      case .control: held
      case .command: [Self.escape, UInt8(ascii: "]")]
      case .string: [Self.escape, introducer]
      default: [Self.escape]
      }
    enter(.ground)
    return .bytes(key)
  }

  private mutating func enter(_ next: State) {
    state = next
    held.removeAll(keepingCapacity: held.capacity <= 1 << 16)
    length = 0
  }

  private mutating func step(_ byte: UInt8, _ inputs: inout [TerminalInput], _ keys: inout [UInt8]) {
    switch state {
    case .ground:
      if byte == Self.escape { enter(.escape) } else { keys.append(byte) }
    case .escape:
      switch byte {
      case UInt8(ascii: "["):
        enter(.control)
        held = [Self.escape, byte]
      case UInt8(ascii: "]"): enter(.command)
      case UInt8(ascii: "P"), UInt8(ascii: "X"), UInt8(ascii: "^"), UInt8(ascii: "_"):
        enter(.string)
        introducer = byte
      case Self.escape: keys.append(byte)
      default:
        keys += [Self.escape, byte]
        enter(.ground)
      }
    case .control: stepControl(byte, &inputs, &keys)
    case .command, .string:
      if byte == Self.escape {
        state = state == .command ? .commandEscape : .stringEscape
      } else if byte == Self.bell {
        end(&inputs, &keys)
      } else if byte < 0x20 {
        interrupt(&inputs, &keys)
        step(byte, &inputs, &keys)
      } else {
        length += 1
        if state == .command, length <= limit { held.append(byte) }
      }
    case .commandEscape, .stringEscape:
      if byte == UInt8(ascii: "\\") { return end(&inputs, &keys) }
      interrupt(&inputs, &keys)
      enter(.escape)
      step(byte, &inputs, &keys)
    }
  }

  private mutating func stepControl(_ byte: UInt8, _ inputs: inout [TerminalInput], _ keys: inout [UInt8]) {
    let isEnd = (0x40...0x7E).contains(byte)
    guard isEnd || (0x20...0x3F).contains(byte), held.count < Self.maximumControl else {
      keys += held
      enter(.ground)
      return step(byte, &inputs, &keys)
    }
    held.append(byte)
    guard isEnd else { return }
    if byte == UInt8(ascii: "c"), held.count > 3, held[2] == UInt8(ascii: "?") {
      Self.move(&keys, to: &inputs)
      inputs.append(.attributes)
    } else {
      keys += held
    }
    enter(.ground)
  }

  /// The maximum length of the present command, which depends on its first bytes.
  private var limit: Int {
    held.starts(with: Self.clipboardStart)
      ? (clipboardLimit + 2) / 3 * 4 + 16 : TerminalMessage.maximumPayload + TerminalMessage.maximumMetadata + 4
  }

  private static func move(_ keys: inout [UInt8], to inputs: inout [TerminalInput]) {
    if !keys.isEmpty { inputs.append(.bytes(keys)) }
    keys = []
  }

  /// Discards an incomplete command or string.
  private mutating func interrupt(_ inputs: inout [TerminalInput], _ keys: inout [UInt8]) {
    let isMessage = held.starts(with: Self.messageStart)
    enter(.ground)
    guard isMessage else { return }
    chain = nil
    Self.move(&keys, to: &inputs)
    inputs.append(.malformed(TerminalSyntaxError("a control character interrupts a sequence")))
  }

  /// Ends a command or a string.
  private mutating func end(_ inputs: inout [TerminalInput], _ keys: inout [UInt8]) {
    let isCommand = state == .command || state == .commandEscape
    let (body, length, limit) = (held, length, limit)
    enter(.ground)
    let isMessage = body.starts(with: Self.messageStart)
    guard isCommand, isMessage || body.starts(with: Self.clipboardStart) else { return }
    Self.move(&keys, to: &inputs)
    do throws(TerminalSyntaxError) {
      guard length <= limit else {
        throw TerminalSyntaxError("a sequence of \(length) bytes exceeds the limit of \(limit)")
      }
      let rest = body[Self.messageStart.count...]
      if isMessage { try appendMessage(rest, to: &inputs) } else { inputs.append(try clipboard(rest)) }
    } catch {
      if isMessage { chain = nil }
      inputs.append(isMessage ? .malformed(error) : .malformedClipboard(error))
    }
  }

  private mutating func appendMessage(
    _ bytes: ArraySlice<UInt8>, to inputs: inout [TerminalInput]
  ) throws(TerminalSyntaxError) {
    let end = bytes.firstIndex(of: UInt8(ascii: ";")) ?? bytes.endIndex
    let metadata = try TerminalMessage.Metadata(parsing: bytes[..<end])
    let payload = bytes[end...].dropFirst()
    guard payload.count <= TerminalMessage.maximumPayload else {
      let limit = TerminalMessage.maximumPayload
      throw TerminalSyntaxError("a payload of \(payload.count) bytes exceeds the limit of \(limit)")
    }
    // Only a query may arrive between chunks.
    if metadata.kind == .query { return inputs.append(.message(metadata.message(payload))) }
    let former = chain.take()
    let isContinuation = former.map { metadata.continues($0) } ?? false
    if former?.kind == .data, !isContinuation, metadata.kind != .dataError {
      inputs.append(.malformed(TerminalSyntaxError("a message interrupts the chunks of data")))
    }
    // The first chunk has the metadata of all.
    var message = (isContinuation ? former ?? metadata : metadata).message(payload)
    (message.hasMore, message.isContinuation) = (metadata.hasMore, isContinuation)
    if message.hasMore { chain = isContinuation ? former : metadata }
    inputs.append(.message(message))
  }

  private func clipboard(_ bytes: ArraySlice<UInt8>) throws(TerminalSyntaxError) -> TerminalInput {
    guard let separator = bytes.firstIndex(of: UInt8(ascii: ";")) else {
      throw TerminalSyntaxError("the response with a clipboard has no content")
    }
    var decoder = TerminalBase64.Decoder()
    let start = try decoder.decode(Array(bytes[(separator + 1)...]))
    return .clipboard(start + (try decoder.finish()))
  }
}
