// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem

/// A fault in a sequence that a terminal sent.
package struct TerminalSyntaxError: Error, Sendable, Hashable {
  /// The problem, with untrusted text escaped.
  package let reason: String

  init(_ reason: String) {
    self.reason = reason
  }
}

/// A message of the drag and drop protocol for terminals: the sequence OSC 72.
///
/// The kitty terminal has published the protocol in its file `docs/dnd-protocol.rst`.
package struct TerminalMessage: Sendable, Hashable {
  /// The kinds of messages: the values of the key `t`.
  package enum Kind: UInt8, Sendable, Hashable, CaseIterable {
    /// `a`: the program accepts drops.
    case accept = 0x61
    /// `A`: the program accepts no more drops.
    case stopAccepting = 0x41
    /// `m`: a drag moves over the window, and the response of the program.
    case move = 0x6D
    /// `M`: a drag is dropped on the window.
    case drop = 0x4D
    /// `r`: a request for dropped data, and the data.
    case data = 0x72
    /// `R`: dropped data cannot be read.
    case dataError = 0x52
    /// `o`: the program offers drags, the gesture of a drag, and the types of a drag.
    case offer = 0x6F
    /// `p`: data and pictures that the program sends before the drag.
    case present = 0x70
    /// `P`: the start of a drag, or another picture.
    case start = 0x50
    /// `e`: the state of a drag, a request for its data, and the data.
    case event = 0x65
    /// `E`: an error of a drag, or its cancellation.
    case error = 0x45
    /// `k`: a request for a file of a drag, and its content.
    case file = 0x6B
    /// `q`: the query for support of the protocol, and the response.
    case query = 0x71
  }

  /// The number of the operating system command.
  package static let commandNumber = 72
  /// The maximum length of a payload in bytes, in its encoded form.
  package static let maximumPayload = 4096
  /// The maximum length of the metadata in bytes.
  package static let maximumMetadata = 512
  /// The range of numbers, which are signed or unsigned integers of 32 bits.
  static let numbers = Int(Int32.min)...Int(UInt32.max)

  /// The kind, `t`.
  package var kind: Kind
  /// Whether another chunk follows, `m`.
  package var hasMore = false
  /// The number of the client behind a multiplexer, `i`; 0 for none.
  package var client = 0
  /// The operations, `o`: 1 is a copy, 2 is a move, 3 is either.
  package var operation = 0
  /// The value of the key `x`.
  package var x = 0
  /// The value of the key `y`.
  package var y = 0
  /// The value of the key `X`.
  package var upperX = 0
  /// The value of the key `Y`.
  package var upperY = 0
  /// The payload in its encoded form.
  package var payload: [UInt8] = []
  /// Whether an earlier chunk of the same message has the metadata.
  package var isContinuation = false

  /// Creates a message.
  package init(
    _ kind: Kind, operation: Int = 0, x: Int = 0, y: Int = 0, upperX: Int = 0, upperY: Int = 0, payload: [UInt8] = []
  ) {
    self.kind = kind
    (self.operation, self.payload) = (operation, payload)
    (self.x, self.y, self.upperX, self.upperY) = (x, y, upperX, upperY)
  }

  /// The metadata of one chunk.
  ///
  /// Only the first chunk of a message has all keys.
  struct Metadata: Sendable, Hashable {
    /// The kind; `nil` if the chunk does not state it.
    var kind: Kind?
    var hasMore = false
    var values: [UInt8: Int] = [:]

    /// Parses pairs of a key and a value that are separated by colons.
    ///
    /// Unknown keys are ignored, since later versions of the protocol may add keys.
    ///
    /// - Throws: `TerminalSyntaxError` for a malformed pair, an unknown kind, or a number outside of 32 bits.
    init(parsing bytes: ArraySlice<UInt8>) throws(TerminalSyntaxError) {
      guard bytes.count <= maximumMetadata else {
        throw TerminalSyntaxError("\(bytes.count) bytes of metadata exceed the limit of \(maximumMetadata)")
      }
      for pair in bytes.split(separator: UInt8(ascii: ":")) {
        guard let equals = pair.firstIndex(of: UInt8(ascii: "=")), equals > pair.startIndex else {
          throw TerminalSyntaxError("\(Self.shown(pair)) is not a pair of a key and a value")
        }
        guard equals == pair.startIndex + 1 else { continue }
        let value = pair[(equals + 1)...]
        switch pair[pair.startIndex] {
        case UInt8(ascii: "t"):
          guard value.count == 1, let kind = value.first.flatMap({ Kind(rawValue: $0) }) else {
            throw TerminalSyntaxError("the kind \(Self.shown(value)) is unknown")
          }
          self.kind = kind
        case UInt8(ascii: "m"): hasMore = try Self.number(value) != 0
        case let key where "ioxyXY".utf8.contains(key): values[key] = try Self.number(value)
        default: break
        }
      }
    }

    private static func number(_ bytes: ArraySlice<UInt8>) throws(TerminalSyntaxError) -> Int {
      // The length is checked first, so that the parser reads no long text.
      guard bytes.count <= 11, bytes.first != UInt8(ascii: "+"),
        let number = Int(String(decoding: bytes, as: UTF8.self)), numbers.contains(number)
      else { throw TerminalSyntaxError("the value \(shown(bytes)) is not a number of 32 bits") }
      return number
    }

    private static func shown(_ bytes: ArraySlice<UInt8>) -> String {
      String.escapingEachByte(of: bytes.prefix(40))
    }

    /// Returns whether this is the metadata of a later chunk, which has all keys of the first chunk, or not its kind.
    func continues(_ first: Metadata) -> Bool { kind == nil || kind == first.kind && values == first.values }

    /// Creates a message with the metadata of its first chunk.
    func message(_ payload: ArraySlice<UInt8>) -> TerminalMessage {
      func value(_ key: Unicode.Scalar) -> Int { values[UInt8(ascii: key)] ?? 0 }
      var message = TerminalMessage(
        kind ?? .accept, operation: value("o"), x: value("x"), y: value("y"), upperX: value("X"), upperY: value("Y"),
        payload: Array(payload))
      (message.hasMore, message.client) = (hasMore, value("i"))
      return message
    }
  }
}
