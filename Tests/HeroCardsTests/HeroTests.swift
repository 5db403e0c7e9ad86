// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import TestSupport
internal import Testing

@testable internal import HeroCards

@Suite(.serialized, .limited, .timeLimit(minutes: 5))
struct HeroTests {
  @Test func roundTrips() throws {
    let times = ["2014-04-29T14:18:17-0400", "-0001-11-30T00:00:00-0500", "yesterday", ""]
    let heroes = [Fixture.fullHero, .empty, Hero(id: -1, name: ""), Hero(id: .max, name: "x")]
    for hero in heroes + times.map({ Hero(id: 1, name: "", modified: $0) }) {
      #expect(try Fixture.decode(Hero.self, Fixture.json(hero)) == hero)
    }
  }

  @Test func omitsAbsentOptionals() throws {
    let references = #"{"available":0,"collectionURI":"","items":[],"returned":0}"#
    #expect(
      try Fixture.json(Hero(id: 7, name: "A/B"))
        == #"{"comics":\#(references),"description":"","events":\#(references),"#
        + #""id":7,"name":"A/B","resourceURI":"","series":\#(references),"stories":\#(references),"#
        + #""thumbnail":{"extension":"","path":""},"urls":[]}"#)
    #expect(try Fixture.json(HeroReference(name: "n")) == #"{"name":"n","resourceURI":""}"#)
  }

