// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import TestSupport
internal import Testing

@testable internal import HeroCards

@Suite("JSONElementScanner at its limits", .serialized, .limited)
struct JSONElementScannerLimitTests {
  private func scan(_ text: String, limits: HeroCardLimits = HeroCardLimits()) -> Scan {
    .reading([Data(text.utf8)], with: FoundReader(limits: limits))
  }

  @Test("an element may be as long as the limit, and not one byte longer, however it is cut")
  func elementLimit() {
    let limits = HeroCardLimits(elementBytes: 12)
    for (element, place) in [(#"{"a":"1234"}"#, "[1]"), (#"[ 1, 2, 3 ]"#, "[1]"), ("123456789012", "[1]")] {
      let exact = Data("[0,\(element),5]".utf8)
      let longer = Data("[0,\(element.replacing("1", with: "111")),5]".utf8)
      for size in 1...20 {
        func chunks(_ bytes: Data) -> [Data] {
          stride(from: 0, to: bytes.count, by: size).map { bytes[$0..<min($0 + size, bytes.count)] }
        }
        let fits = Scan.reading(chunks(exact), with: FoundReader(limits: limits))
        #expect(fits.items.map(\.text) == ["0", element, "5"])
        let error = Scan.reading(chunks(longer), with: FoundReader(limits: limits)).error
        #expect(error?.code == .limitExceeded)
        #expect(error?.path == place)
        #expect(error?.byteOffset == 3)
        #expect(error?.description == "[1]: longer than 12 bytes (element at byte 3)")
      }
    }
  }

  @Test("one byte more than the limit is too much for any kind of element")
  func oneTooMany() {
    let limits = HeroCardLimits(elementBytes: 8)
    for element in [#"{"a":12}"#, "12345678", #""123456""#, "[[],1,2]"] {
      #expect(scan("[\(element)]", limits: limits).items.count == 1)
      let longer = element.replacing("1", with: "11")
      #expect(scan("[\(longer)]", limits: limits).error?.code == .limitExceeded)
    }
    #expect(scan(#"{"a":12}"#, limits: limits).items.count == 1)
    #expect(scan(#"{"a":123}"#, limits: limits).error?.byteOffset == 0)
    #expect(scan(#"{"data":{"results":[1]}}"#, limits: HeroCardLimits(elementBytes: 20)).items.count == 1)
    #expect(scan(#"{"data":{"results":[1]}}"#, limits: HeroCardLimits(elementBytes: 19)).error?.byteOffset == 0)
    #expect(scan(#"{"data":{"results":[1]}}"#, limits: limits).error?.path == "")
  }

  @Test("what follows the elements of an envelope may be of any length")
  func longRest() {
    let long = String(repeating: "x", count: 1000)
    let text = #"{"data":{"results":[1],"a":"\#(long)"},"b":["\#(long)"]}"#
    #expect(scan(text, limits: HeroCardLimits(elementBytes: 30)).items.count == 1)
  }

  @Test("nesting counts from the outermost value, to the limit and not one deeper")
  func depthLimit() {
    func nested(_ depth: Int) -> String {
      String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }
    #expect(scan(nested(512)).error == nil)
    let error = scan(nested(513)).error
    #expect(error?.code == .limitExceeded)
    #expect(error?.byteOffset == 512)
    #expect(scan(nested(4), limits: HeroCardLimits(depth: 4)).error == nil)
    #expect(scan(nested(5), limits: HeroCardLimits(depth: 4)).error?.path == "[0][0][0]")
    #expect(scan(nested(600), limits: HeroCardLimits(depth: 10_000)).error?.byteOffset == 512)
  }

  @Test("memory stays flat over two hundred thousand elements")
  func flatMemory() throws {
    var reader = FoundReader()
    var count = 0
    var most = 0
    let chunk = Data(String(repeating: #"{"content":"a card"},"#, count: 1000).utf8)
    reader.append(Data(#"{"data":{"results":["#.utf8))
    for _ in 0..<200 {
      var rest = chunk
      while !rest.isEmpty {
        reader.append(rest.prefix(4099))
        rest = rest.dropFirst(4099)
        while try reader.scanner.next() != nil { count += 1 }
        most = max(most, reader.scanner.retainedByteCount)
      }
    }
    reader.append(Data("{}]}}".utf8))
    reader.finish()
    while try reader.scanner.next() != nil { count += 1 }
    #expect(count == 200_001)
    #expect(most < 64)
  }

  @Test("an object that goes on for ever is given up at the limit")
  func endless() throws {
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
    #expect(error.code == .limitExceeded)
    #expect(reader.scanner.retainedByteCount == 0)
  }
}
