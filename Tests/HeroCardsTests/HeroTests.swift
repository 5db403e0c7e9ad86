// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import HeroCards
internal import TestSupport
internal import Testing

@Suite(.serialized, .limited, .timeLimit(.minutes(5)))
struct HeroTests {
  @Test func roundTrips() throws {
    for hero in [Fixture.fullHero, .empty, Hero(id: -1, name: ""), Hero(id: .max, name: "x", modified: "")] {
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
    #expect(try Fixture.decode(Hero.self, #"{"id":7}"#) == Hero(id: 7, name: ""))
    #expect(try Fixture.decode(Hero.self, #"{"name":"A"}"#) == Hero(id: 0, name: "A"))
    let sparse = try Fixture.decode(
      Hero.self, #"{"id":7,"thumbnail":{},"comics":{},"stories":{"items":[{}]},"urls":[{}]}"#)
    #expect(sparse == Hero(id: 7, name: "", stories: HeroReferences(items: [HeroReference()]), urls: [HeroLink()]))
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
    let hero = try Fixture.decode(Hero.self, json)
    #expect(hero.thumbnail.path == "p")
    #expect(hero.urls == [HeroLink(url: "u")])
    #expect(hero.series == HeroReferences(available: 1, items: [HeroReference(name: "n")]))
  }

  @Test(arguments: [
    (#"{"id":"7"}"#, "id"), (#"{"id":1,"name":5}"#, "name"), (#"{"id":1,"description":[]}"#, "description"),
    (#"{"id":1,"modified":1398781097}"#, "modified"), (#"{"id":1,"thumbnail":"x"}"#, "thumbnail"),
    (#"{"id":1,"thumbnail":{"extension":1}}"#, "thumbnail.extension"), (#"{"id":1,"comics":[]}"#, "comics"),
    (#"{"id":1,"comics":{"available":"3"}}"#, "comics.available"),
    (#"{"id":1,"events":{"items":{}}}"#, "events.items"),
    (#"{"id":1,"stories":{"items":[{},{"type":1}]}}"#, "stories.items[1].type"),
    (#"{"id":1,"urls":[null,{"url":false}]}"#, "urls[1].url"), (#"{"id":1,"urls":[5]}"#, "urls[0]"),
    (#"{"id":1,"image":[1]}"#, "image"), (#"{"id":1,"image":"*"}"#, "image"), (#"{"id":1.5}"#, "id"),
    (#"{"id":1e99}"#, "id"), ("[]", ""),
  ])
  func reportsPathOfValueOfWrongType(json: String, expected: String) throws {
    let error = try #require(throws: DecodingError.self) { try Fixture.decode(Hero.self, json) }
    #expect(path(of: error) == expected)
  }

  @Test(arguments: ["{}", #"{"id":null,"name":null}"#, #"{"content":"x"}"#, #"{"code":409,"status":"No"}"#])
  func rejectsObjectWithoutIDAndName(json: String) throws {
    let error = try #require(throws: DecodingError.self) { try Fixture.decode(Hero.self, json) }
    guard case .keyNotFound(let key, let context) = error else {
      Issue.record("expected keyNotFound, got \(error)")
      return
    }
    #expect(key.stringValue == "name")
    #expect(context.codingPath.isEmpty)
  }

  @Test func onlyEmptyHeroIsEmpty() {
    #expect(Hero.empty.isEmpty)
    #expect(Hero(id: 0, name: "").isEmpty)
    #expect(!Hero(id: 1, name: "").isEmpty)
    #expect(!Hero(id: 0, name: "", image: Data()).isEmpty)
  }

  @Test func imageHasURLIfBothPartsArePresent() {
    let url = HeroImage(path: "http://example.org/a/b", fileExtension: "png").url
    #expect(url?.absoluteString == "http://example.org/a/b.png")
    #expect(HeroImage(path: "http://example.org/a/b").url == nil)
    #expect(HeroImage(fileExtension: "png").url == nil)
  }

  @Test func keepsModifiedTextUnchanged() throws {
    for text in ["2014-04-29T14:18:17-0400", "-0001-11-30T00:00:00-0500", "yesterday", ""] {
      let hero = try Fixture.decode(Hero.self, Fixture.json(Hero(id: 1, name: "", modified: text)))
      #expect(hero.modified == text)
    }
    #expect(Hero(id: 1, name: "").modifiedDate == nil)
  }
}
