// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import DisplayWire

/// The bytes of messages, by the rules of the D-Bus specification.
@Suite(.limited, .timeLimit(minutes: 5)) struct BusMessageTests {
  private func decode(_ bytes: [UInt8]) throws -> BusMessage {
    #expect(try BusMessage.byteCount(prefix: Array(bytes.prefix(16))) == bytes.count)
    return try BusMessage(bytes)
  }

  private static func response(_ signature: String = "s", _ write: (inout BusBytes) -> Void) -> FakeBusMessage {
    var body = BusBytes()
    write(&body)
    return FakeBusMessage(responseTo: 3, signature: signature, body: body.bytes)
  }

  // MARK: Encoding

  @Test func callWithoutArgumentsHasItsBytes() {
    let call = BusCall("Ping", of: "a.b", at: "/c", in: "d.e")
    let expected = Data(
      hex: """
        6c 01 00 01 00000000 05000000 3c000000
        01 01 6f 00 02000000 2f63 00 0000000000
        02 01 73 00 03000000 612e62 00 00000000
        03 01 73 00 04000000 50696e67 00 000000
        06 01 73 00 03000000 642e65 00 00000000
        """)
    #expect(Data(call.encoded(serial: 5)).hex == expected.hex)
  }

  @Test func argumentsHaveTheirBytes() throws {
    let call = BusCall(
      "M", of: "a.b", at: "/c", in: "d.e",
      [.string("key"), .descriptors([8, 9]), .options([("on", true), ("off", false)])])
    let bytes = call.encoded(serial: 1)
    let body = Data(
      hex: """
        03000000 6b6579 00
        08000000 00000000 01000000
        20000000
        02000000 6f6e 00 01 62 00 0000 01000000
        03000000 6f6666 00 01 62 00 00 00000000
        """)
    #expect(Data(bytes.suffix(body.count)).hex == body.hex)
    #expect(call.descriptors == [8, 9])
    // The signature and the number of descriptors.
    let fields = Data(bytes).hex
    #expect(fields.contains("0801670008" + Data("saha{sv}".utf8).hex))
    #expect(fields.contains("0901750002000000"))
    #expect(try decode(bytes).descriptorCount == 2)
  }

  @Test func emptyOptionsHaveThePaddingOfTheirElements() {
    let bytes = BusCall("M", of: "a.b", at: "/c", in: "d.e", [.options([])]).encoded(serial: 1)
    #expect(Data(bytes.suffix(8)).hex == "0000000000000000")
    #expect(Data(bytes[4..<8]).hex == "08000000")
  }

  // MARK: Decoding

  @Test func bigEndianResponseHasAStringOfItsBytes() throws {
    let bytes = Data(
      hex: """
        42 02 00 01 0000000a 00000009 0000000f
        05 01 75 00 00000003 08 01 67 00 01 73 00 00
        00000005 4c61627973 00
        """)
    let message = try decode([UInt8](bytes))
    #expect((message.kind, message.responseSerial) == (.response, 3))
    #expect(try message.string() == "Labys")
  }

  @Test(arguments: [false, true]) func stringsAreDecoded(isBigEndian: Bool) throws {
    for texts in [[], ["/a"], ["/é", "", "/a b/c"]] {
      var body = BusBytes(isBigEndian: isBigEndian)
      body.strings(texts)
      var response = FakeBusMessage(responseTo: 3, signature: "as", body: body.bytes)
      response.isBigEndian = isBigEndian
      #expect(try decode(response.encoded).strings() == texts)
    }
  }

  @Test func errorIsShownWithItsReason() throws {
    var body = BusBytes()
    body.string("no\u{1B}[31m")
    let error = try decode(
      FakeBusMessage(responseTo: 3, error: "org.example.No", signature: "s", body: body.bytes).encoded
    ).error
    #expect(error.code == .requestFailed)
    #expect(error.description.hasSuffix(#"org.example.No: no\u{1b}[31m"#), "\(error)")
  }

  /// The value of each type is zero, after the padding of its alignment.
  @Test(arguments: [("s", 5), ("o", 5), ("g", 2), ("y", 1), ("t", 12), ("q", 2), ("b", 4)])
  func unknownFieldsAreIgnored(type: String, byteCount: Int) throws {
    let field = [200, 1] + Array(type.utf8) + [UInt8](repeating: 0, count: (4 + byteCount + 7) / 8 * 8 - 3)
    let message = Data(hex: "6c 02 00 01 00000000 07000000") + Data([UInt8(field.count + 8), 0, 0, 0])
    #expect(try decode([UInt8](message) + field + [5, 1, 0x75, 0, 3, 0, 0, 0]).responseSerial == 3)
  }

  @Test func messageOfAnUnknownKindHasNoKind() throws {
    var message = FakeBusMessage(responseTo: 3)
    message.kind = 200
    #expect(try decode(message.encoded).kind == nil)
  }

  // MARK: Violations

  /// A message that violates one rule, and words of the error.
  struct Fault: Sendable, CustomTestStringConvertible {
    let words: String
    let bytes: [UInt8]

    init(_ words: String, _ message: FakeBusMessage, _ change: (inout [UInt8]) -> Void = { _ in }) {
      var bytes = message.encoded
      change(&bytes)
      (self.words, self.bytes) = (words, bytes)
    }

    init(_ words: String, texts: [(UInt8, String, String)], numbers: [(UInt8, UInt32)] = [], kind: UInt8 = 2) {
      var message = FakeBusMessage(responseTo: 3)
      message.kind = kind
      (message.texts, message.numbers) = (texts.map { ($0.0, $0.1, $0.2) }, numbers.map { ($0.0, $0.1) })
      self.init(words, message)
    }

    var testDescription: String { "\(words), \(bytes.count) bytes" }
  }

  static let plain = FakeBusMessage(responseTo: 3)

  @Test(arguments: [
    Fault("byte order", plain) { $0[0] = UInt8(ascii: "x") },
    Fault("type 0", plain) { $0[1] = 0 },
    Fault("version 2", plain) { $0[3] = 2 },
    Fault("serial number 0", plain) { $0[8] = 0 },
    Fault("exceeds the limit", plain) { $0[6] = 0x10 },
    Fault("exceeds the limit", plain) { $0[4..<8] = [0xFF, 0xFF, 0xFF, 0xFF] },
    Fault("exceeds the limit", plain) { $0[12..<16] = [0xFF, 0xFF, 0xFF, 0xFF] },
    Fault("exceeds its array", plain) { $0[12] = 7 },
    Fault("header field 0", texts: [(0, "s", "x")], numbers: [(5, 3)]),
    Fault("header field 5", texts: [], numbers: [(5, 3), (5, 3)]),
    Fault("wrong type", texts: [(5, "s", "x")]),
    Fault("wrong type", texts: [(8, "s", "s")], numbers: [(5, 3)]),
    Fault("of the type as", texts: [(50, "as", "")], numbers: [(5, 3)]),
    Fault("of the type ", texts: [(50, "", "")], numbers: [(5, 3)]),
    Fault("missing", texts: []),
    Fault("missing", texts: [], numbers: [(5, 0)]),
    Fault("missing", texts: [], numbers: [(5, 3)], kind: 3),
    Fault("missing", texts: [(1, "o", "/a"), (3, "s", "M")], kind: 4),
    Fault("missing", texts: [(3, "s", "M")], kind: 1),
    Fault("no NUL", plain) { $0[19] = 1 },
    Fault("no signature", FakeBusMessage(responseTo: 3, body: [1])),
    // The first field has seven bytes.
    Fault("padding", FakeBusMessage(responseTo: 3, signature: "s")) { $0[23] = 1 },
  ])
  func rejectsInvalidHeaders(fault: Fault) async throws {
    let error = try await failure {
      _ = try BusMessage.byteCount(prefix: Array(fault.bytes.prefix(16)))
      return try BusMessage(fault.bytes)
    }
    #expect(error.code == .protocolViolation && error.text.contains(fault.words), "\(error)")
  }

  @Test(arguments: [
    Fault("instead of s", response("as") { $0.strings(["a"]) }),
    Fault("instead of s", plain),
    Fault("1 bytes after", response { $0.string("a", then: [0]) }),
    Fault("remain", response { $0.number(9) }),
    Fault("remain", response { $0.number(.max) }),
    Fault("no NUL after", response { $0.number(1, then: [0x61, 0x62]) }),
    Fault("contains a NUL", response { $0.number(2, then: [0x61, 0, 0]) }),
    Fault("not UTF-8", response { $0.number(1, then: [0xFF, 0]) }),
    Fault("not UTF-8", response { $0.number(3, then: [0xED, 0xA0, 0x80, 0]) }),
  ])
  func rejectsInvalidStrings(fault: Fault) async throws {
    let error = try await failure { try decode(fault.bytes).string() }
    #expect(error.code == .protocolViolation && error.text.contains(fault.words), "\(error)")
  }

  @Test(arguments: [
    Fault("instead of as", response { $0.string("a") }),
    Fault("remain", response("as") { $0.number(1) }),
    Fault("remain", response("as") { $0.number(.max) }),
    Fault("exceeds its array by 2", response("as") { $0.number(4, then: [1, 0, 0, 0, 0x61, 0]) }),
    Fault("padding", response("as") { $0.number(14, then: [1, 0, 0, 0, 0x61, 0, 1, 0, 1, 0, 0, 0, 0x62, 0]) }),
    Fault("bytes after", response("as") { $0.number(0, then: [0]) }),
  ])
  func rejectsInvalidArrays(fault: Fault) async throws {
    let error = try await failure { try decode(fault.bytes).strings() }
    #expect(error.code == .protocolViolation && error.text.contains(fault.words), "\(error)")
  }

  /// Random and mutated messages cause no trap, and no error of another kind.
  @Test func decodesMessagesWithoutTrap() throws {
    var generator = SeededGenerator.announced("BusMessageTests")
    var body = BusBytes()
    body.strings(["/a", "/é"])
    let seeds = [
      FakeBusMessage(responseTo: 3, signature: "as", body: body.bytes).encoded,
      FakeBusMessage(signal: "TransferClosed", of: "org.example", "17").encoded,
      Self.response { $0.string("key") }.encoded,
    ]
    for _ in 0..<(isFullRun ? 200_000 : 5000) {
      var bytes = seeds.randomElement(using: &generator) ?? []
      for _ in 0..<Int.random(in: 1...4, using: &generator) {
        let index = Int.random(in: 0..<bytes.count, using: &generator)
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: bytes[index] = .random(in: 0...255, using: &generator)
        case 1: bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
        case 2: bytes.removeSubrange(max(index, 16)...)
        default: bytes.insert(contentsOf: bytes[index...].prefix(8), at: index)
        }
      }
      do throws(DisplayError) {
        let count = try BusMessage.byteCount(prefix: Array(bytes.prefix(16)))
        guard bytes.count >= count else { continue }
        let message = try BusMessage(Array(bytes.prefix(count)))
        _ = message.error
        _ = try message.string()
        _ = try message.strings()
      } catch {
        if error.code != .protocolViolation { Issue.record(error) }
      }
    }
  }
}
