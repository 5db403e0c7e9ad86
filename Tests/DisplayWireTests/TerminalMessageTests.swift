// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import DisplayWire

/// The sequences that a program sends.
///
/// A comment names the section of the specification, the file `docs/dnd-protocol.rst` of kitty.
@Suite(.limited, .timeLimit(minutes: 5)) struct TerminalEncoderTests {
  private let encoder = TerminalEncoder()

  private func text(_ bytes: [UInt8]) -> String {
    String(decoding: bytes, as: UTF8.self).replacing("\u{1B}]", with: "<").replacing("\u{1B}\\", with: ">")
  }

  // Section "Accepting drops".
  @Test func acceptsDropsOfListedTypes() {
    let message = TerminalMessage(.accept, payload: Array("text/plain text/uri-list".utf8))
    #expect(text(encoder.encode(message)) == "<72;t=a:m=0;text/plain text/uri-list>")
    #expect(text(encoder.encode(TerminalMessage(.stopAccepting))) == "<72;t=A>")
    #expect(text(encoder.encode(TerminalMessage(.data, operation: 1))) == "<72;t=r:o=1>")
  }

  // Section "Starting drags": data for the type with the index 0, and its end.
  @Test func omitsDefaultValues() {
    #expect(text(encoder.encode(TerminalMessage(.present), data: Array("Iris".utf8))) == "<72;t=p:m=0;SXJpcw==>")
    #expect(text(encoder.encode(TerminalMessage(.present), data: [])) == "<72;t=p>")
    #expect(text(encoder.encode(TerminalMessage(.start, x: -1))) == "<72;t=P:x=-1>")
  }

  // Section "The Drag and Drop protocol": payloads have at most 4096 bytes.
  @Test func splitsPayloadsAtTheLimit() {
    let whole = encoder.encode(TerminalMessage(.event, y: 1), data: [UInt8](repeating: 7, count: 3072))
    #expect(whole.count == 4096 + "<<72;t=e:y=1:m=0;>>".utf8.count)
    let split = text(encoder.encode(TerminalMessage(.event, y: 1), data: [UInt8](repeating: 7, count: 3073)))
    #expect(split.hasPrefix("<72;t=e:y=1:m=1;"))
    #expect(split.hasSuffix("><72;m=0;Bw==>"))
  }

  // Section "Multiplexers".
  @Test func addsClientToEachChunk() {
    let encoder = TerminalEncoder(client: 7)
    let split = text(encoder.encode(TerminalMessage(.event), data: [UInt8](repeating: 0, count: 3073)))
    #expect(split.hasPrefix("<72;t=e:i=7:m=1;"))
    #expect(split.hasSuffix("<72;i=7:m=0;AA==>"))
  }

  @Test func wrapsSequencesForTmux() {
    let encoder = TerminalEncoder(isInsideTmux: true)
    let bytes = encoder.encode(TerminalMessage(.query))
    #expect(String(decoding: bytes, as: UTF8.self) == "\u{1B}Ptmux;\u{1B}\u{1B}]72;t=q\u{1B}\u{1B}\\\u{1B}\\")
    #expect(encoder.attributesRequest == Array("\u{1B}Ptmux;\u{1B}\u{1B}[c\u{1B}\\".utf8))
  }

  @Test func leavesOutControlCharactersOfTexts() {
    let message = TerminalMessage(.accept, payload: Array("text/\u{1B}]52;c;\u{7}plain\u{7F}".utf8))
    #expect(text(encoder.encode(message)) == "<72;t=a:m=0;text/]52;c;plain>")
  }

  @Test func encodesClipboards() {
    #expect(text(encoder.clipboard(storing: Array("Iris".utf8))) == "<52;c;SXJpcw==>")
    #expect(text(encoder.clipboard(storing: [], isPrimary: true)) == "<52;p;!>")
    #expect(text(encoder.clipboardRequest()) == "<52;c;?>")
  }

  // Section "Machine id": the code was computed with Python's hmac.
  @Test func machineIdentityIsKeyedHash() {
    let identity = MachineIdentity.text(of: Array("0123456789abcdef0123456789abcdef".utf8))
    #expect(identity == "1:a81b6c3c9d37b0caa4a9c6b7de41059238bc101829db2975223b93d39d663b08")
  }

  @Test func machineWithoutIdentifierHasNoIdentity() throws {
    let directory = try TemporaryDirectory()
    #expect(MachineIdentity.load(path: directory.file("none").path) == MachineIdentity.unknown)
    #expect(MachineIdentity.load(path: directory.url.path) == MachineIdentity.unknown)
    let empty = try directory.write(.init("\n".utf8), to: "empty")
    #expect(MachineIdentity.load(path: empty.path) == MachineIdentity.unknown)
    let known = try directory.write(.init("abc \n".utf8), to: "known")
    #expect(MachineIdentity.load(path: known.path) == MachineIdentity.text(of: Array("abc".utf8)))
  }
}

@Suite(.limited, .timeLimit(minutes: 5)) struct TerminalBase64Tests {
  // RFC 4648, section 10.
  @Test(arguments: [
    ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
    ("foobar", "Zm9vYmFy"),
  ])
  func encodesAndDecodesExamples(plain: String, encoded: String) throws {
    #expect(TerminalBase64.encode(Array(plain.utf8)) == Array(encoded.utf8))
    // Padding is optional.
    for text in [encoded, encoded.filter { $0 != "=" }] {
      for length in 1...4 {
        var decoder = TerminalBase64.Decoder()
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
          bytes += try decoder.decode(Array(rest.prefix(length)))
          rest = rest.dropFirst(length)
        }
        #expect(bytes + (try decoder.finish()) == Array(plain.utf8))
      }
    }
  }

  @Test(arguments: ["=", "A", "A=", "AA=", "AAA==", "AA==A", "A A", "AA-_", "AAAA=", "AA\u{1B}", "AAAAA"])
  func rejectsOtherTexts(text: String) {
    var decoder = TerminalBase64.Decoder()
    #expect(throws: TerminalSyntaxError.self) {
      _ = try decoder.decode(Array(text.utf8))
      _ = try decoder.finish()
    }
  }
}
