// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import TestSupport
internal import Testing

@testable internal import HeroCards

@Suite(.serialized, .limited, .timeLimit(minutes: 5))
struct JSONElementScannerTests {
  private func scan(_ text: String, limits: HeroCardLimits = HeroCardLimits()) -> Scan {
    scan(Data(text.utf8), limits: limits)
  }

  private func scan(_ text: Data, limits: HeroCardLimits = HeroCardLimits()) -> Scan {
    .reading([text], with: FoundReader(limits: limits))
  }

  /// Checks that two chunks give the same as one, and returns it.
  private func expectSameInAnySplit(_ text: Data, sourceLocation: SourceLocation = #_sourceLocation) -> Scan {
    let whole = Scan.reading([text], with: FoundReader())
    for offset in 0...text.count where Scan.reading(text.split(at: offset), with: FoundReader()) != whole {
      Issue.record("\(text as NSData) differs if split at \(offset)", sourceLocation: sourceLocation)
    }
    return whole
  }

  /// Checks that the text has these elements, written as their path and their text, and no fault.
  private func expectElements(
    _ text: String, _ elements: [String], limits: HeroCardLimits = HeroCardLimits(),
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let found = scan(text, limits: limits)
    let isExpected = found.items.map { "\($0.path) \($0.text)" } == elements && found.error == nil
    #expect(isExpected, "\(text): \(found)", sourceLocation: sourceLocation)
  }

