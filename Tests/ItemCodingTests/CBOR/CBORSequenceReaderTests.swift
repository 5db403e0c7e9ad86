// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import ItemCoding

@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct CBORSequenceReaderTests {
  private struct Racer: Codable, Equatable {
    var name: String
    var places: [Int]
  }

  private static let racers = (0..<20).map { Racer(name: "Atalanta \($0)", places: Array(0..<$0 * 20)) }

  private func all<Value>(_ pieces: [Data], _ reader: CBORSequenceReader<Value>) throws -> [Value] {
    var reader = reader
    var values: [Value] = []
    for piece in pieces {
      reader.append(piece)
      while let value = try reader.next() { values.append(value) }
    }
    reader.finish()
    while let value = try reader.next() { values.append(value) }
    return values
  }

  private func pieces(of data: Data, length: Int) -> [Data] {
    stride(from: 0, to: data.count, by: length).map { data.dropFirst($0).prefix(length) }
  }

  private func description(_ error: (any Error)?) -> String {
    guard case .dataCorrupted(let context)? = error as? DecodingError else { return "\(String(describing: error))" }
    return context.debugDescription
  }

  // MARK: Values

  @Test(arguments: [1, 2, 3, 7, 64, 1000, 1 << 20])
  func valuesRoundTripInAnyChunks(length: Int) throws {
    let bytes = try CBOREncoder().encode(sequence: Self.racers)
    #expect(try all(pieces(of: bytes, length: length), CBORSequenceReader<Racer>()) == Self.racers)
  }

  @Test func valueIsAvailableWithItsLastByte() throws {
    var reader = CBORSequenceReader<[Int]>()
    for byte in Data(hex: "821864") {
      reader.append(Data([byte]))
      #expect(try reader.next() == nil)
    }
    reader.append(Data([0x01, 0x80]))
    #expect(try reader.next() == [100, 1])
    #expect(try reader.next() == [])
    #expect(try reader.next() == nil)
    #expect(reader.retainedByteCount == 0)
  }

  @Test func sequencesAndChunksCanBeEmpty() throws {
    #expect(try all([], CBORSequenceReader<Int>()) == [])
    #expect(try all([Data(), Data([1]), Data(), Data([2])], CBORSequenceReader<Int>()) == [1, 2])
  }

  @Test func nullIsAValueOfAnOptionalType() throws {
    var reader = CBORSequenceReader<Int?>()
    reader.append(Data(hex: "01f602"))
    #expect(try reader.next() == .some(1))
    #expect(try reader.next() == .some(nil))
    #expect(try reader.next() == .some(2))
    #expect(try reader.next() == nil)
  }

  // MARK: Errors

  @Test func undecodableValueIsOneErrorAndTheNextFollows() throws {
    for length in [1, 100] {
      var reader = CBORSequenceReader<[Int]>()
      for piece in pieces(of: Data(hex: "8101820261618103"), length: length) { reader.append(piece) }
      reader.finish()
      #expect(try reader.next() == [1])
      let error = #expect(throws: DecodingError.self) { try reader.next() }
      guard case .typeMismatch(_, let context)? = error else {
        Issue.record("\(String(describing: error))")
        return
      }
      #expect(context.debugDescription.hasPrefix("at byte 4:"))
      #expect(context.codingPath.map(\.intValue) == [1])
      #expect(try reader.next() == [3])
      #expect(try reader.next() == nil)
    }
  }

  @Test func itemRefusedByTheDecoderDoesNotEndTheSequence() throws {
    var reader = CBORSequenceReader<String>()
    reader.append(Data(hex: "616161ff6162"))
    #expect(try reader.next() == "a")
    let error = #expect(throws: DecodingError.self) { try reader.next() }
    #expect(description(error).hasPrefix("at byte "))
    #expect(try reader.next() == "b")
  }

  @Test func malformedBytesEndTheSequence() throws {
    var reader = CBORSequenceReader<[Int]>()
    reader.append(Data(hex: "810182021c8103"))
    #expect(try reader.next() == [1])
    for _ in 0..<3 {
      let error = #expect(throws: DecodingError.self) { try reader.next() }
      #expect(description(error).hasPrefix("at byte 4: reserved initial byte"))
      reader.append(Data(hex: "8104"))
      #expect(reader.retainedByteCount == 0)
    }
    reader.finish()
    #expect(throws: DecodingError.self) { try reader.next() }
  }

  @Test func truncationIsAnErrorExceptBetweenItems() throws {
    let bytes = try CBOREncoder().encode(sequence: [[1000, 2], [], [300]])
    let ends = [0, 5, 6, bytes.count]
    for length in 0...bytes.count {
      var reader = CBORSequenceReader<[Int]>()
      reader.append(bytes.prefix(length))
      reader.finish()
      let whole = ends.filter { $0 <= length }
      for _ in whole.dropFirst() { #expect(try reader.next() != nil) }
      if ends.contains(length) {
        #expect(try reader.next() == nil)
        continue
      }
      for _ in 0..<2 {
        let error = #expect(throws: DecodingError.self) { try reader.next() }
        #expect(
          description(error)
            == "at byte \(length): the sequence ends within the item that begins at byte \(whole[whole.count - 1])")
      }
    }
  }

  // MARK: Limits

  @Test func refusesItemsOneByteLongerThanTheLimit() throws {
    let bytes = try CBOREncoder().encode(Data(count: 98))
    #expect(bytes.count == 100)
    let decoder = CBORDecoder()
    let sound = CBORSequenceReader<Data>(decoder: decoder, limits: CBORSequenceLimits(itemBytes: 100))
    #expect(try all([bytes, bytes], sound) == [Data(count: 98), Data(count: 98)])
    var reader = CBORSequenceReader<Data>(decoder: decoder, limits: CBORSequenceLimits(itemBytes: 99))
    // The header is enough to refuse the item.
    reader.append(bytes.prefix(2))
    let error = #expect(throws: DecodingError.self) { try reader.next() }
    #expect(description(error) == "at byte 0: an item longer than 99 bytes")
  }

  @Test func defaultLimitIs16MiB() throws {
    var reader = CBORSequenceReader<Data>()
    reader.append(Data(hex: "5a00fffffb"))
    #expect(try reader.next() == nil)
    reader = CBORSequenceReader()
    reader.append(Data(hex: "5a00fffffc"))
    #expect(throws: DecodingError.self) { try reader.next() }
    reader = CBORSequenceReader(limits: .unlimited)
    reader.append(Data(hex: "5b7000000000000000"))
    #expect(try reader.next() == nil)
  }

  @Test func depthLimitIsThatOfTheDecoder() {
    var decoder = CBORDecoder()
    decoder.limits.depth = 3
    var reader = CBORSequenceReader<Int>(decoder: decoder)
    reader.append(Data(hex: "81818181"))
    let error = #expect(throws: DecodingError.self) { try reader.next() }
    #expect(description(error).hasPrefix("at byte 3: more than 3 nested maps and arrays"))
  }

  @Test func retainsOneItemAndOneChunk() throws {
    let bytes = try CBOREncoder().encode(sequence: Self.racers)
    let largest = try Self.racers.map { try CBOREncoder().encode($0).count }.max() ?? 0
    var reader = CBORSequenceReader<Racer>()
    for piece in pieces(of: bytes, length: 100) {
      reader.append(piece)
      #expect(reader.retainedByteCount <= largest + 100)
      while try reader.next() != nil {}
    }
    #expect(reader.retainedByteCount == 0)
  }

  // MARK: Work

  @Test(.timeLimit(.minutes(10)))
  func largeItemInSmallChunksTakesLinearTime() throws {
    let numbers = [Int](repeating: 1000, count: 100_000)
    let bytes = try CBOREncoder().encode(numbers)
    #expect(try all(pieces(of: bytes, length: 1), CBORSequenceReader<[Int]>()) == [numbers])
    var reader = CBORSequenceReader<[Int]>()
    for piece in pieces(of: bytes, length: 1) { reader.append(piece) }
    #expect(try reader.next() == numbers)
  }

  @Test(.timeLimit(.minutes(10)))
  func manyItemsInOneChunkTakeLinearTime() throws {
    let bytes = Data(repeating: 7, count: 300_000)
    #expect(try all([bytes], CBORSequenceReader<Int>()).count == bytes.count)
  }
}