  @Test func encodesImageAsBase64() throws {
    let hero = try Fixture.decode(Hero.self, #"{"id":1,"image":"AAEC/v8="}"#)
    #expect(hero.image == Data([0, 1, 2, 0xFE, 0xFF]))
    #expect(try Fixture.json(hero).contains(#""image":"AAEC/v8=""#))
  }

  @Test func decodesMissingKeysAsEmpty() throws {
    let sparse = Hero(id: 7, name: "", stories: HeroReferences(items: [HeroReference()]), urls: [HeroLink()])
    for (json, hero) in [
      (#"{"id":7}"#, Hero(id: 7, name: "")), (#"{"id":7,"title":null,"fullName":null}"#, Hero(id: 7, name: "")),
      (#"{"name":"A","title":5}"#, Hero(id: 0, name: "A")), (#"{"name":"A"}"#, Hero(id: 0, name: "A")),
      (#"{"id":7,"thumbnail":{},"comics":{},"stories":{"items":[{}]},"urls":[{}]}"#, sparse),
    ] {
      #expect(try Fixture.decode(Hero.self, json) == hero)
    }
  }

  @Test func decodesNullAsMissing() throws {
    let keys = [
      "name", "description", "modified", "thumbnail", "resourceURI", "comics", "series", "stories", "events", "urls",
      "image",
    ]
    let members = keys.map { "\"\($0)\":null" }.joined(separator: ",")
    #expect(try Fixture.decode(Hero.self, "{\"id\":7,\(members)}") == Hero(id: 7, name: ""))
    let inside = try Fixture.decode(
      Hero.self,
      #"""
      {"id":null,"name":"A","thumbnail":{"path":null,"extension":null},"urls":[null,{"type":null,"url":null}],
       "comics":{"available":null,"collectionURI":null,"returned":null,
                 "items":[null,{"resourceURI":null,"name":null,"type":null}]}}
      """#)
    let comics = HeroReferences(items: [HeroReference(), HeroReference()])
    #expect(inside == Hero(id: 0, name: "A", comics: comics, urls: [HeroLink(), HeroLink()]))
  }

  @Test func ignoresUnknownKeys() throws {
    let json = #"""
      {"id":7,"x":[{"y":1}],"thumbnail":{"path":"p","w":1},"urls":[{"url":"u","z":null}],
       "series":{"available":1,"more":{},"items":[{"name":"n","role":"r"}]}}
      """#
    let hero = Hero(
      id: 7, name: "", thumbnail: HeroImage(path: "p"),
      series: HeroReferences(available: 1, items: [HeroReference(name: "n")]), urls: [HeroLink(url: "u")])
    #expect(try Fixture.decode(Hero.self, json) == hero)
  }

  @Test func reportsPathOfInvalidHero() throws {
    try Fixture.expectErrors(
      Hero.self,
      [
        #"{"id":"7"}"#: "id", #"{"id":1,"name":5}"#: "name", #"{"id":1,"description":[]}"#: "description",
        #"{"id":1,"modified":1398781097}"#: "modified", #"{"id":1,"thumbnail":"x"}"#: "thumbnail",
        #"{"id":1,"thumbnail":{"extension":1}}"#: "thumbnail.extension", #"{"id":1,"comics":[]}"#: "comics",
        #"{"id":1,"comics":{"available":"3"}}"#: "comics.available",
        #"{"id":1,"events":{"items":{}}}"#: "events.items",
        #"{"id":1,"stories":{"items":[{},{"type":1}]}}"#: "stories.items[1].type",
        #"{"id":1,"urls":[null,{"url":false}]}"#: "urls[1].url", #"{"id":1,"urls":[5]}"#: "urls[0]",
        #"{"id":1,"image":[1]}"#: "image", #"{"id":1,"image":"*"}"#: "image", #"{"id":1.5}"#: "id",
        #"{"id":1e99}"#: "id", "[]": "",
      ])
    try Fixture.expectErrors(
      Hero.self,
      [
        "{}": "name", #"{"id":null,"name":null}"#: "name", #"{"content":"x"}"#: "name",
        #"{"code":409,"status":"No"}"#: "name", #"{"id":7,"title":"x"}"#: "name", #"{"id":7,"title":5}"#: "name",
        #"{"id":7,"title":{"rendered":"x"}}"#: "name", #"{"id":7,"fullName":[1.5]}"#: "name",
      ], isMissing: true)
  }

  @Test func onlyEmptyHeroIsEmpty() {
    let heroes = [.empty, Hero(id: 0, name: ""), Hero(id: 1, name: ""), Hero(id: 0, name: "", image: Data())]
    #expect(heroes.map(\.isEmpty) == [true, true, false, false])
  }

  @Test func imageHasURLIfBothPartsArePresent() {
    let path = "http://example.org/a/b"
    let images = [HeroImage(path: path, fileExtension: "png"), HeroImage(path: path), HeroImage(fileExtension: "png")]
    #expect(images.map(\.url?.absoluteString) == ["\(path).png", nil, nil])
  }

  // MARK: Timestamps

  private func seconds(_ text: String) -> Double? {
    Hero(id: 1, name: "", modified: text).modifiedDate?.timeIntervalSince1970
  }

  @Test func parsesDatesWithOffset() {
    let texts: KeyValuePairs = [
      "2014-04-29T14:18:17-0400": 1_398_795_497.0, "2014-04-29T18:18:17Z": 1_398_795_497,
      "2014-04-29T23:48:17+05:30": 1_398_795_497, "2014-04-29T23:48:17+0530": 1_398_795_497,
      "1969-12-31T19:00:00-0500": 0, "1970-01-01T00:00:00+0000": 0, "1969-12-31T23:59:59Z": -1,
      "2000-02-29T12:00:00Z": 951_825_600, "9999-12-31T23:59:59Z": 253_402_300_799,
      "0001-01-01T00:00:00Z": -62_135_596_800, "0000-01-01T00:00:00Z": -62_167_219_200,
    ]
    for (text, expected) in texts { #expect(seconds(text) == expected, "\(text)") }
  }

  @Test func rejectsAllOtherTexts() {
    for text in [
      "-0001-11-30T00:00:00-0500", "", "Z", "2014", "2014-04-29", "2014-04-29T14:18:17", "2014-04-29 14:18:17Z",
      "2014-04-29T14:18:17Z ", " 2014-04-29T14:18:17Z", "2014-04-29t14:18:17z", "2014-4-29T14:18:17Z",
      "2014-13-01T00:00:00Z", "2014-00-01T00:00:00Z", "2014-02-29T00:00:00Z", "1900-02-29T00:00:00Z",
      "2014-04-31T00:00:00Z", "2014-04-00T00:00:00Z", "2014-04-29T24:00:00Z", "2014-04-29T14:60:00Z",
      "2014-04-29T14:18:60Z", "2014-04-29T14:18:17-04", "2014-04-29T14:18:17-04000", "2014-04-29T14:18:17-0460",
      "2014-04-29T14:18:17+24:00", "2014-04-29T14:18:17+", "20140429T141817Z", "+2014-04-29T14:18:17Z",
      "２０１４-04-29T14:18:17Z", "2014-04-29T14:18:1é", "0x14-04-29T14:18:17Z", "2014-04-29T-1:18:17Z", "🐌🐌🐌🐌🐌🐌",
    ] {
      #expect(seconds(text) == nil, "\(text)")
    }
    #expect(Hero(id: 1, name: "").modifiedDate == nil)
  }

  @Test func parsesEveryDayOfFourCenturies() throws {
    var expected = try #require(seconds("1800-01-01T00:00:00Z"))
    for year in 1800..<2200 {
      for month in 1...12 {
        for day in 1...31 {
          let text = "\(year)-\(month < 10 ? "0" : "")\(month)-\(day < 10 ? "0" : "")\(day)T00:00:00Z"
          guard let found = seconds(text) else { continue }
          guard found == expected else {
            Issue.record("\(text) is \(found), not \(expected)")
            return
          }
          expected += 86_400
        }
      }
    }
    #expect(seconds("2200-01-01T00:00:00Z") == expected)
  }

  @Test func mutatedTimestampsDoNotTrap() {
    var generator = SeededGenerator.announced("mutated timestamps")
    let text = Array("2014-04-29T14:18:17-0400".unicodeScalars)
    for _ in 0..<2000 {
      var scalars = text
      for _ in 0..<Int.random(in: 1...3, using: &generator) {
        scalars[Int.random(in: scalars.indices, using: &generator)] =
          Unicode.Scalar(UInt32.random(in: 0...0x2FF, using: &generator)) ?? "x"
      }
      var mutated = ""
      mutated.unicodeScalars.append(contentsOf: scalars.prefix(Int.random(in: 0...24, using: &generator)))
      _ = seconds(mutated)
    }
  }
}
