// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import TestSupport
internal import Testing

@testable internal import HeroCards

@Suite(.serialized, .limited, .timeLimit(.minutes(5)))
struct HeroReaderTests {
  private func heroes(_ text: String) throws -> [Hero] {
    try HeroReader.heroes(from: Data(text.utf8))
  }

  @Test func readsArrayEnvelopeObjectAndLines() throws {
    let one = try Fixture.json(Fixture.fullHero)
    let two = try Fixture.json(Fixture.hero(2))
    let both = [Fixture.fullHero, Fixture.hero(2)]
    #expect(try heroes("[\(one),\(two)]") == both)
    #expect(try heroes(#"{"code":200,"data":{"total":2,"results":[\#(one),\#(two)]}}"#) == both)
    #expect(try heroes(one) == [Fixture.fullHero])
    #expect(try heroes("\u{FEFF}\(one)\n\(two)\n") == both)
    #expect(try heroes("[]") == [])
  }

  @Test func everySplitReadsTheSameHeroes() throws {
    let bytes = Data(
      #"{"status":"Ok","data":{"results":[{"name":"A \"é\" 🐌","urls":[{"url":"u\/v"}]},{"id":2,"name":"]"}]}}"#.utf8)
    let whole = Outcome<Hero>.reading([bytes], with: HeroReader())
    #expect(whole.items.map(\.name) == ["A \"é\" 🐌", "]"])
    for offset in 0...bytes.count {
      #expect(Outcome.reading(bytes.split(at: offset), with: HeroReader()) == whole)
    }
  }

  @Test func randomChunksReadTheSameHeroes() throws {
    var generator = SeededGenerator.fresh("hero chunks")
    var writer = HeroWriter()
    for number in 0..<60 { try writer.append(number % 7 == 0 ? Fixture.fullHero : Fixture.hero(number)) }
    writer.finish()
    let bytes = writer.takeBytes()
    let whole = try HeroReader.heroes(from: bytes)
    #expect(whole.count == 60)
    for _ in 0..<5 {
      let chunks = bytes.randomChunks(upTo: Int.random(in: 20...3000, using: &generator), using: &generator)
      #expect(Outcome.reading(chunks, with: HeroReader()) == Outcome(items: whole))
    }
  }

  @Test(arguments: [
    (
      #"{"data":{"results":[{"id":1},{"id":2},{"id":3},{"id":4,"name":5}]}}"#,
      "data.results[3].name: expected a string, found a number (element at byte 47)"
    ),
    (#"[{"id":"7"}]"#, "[0].id: expected a number, found a string (element at byte 1)"),
    (
      #"{"id":1,"comics":{"available":true}}"#,
      "comics.available: expected a number, found true or false (element at byte 0)"
    ),
    (#"{"id":1,"urls":{}}"#, "urls: expected an array, found an object (element at byte 0)"),
    (#"{"id":1,"events":[]}"#, "events: expected an object, found an array (element at byte 0)"),
    (
      #"[{"id":1,"urls":[{},{"url":null},"x"]}]"#,
      "[0].urls[2]: expected an object, found a string (element at byte 1)"
    ),
    ("[null]", "[0]: expected an object, found null (element at byte 1)"),
    ("[[]]", "[0]: expected an object, found an array (element at byte 1)"),
    (#"[{"id":1},{"x":1}]"#, #"[1]: an object with neither "id" nor "name" is not a hero (element at byte 10)"#),
    (#"{"id":1.5}"#, "id: a number with a fraction, or out of range (element at byte 0)"),
    (
      #"[{"series":{"returned":1e99},"id":1}]"#,
      "[0].series.returned: a number with a fraction, or out of range (element at byte 1)"
    ),
    (#"{"name":"\ud800"}"#, "name: a string that is not Unicode text (element at byte 0)"),
    (#"{"id":1,"image":"*"}"#, "image: Encountered Data is not valid Base64. (element at byte 0)"),
    (#"{"id":1,"\ud800":1}"#, "a key that is not Unicode text (element at byte 0)"),
    ("5", "expected an object or an array, found a number (at byte 0)"),
    (#"[{"id":1}}"#, "expected ',' or ']', found '}' (at byte 9)"),
    (#"[{"name":"A"#, "[0].name: the text is truncated (at byte 11)"),
    ("", "the text contains no JSON value (at byte 0)"),
  ])
  func reportsErrors(text: String, description: String) throws {
    let error = try #require(throws: HeroCardError.self) { try heroes(text) }
    #expect(error.description == description)
  }

  @Test func reportsPathOfInvalidUTF8() throws {
    let text = Data(#"[{"name":"A"},{"name":"Caf"#.utf8) + [0xE9] + Data(#""}]"#.utf8)
    let error = try #require(throws: HeroCardError.self) { try HeroReader.heroes(from: text) }
    #expect(error.path == "[1].name")
    #expect(error.code == .invalidValue)
    #expect(error.byteOffset == 14)
  }

  @Test(arguments: [
    (
      #"{"code":409,"status":"Limit \"x\" too high"}"#,
      #"an error response with code 409: "Limit \"x\" too high" (element at byte 0)"#
    ),
    (
      #"{"code":"InvalidKey","message":"No\u001b[2J"}"#,
      #"an error response with code InvalidKey: "No\u{1B}[2J" (element at byte 0)"#
    ),
    (#"{"code":500}"#, "an error response with code 500 (element at byte 0)"),
    (#"{"code":401,"status":"No","data":null}"#, #"an error response with code 401: "No" (element at byte 0)"#),
    (
      #"{"code":401,"status":"No","data":{"results":null}}"#,
      #"an error response with code 401: "No" (element at byte 0)"#
    ),
  ])
  func reportsErrorResponses(text: String, description: String) throws {
    let error = try #require(throws: HeroCardError.self) { try heroes(text) }
    #expect(error.code == .notHeroes)
    #expect(error.description == description)
  }

  @Test func ignoresResponsesThatReportSuccess() throws {
    let error = try #require(throws: HeroCardError.self) { try heroes(#"{"code":200,"data":{"results":{}}}"#) }
    #expect(error.reason == #"an object with neither "id" nor "name" is not a hero"#)
  }

  @Test func continuesAfterFaultyHero() throws {
    var reader = HeroReader()
    reader.append(Data(#"[{"id":1},{"id":"x"},{"id":3}]"#.utf8))
    reader.finish()
    let first = try reader.next()
    let error = #expect(throws: HeroCardError.self) { try reader.next() }
    let third = try reader.next()
    let end = try reader.next()
    #expect(first?.id == 1)
    #expect(error?.path == "[1].id")
    #expect(third?.id == 3)
    #expect(end == nil)
  }

  @Test func decodesHeroesAtMaximumDepth() throws {
    let deep = String(repeating: "[", count: 511) + String(repeating: "]", count: 511)
    #expect(try heroes(#"{"id":1,"x":\#(deep)}"#).count == 1)
    let error = try #require(throws: HeroCardError.self) { try heroes(#"{"id":1,"x":[\#(deep)]}"#) }
    #expect(error.code == .limitExceeded)
  }

  @Test func truncatesLongInputInMessages() throws {
    let long = String(repeating: "x", count: 100_000)
    let error = try #require(throws: HeroCardError.self) { try heroes(#"{"code":1,"status":"\#(long)"}"#) }
    #expect(error.description.count < 300)
    let key = try #require(throws: HeroCardError.self) { try heroes(#"[{"\#(long)":[}]"#) }
    #expect(key.description.count < 300)
  }

  @Test func readsHeroesFromChunksOverTime() async throws {
    let bytes = Data(#"[{"id":1},{"id":2},{"id":3}]"#.utf8)
    for size in [1, 5, 100] {
      let chunks = AsyncStream { continuation in
        for start in stride(from: 0, to: bytes.count, by: size) {
          continuation.yield(bytes[start..<min(start + size, bytes.count)])
        }
        continuation.finish()
      }
      var ids: [Int] = []
      for try await hero in HeroReader.heroes(in: chunks) { ids.append(hero.id) }
      #expect(ids == [1, 2, 3])
    }
  }
}