  @Test func returnsElementsWithOffsets() {
    #expect(
      scan(#" [ {"a":1} , "x", 5,[1 ,2],true,null] "#)
        == Scan(items: [
          Found(text: #"{"a":1}"#, path: "[0]", offset: 3), Found(text: #""x""#, path: "[1]", offset: 13),
          Found(text: "5", path: "[2]", offset: 18), Found(text: "[1 ,2]", path: "[3]", offset: 20),
          Found(text: "true", path: "[4]", offset: 27), Found(text: "null", path: "[5]", offset: 32),
        ]))
    let text = #"{"id":1,"data":{"x":[],"results":{}},"results":[1],"dat":{"results":[2]}}"#
    #expect(scan("\n" + text) == Scan(items: [Found(text: text, path: "", offset: 1)]))
  }

  @Test func returnsElementsOfEnvelope() {
    for text in [
      #"{"data":{"results":[{"a":1},2]}}"#,
      #"{"code":200,"etag":"{[","data":{"offset":0,"more":{"results":[9]},"results":[{"a":1},2],"count":2},"x":[[]]}"#,
      #"{"results":[9],"x":{"data":{"results":[9]}},"data":{"results":[{"a":1},2]}}"#,
      #"{"\u0064ata":{"r\u0065sults":[{"a":1},2],"data":{"results":[9]}},"results":[9]}"#,
      #"{"data":5,"data":{"results":{"results":[9]},"results":[{"a":1},2]}}"#,
      #"{"data":{"results":[{"a":1},2]},"copyright":"©","x":{"data":{"results":[9]}},"data":{}}"#,
    ] {
      expectElements(text, [#"data.results[0] {"a":1}"#, "data.results[1] 2"])
    }
  }

  @Test func returnsElementsBeforeEnvelopeIsComplete() throws {
    var reader = FoundReader()
    reader.append(Data(#"{"data":{"results":[{"a":1},"#.utf8))
    let texts = [try reader.next()?.text, try reader.next()?.text]
    #expect(texts == [#"{"a":1}"#, nil])
  }

  @Test func returnsElementsOfConcatenatedValues() {
    expectElements(
      "{\"a\":1}\n{\"a\":2}{\"data\":{\"results\":[3]}}[4,5]\r\n\n[]\t{}",
      [#" {"a":1}"#, #" {"a":2}"#, "data.results[0] 3", "[0] 4", "[1] 5", " {}"])
  }

  @Test func acceptsTextsWithoutElements() {
    for text in ["[]", " [ \n] ", #"{"data":{"results":[]}}"#, "[][]", "\u{FEFF}[]"] { #expect(scan(text) == Scan()) }
  }

  @Test func reportsFaults() {
    let rows: [(text: String, code: HeroCardError.Code, path: String, offset: Int64)] = [
      ("", .empty, "", 0), (" \n ", .empty, "", 3), ("\u{FEFF}", .empty, "", 3),
      ("5", .notHeroes, "", 0), (#" "x""#, .notHeroes, "", 1), ("null", .notHeroes, "", 3),
      ("not json", .malformed, "", 1), ("hello", .malformed, "", 0), ("{} 5", .notHeroes, "", 3),
      ("[1}", .malformed, "", 2), ("[1] ]", .malformed, "", 4), ("[{} {}]", .malformed, "", 4),
      ("[{},]", .malformed, "[1]", 4), ("[{},,{}]", .malformed, "[1]", 4), ("[{},{}},{}]", .malformed, "", 6),
      (#"[{"a":[1,{"b":x}]}]"#, .malformed, "[0].a[1].b", 14), (#"[{},{a:1}]"#, .malformed, "[1]", 5),
      (#"[{},{"a":1,}]"#, .malformed, "[1]", 11),
      (#"{"data":{"results":[{},{"n":[1,]}]}}"#, .malformed, "data.results[1].n[1]", 31),
      (#"{"data":{"x":[1,}}}"#, .malformed, "data.x[1]", 16), ("{},{}", .malformed, "", 2),
      (#"{"data":{"results":[]},"a b":[}}"#, .malformed, #"["a b"]"#, 30),
      (#"{"data":{"results":[],"c":x}}"#, .malformed, "data.c", 26),
      (#"{"data":{"results":[] 1}}"#, .malformed, "data", 22), (#"{"a":1 "b"}"#, .malformed, "", 7),
      (#"{"data":{"results":[1],"results":[2]}}"#, .malformed, "data.results", 33),
      (#"{"data":{"results":[]},"data":{"results":[2]}}"#, .malformed, "data.results", 41),
      ("[", .truncated, "", 1), ("[{}", .truncated, "", 3), ("[{},", .truncated, "[1]", 4),
      (#"[{},{"name":"#, .truncated, "[1].name", 12), (#"{"data":{"results":[{"#, .truncated, "data.results[0]", 21),
      (#"{"data":{"results":[]}"#, .truncated, "", 22), (#"{"data":{"results":[1],"count"#, .truncated, "data", 29),
      (#"{"a"#, .truncated, "", 3), ("[1", .truncated, "[0]", 2), ("[tr", .truncated, "[0]", 3),
      ("tru", .truncated, "", 3),
      ("[\"\\u00", .truncated, "[0]", 6), ("[\"é", .truncated, "[0]", 4), ("{}\n{", .truncated, "", 4),
    ]
    for row in rows {
      let error = scan(row.text).error
      let isExpected = error?.code == row.code && error?.path == row.path && error?.byteOffset == row.offset
      #expect(isExpected, "\(row.text): \(String(describing: error))")
    }
  }

  @Test func returnsElementsBeforeRepeatedFault() throws {
    var reader = FoundReader()
    reader.append(Data("[1,2,x,3]".utf8))
    let items = [try reader.next()?.text, try reader.next()?.text]
    #expect(items == ["1", "2"])
    for _ in 0..<3 {
      let error = #expect(throws: HeroCardError.self) { try reader.next() }
      #expect(error?.byteOffset == 5)
      reader.append(Data("[]".utf8))
    }
    #expect(reader.scanner.retainedByteCount == 0)
  }

  @Test func everySplitReturnsTheSame() {
    let texts = [
      "\u{FEFF}[{\"a\\\"]\":\"é🐌\\u00e9\\\\\"},-1.5e+3, [true,null],\"\"]\n{\"x\":[]}",
      #"{"code":1,"d\u0061ta":{"count":2,"results":[{"n":"]}"},"x"],"y":{"z":0}},"é":"\n"} [7]"#,
      #"[{"a":[1,{"b":x}]}]"#, #"[{"a":1},{"b":"#, "{} nul", "  ", "[12,34 56]", "\u{FEFF}", "[\"a\u{1}\"]",
    ]
    for text in texts {
      let whole = expectSameInAnySplit(Data(text.utf8))
      let bytes = Data(text.utf8).chunks(of: 1)
      #expect(Scan.reading(bytes, with: FoundReader()) == whole)
      // The reader may receive all bytes before the first element is requested.
      var reader = FoundReader()
      for byte in bytes { reader.append(byte) }
      #expect(Scan.reading([], with: reader) == whole)
    }
  }

  // MARK: Text

  /// Strings with invalid UTF-8 (RFC 3629), and the offset in the string at which the reader finds the fault.
  static let wrongTexts: [([UInt8], Int)] = [
    ([0x80], 0), ([0xE9], 1), ([0xC0, 0x80], 0), ([0xC1, 0xBF], 0), ([0xC3, 0x41], 1), ([0xE0, 0x9F, 0x80], 1),
    ([0xE2, 0x82, 0x22], 2), ([0xED, 0xA0, 0x80], 1), ([0xF0, 0x8F, 0x80, 0x80], 1), ([0xF4, 0x90, 0x80, 0x80], 1),
    ([0xF0, 0x9F, 0x90, 0xC3], 3), ([0xF5], 0), ([0xFF], 0),
  ]

  @Test(arguments: wrongTexts)
  func refusesInvalidUTF8EvenInSkippedStrings(wrong: [UInt8], offset: Int) throws {
    for (before, after) in [
      (#"{"data":{"x":""#, #"","results":[1]}}"#), (#"{"data":{"results":[1],"x":""#, #""}}"#),
      (#"{"data":{"results":[1],"x":[{""#, #"":1}]}}"#),
      (#"{"data":{"results":[1]},"padding before the text "#, #"":1}"#),
    ] {
      let text = Data(before.utf8) + wrong + Data(after.utf8)
      let error = expectSameInAnySplit(text).error
      #expect(error?.code == .invalidValue && error?.byteOffset == Int64(before.utf8.count + offset))
    }
    // A field that is not read.
    let before = #"[{"name":"A"},{"name":"B","other":""#
    let text = Data(before.utf8) + wrong + Data(#""}]"#.utf8)
    let error = try #require(throws: HeroCardError.self) { try HeroReader.heroes(from: text) }
    #expect(error.code == .invalidValue && error.path == "[1].other")
    #expect(error.byteOffset == Int64(before.utf8.count + offset))
  }

  @Test func namesInvalidByteAndItsOffset() throws {
    for (bytes, reason) in [
      ([0xFF], "byte 0xFF (at byte 10)"),
      ([0xE9, 0x20], "byte 0x20 does not continue the character that begins with byte 0xE9 (at byte 11)"),
      ([0xE2, 0x82, 0x22], #"'"' does not continue the character that begins with byte 0xE2 (at byte 12)"#),
    ] as [([UInt8], String)] {
      let error = scan(Data(#"[{"name":""#.utf8) + bytes + Data(#""}]"#.utf8)).error
      #expect(error?.description == "[0].name: invalid UTF-8 in a string: \(reason)")
    }
  }

  @Test func acceptsCharactersOfEveryLengthAtEveryAlignment() {
    for character in [
      "\u{7F}", "\u{80}", "\u{7FF}", "\u{800}", "\u{D7FF}", "\u{E000}", "\u{FFFF}", "\u{10000}", "\u{10FFFF}",
    ] {
      for length in 0..<10 {
        let string = String(repeating: "a", count: length) + character + "é" + character + "b"
        let text = Data(#"{"data":{"x":"\#(string)","results":["\#(string)"]},"\#(string)":"\#(string)"}"#.utf8)
        let found = expectSameInAnySplit(text)
        #expect(found.error == nil && found.items.map(\.text) == ["\"\(string)\""])
      }
    }
  }

  // MARK: Limits

  @Test func acceptsElementAtLimitAndRejectsLongerOne() {
    let limits = HeroCardLimits(elementBytes: 12)
    for element in [#"{"a":"1234"}"#, "[ 1, 2, 3 ]", "223456789012", #""1234567890""#, "[[],12345,6]"] {
      let exact = Data("[0,\(element),5]".utf8)
      let longer = Data("[0,\(element.replacing("1", with: element.utf8.count < 12 ? "111" : "11")),5]".utf8)
      for size in 1...20 {
        let fits = Scan.reading(exact.chunks(of: size), with: FoundReader(limits: limits))
        #expect(fits.items.map(\.text) == ["0", element, "5"])
        let error = Scan.reading(longer.chunks(of: size), with: FoundReader(limits: limits)).error
        #expect(error?.code == .limitExceeded)
        #expect(error?.description == "[1]: the element exceeds the limit of 12 bytes (element at byte 3)")
      }
    }
  }

  @Test func limitsObjectsAndTheStartOfEnvelopes() {
    let (object, envelope) = (#"{"a":12}"#, #"{"data":{"results":[1]}}"#)
    expectElements(object, [" \(object)"], limits: HeroCardLimits(elementBytes: 8))
    expectElements(envelope, ["data.results[0] 1"], limits: HeroCardLimits(elementBytes: 20))
    for (text, limit) in [(object, 7), (envelope, 19), (envelope, 8)] {
      let error = scan(text, limits: HeroCardLimits(elementBytes: limit)).error
      #expect(error?.code == .limitExceeded && error?.byteOffset == 0 && error?.path == "")
    }
    // The text after the elements may have any length.
    let long = String(repeating: "x", count: 1000)
    let text = #"{"data":{"results":[1],"a":"\#(long)"},"b":["\#(long)"]}"#
    expectElements(text, ["data.results[0] 1"], limits: HeroCardLimits(elementBytes: 30))
  }

  @Test func limitsDepthFromOutermostValue() {
    func nested(_ depth: Int) -> String {
      String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }
    for (limit, depth) in [(nil, 512), (4, 4), (10_000, 512)] as [(Int?, Int)] {
      let limits = limit.map { HeroCardLimits(depth: $0) } ?? HeroCardLimits()
      #expect(scan(nested(depth), limits: limits).error == nil)
      let error = scan(nested(depth + 1), limits: limits).error
      #expect(error?.code == .limitExceeded && error?.byteOffset == Int64(depth))
      if depth == 4 { #expect(error?.path == "[0][0][0]") }
    }
  }

  @Test func memoryIsBoundedForManyElements() throws {
    var reader = FoundReader()
    var count = 0
    var most = 0
    let cards = Data(String(repeating: #"{"content":"a card"},"#, count: 1000).utf8)
    reader.append(Data(#"{"data":{"results":["#.utf8))
    for _ in 0..<20 {
      for chunk in cards.chunks(of: 4099) {
        reader.append(chunk)
        while try reader.scanner.next() != nil { count += 1 }
        most = max(most, reader.scanner.retainedByteCount)
      }
    }
    reader.append(Data("{}]}}".utf8))
    reader.finish()
    while try reader.scanner.next() != nil { count += 1 }
    #expect(count == 20_001 && most < 64)
  }

  @Test func rejectsEndlessObjectAtLimit() throws {
    var reader = FoundReader(limits: HeroCardLimits(elementBytes: 100_000))
    reader.append(Data(#"{"a":""#.utf8))
    let chunk = Data(repeating: 0x61, count: 4096)
    let error = try #require(throws: HeroCardError.self) {
      for _ in 0..<1000 {
        reader.append(chunk)
        _ = try reader.next()
        #expect(reader.scanner.retainedByteCount <= 100_000 + 4096)
      }
    }
    #expect(error.code == .limitExceeded && reader.scanner.retainedByteCount == 0)
  }
}
