// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import DisplayWire

/// The input from a terminal, which may be hostile.
///
/// A comment names the section of the specification, the file `docs/dnd-protocol.rst` of kitty.
@Suite(.limited, .timeLimit(minutes: 5)) struct TerminalInputParserTests {
  /// Returns the parts of an input, in which `<` and `>` stand for the start and the end of a command.
  private func parse(_ text: String) -> [TerminalInput] {
    var parser = TerminalInputParser()
    return parser.parse(bytes(text))
  }

  private func bytes(_ text: String) -> [UInt8] {
    Array(text.replacing("<", with: "\u{1B}]").replacing(">", with: "\u{1B}\\").utf8)
  }

  private func messages(_ text: String) -> [TerminalMessage] {
    parse(text).compactMap { if case .message(let message) = $0 { message } else { nil } }
  }

  private func keys(_ text: String) -> TerminalInput { .bytes(bytes(text)) }

  // Section "Accepting drops".
  @Test func parsesMoveWithTypes() {
    let message = messages("<72;t=m:x=3:y=4:X=30:Y=40:o=3;text/plain text/uri-list>")
    #expect(
      message == [
        TerminalMessage(
          .move, operation: 3, x: 3, y: 4, upperX: 30, upperY: 40, payload: Array("text/plain text/uri-list".utf8))
      ])
    #expect(messages("<72;t=m:x=-1:y=-1>") == [TerminalMessage(.move, x: -1, y: -1)])
  }

  // Section "The Drag and Drop protocol": only the first chunk has the metadata.
  @Test func laterChunksHaveTheMetadataOfTheFirst() {
    let chunks = messages("<72;t=r:x=2:m=1;AAAA><72;m=1;BBBB><72;x=9:m=0;CCCC><72;t=r:x=3>")
    #expect(chunks.map(\.x) == [2, 2, 2, 3])
    #expect(chunks.map(\.hasMore) == [true, true, false, false])
    #expect(chunks.map(\.isContinuation) == [false, true, true, false])
    #expect(chunks.map { String(decoding: $0.payload, as: UTF8.self) } == ["AAAA", "BBBB", "CCCC", ""])
  }

  // Section "The Drag and Drop protocol": a query may interrupt chunks.
  @Test func queryBetweenChunksIsNoChunk() {
    let chunks = messages("<72;t=r:x=2:m=1;AAAA><72;t=q:i=5><72;m=0;BBBB>")
    #expect(chunks.map(\.kind) == [.data, .query, .data])
    #expect(chunks.map(\.x) == [2, 0, 2])
    #expect(chunks[1].client == 5)
  }

  @Test func chunkMayRepeatAllMetadata() {
    let chunks = messages("<72;t=r:x=2:Y=5:m=1;AAAA><72;x=2:t=r:Y=5:m=0;BBBB>")
    #expect(chunks.map(\.isContinuation) == [false, true])
  }

  // Section "The Drag and Drop protocol": no other message arrives between chunks.
  @Test(arguments: ["t=M:x=1:y=1", "t=r:x=3:m=1", "t=r:x=2:y=1", "Q"]) func otherMessageEndsCutChunks(metadata: String)
  {
    let parts = parse("<72;t=r:x=2:m=1;AAAA><72;\(metadata);BBBB><72;t=r:x=2:m=1;CCCC>")
    guard parts.count > 2, case .malformed = parts[1], case .message(let last)? = parts.last else {
      Issue.record("\(parts)")
      return
    }
    #expect(!last.isContinuation)
    if case .message(let other) = parts[2] { #expect(!other.isContinuation) }
  }

  // Section "Accepting drops": a drag leaves the window.
  @Test func leavingIsNoChunkOfUnfinishedMove() {
    let parts = parse("<72;t=m:x=1:y=1:m=1;text/pla><72;t=m:x=-1:y=-1>")
    #expect(parts.last == .message(TerminalMessage(.move, x: -1, y: -1)))
    #expect(parts.count == 2)
  }

  @Test func keysArriveBetweenSequences() {
    #expect(
      parse("q<72;t=q>\u{3}\u{1B}[A<72;t=q>\u{1B}[1;2Bz") == [
        keys("q"), .message(TerminalMessage(.query)), keys("\u{3}\u{1B}[A"), .message(TerminalMessage(.query)),
        keys("\u{1B}[1;2Bz"),
      ])
  }

  @Test func commandEndsWithBellToo() {
    #expect(messages("\u{1B}]72;t=q\u{7}") == [TerminalMessage(.query)])
  }

  // Section "Detecting support for this protocol".
  @Test func attributesAreRecognized() {
    #expect(parse("\u{1B}[?62;4c") == [.attributes])
    #expect(parse("\u{1B}[0c") == [keys("\u{1B}[0c")])
  }

  @Test func clipboardIsDecoded() {
    #expect(parse("<52;c;SXJpcw==>") == [.clipboard(Array("Iris".utf8))])
    #expect(parse("<52;c;>") == [.clipboard([])])
  }

  @Test func otherCommandsAndStringsAreSkipped() {
    #expect(parse("a<11;rgb:00/00/00>\u{1B}P1+r\u{1B}\\\u{1B}_Gi=1\u{1B}\\b") == [keys("ab")])
  }

  @Test func eachSplitOfTheInputGivesTheSameParts() {
    let input = bytes("k<72;t=r:x=2:m=1;AAAA>\u{1B}[Aé<72;m=0;BB==>\u{1B}[?1c<52;c;QQ>\u{1B}Px>q")
    var parser = TerminalInputParser()
    let whole = parser.parse(input)
    for index in 1..<input.count {
      var parser = TerminalInputParser()
      let parts = parser.parse(Array(input[..<index])) + parser.parse(Array(input[index...]))
      #expect(Self.joined(parts) == Self.joined(whole))
    }
  }

  /// Joins the bytes of keys that follow each other.
  private static func joined(_ inputs: [TerminalInput]) -> [TerminalInput] {
    inputs.reduce(into: []) { result, input in
      if case .bytes(let new) = input, case .bytes(let former)? = result.last {
        result[result.count - 1] = .bytes(former + new)
      } else {
        result.append(input)
      }
    }
  }

  // MARK: Keys

  @Test(arguments: ["\u{1B}", "\u{1B}]", "\u{1B}P", "\u{1B}["])
  func pauseAfterStartOfSequenceMakesKey(text: String) {
    var parser = TerminalInputParser()
    #expect(parser.parse(Array(text.utf8)) == [])
    #expect(parser.isAmbiguous)
    #expect(parser.flush() == .bytes(Array(text.utf8)))
    #expect(!parser.isAmbiguous)
    #expect(parser.flush() == nil)
  }

  @Test func pauseInsideSequenceKeepsIt() {
    var parser = TerminalInputParser()
    _ = parser.parse(bytes("<72;t="))
    #expect(!parser.isAmbiguous)
    #expect(parser.flush() == nil)
    #expect(parser.parse(bytes("q>")) == [.message(TerminalMessage(.query))])
  }

  // MARK: Hostile terminals

  @Test(arguments: ["<72;t=r:x=1;AA\u{3}", "<72;t=r:x=1;AA\u{1B}[A"]) func interruptedMessageIsReported(text: String) {
    guard case .malformed? = parse(text).first else {
      Issue.record("lost")
      return
    }
  }

  @Test func lateEndOfSequenceIsNoKey() {
    var parser = TerminalInputParser()
    _ = parser.parse(bytes("<72;t=q\u{1B}"))
    #expect(parser.flush() == nil)
    #expect(parser.parse([UInt8(ascii: "\\")]) == [.message(TerminalMessage(.query))])
  }

  @Test func controlCharacterEndsEndlessSequence() {
    var parser = TerminalInputParser()
    _ = parser.parse(bytes("<72;t=r;"))
    for _ in 0..<100 { #expect(parser.parse([UInt8](repeating: 65, count: 10_000)) == []) }
    #expect(parser.parse([3]).last == keys("\u{3}"))
    #expect(parser.parse([UInt8(ascii: "q")]) == [keys("q")])
  }

  @Test func escapeKeyEndsEndlessSequence() {
    var parser = TerminalInputParser()
    _ = parser.parse(bytes("\u{1B}_") + [UInt8](repeating: 65, count: 10_000))
    _ = parser.parse([0x1B])
    #expect(parser.flush() == .bytes([0x1B]))
  }

  @Test func payloadAtTheLimitIsAccepted() {
    #expect(messages("<72;t=r;\(String(repeating: "A", count: 4096))>").first?.payload.count == 4096)
    guard case .malformed? = parse("<72;t=r;\(String(repeating: "A", count: 4097))>").first else {
      Issue.record("accepted")
      return
    }
  }

  @Test func metadataAtTheLimitIsAccepted() {
    let pairs = "t=q:" + String(repeating: "z=1:", count: 127)
    #expect(messages("<72;\(pairs)>") == [TerminalMessage(.query)])
    #expect(messages("<72;\(pairs)z=1>").isEmpty)
  }

  @Test(arguments: ["t=z", "t", "t=", "=", "x", "x=", "x=1a", "x=+1", "x=4294967296", "x=-2147483649", "x=1e9", "t=qq"])
  func malformedMetadataIsReported(metadata: String) {
    guard case .malformed(let error)? = parse("<72;\(metadata)>q").first else {
      Issue.record("accepted")
      return
    }
    #expect(!error.reason.isEmpty)
  }

  @Test func numbersOf32BitsAreAccepted() {
    let message = messages("<72;t=r:Y=4294967295:x=-2147483648:unknown=1:z=2>").first
    #expect(message?.upperY == 4_294_967_295)
    #expect(message?.x == -2_147_483_648)
  }

  @Test func malformedTextIsShownWithoutControls() {
    guard case .malformed(let error)? = parse("<72;t=\u{9B}31m>").first else {
      Issue.record("accepted")
      return
    }
    #expect(error.reason.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F })
  }

  @Test func clipboardAboveTheLimitIsReported() {
    var parser = TerminalInputParser(clipboardLimit: 300)
    let fitting = TerminalBase64.encode([UInt8](repeating: 1, count: 300))
    #expect(parser.parse(bytes("<52;c;") + fitting + bytes(">")).count == 1)
    let long = TerminalBase64.encode([UInt8](repeating: 1, count: 330))
    guard case .malformedClipboard? = parser.parse(bytes("<52;c;") + long + bytes(">")).first else {
      Issue.record("accepted")
      return
    }
  }

  @Test func clipboardMustBeBase64() {
    guard case .malformedClipboard? = parse("<52;c;%%%>").first, case .malformedClipboard? = parse("<52;c>").first
    else {
      Issue.record("accepted")
      return
    }
  }

  @Test func longControlSequencePassesAsKeys() {
    let text = "\u{1B}[" + String(repeating: "1", count: 100) + "m"
    let inputs = Self.joined(parse(text))
    #expect(inputs == [keys(text)])
  }

  // Section "Dropping from remote machines".
  @Test func errorReportsAreParsed() {
    let report = TerminalErrorReport(parsing: Array("EPERM:\u{1B}[31mred".utf8))
    #expect(report.errorNumber == 1)
    #expect(!report.isSuccess)
    #expect(report.description == #"EPERM:\u{1b}[31mred"#)
    #expect(TerminalErrorReport(parsing: Array("OK".utf8)).isSuccess)
    #expect(TerminalErrorReport(parsing: Array("EUNKNOWN".utf8)).errorNumber == nil)
    #expect(TerminalErrorReport.name(of: 2) == "ENOENT")
    #expect(TerminalErrorReport.name(of: 99_999) == "EUNKNOWN")
  }

  /// Random and mutated input: each input is parsed without a trap, with little memory, and Control-C arrives.
  @Test func parsesMutatedInputWithoutTrap() {
    var generator = SeededGenerator.announced("TerminalInputParserTests.mutated")
    let seed = bytes("k<72;t=r:x=2:m=1;AAAA>\u{1B}[A<72;m=0;BB==>\u{1B}[?1c<52;c;QQ>\u{1B}Px>q<72;t=M:o=3;a/b>")
    for _ in 0..<(isFullRun ? 200_000 : 2000) {
      var input = seed
      for _ in 0..<Int.random(in: 1...8, using: &generator) {
        let index = Int.random(in: 0..<input.count, using: &generator)
        switch Int.random(in: 0..<3, using: &generator) {
        case 0: input[index] = .random(in: 0...255, using: &generator)
        case 1: input.remove(at: index)
        default: input.insert(contentsOf: input[index...].prefix(9), at: index)
        }
      }
      var parser = TerminalInputParser()
      let inputs = parser.parse(input + [3])
      guard case .bytes(let last)? = inputs.last, last.last == 3 else {
        Issue.record("Control-C is lost in \(input)")
        return
      }
    }
  }
}
