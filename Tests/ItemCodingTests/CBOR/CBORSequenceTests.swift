// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import TestSupport
import Testing

@testable import ItemCoding

@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct CBORSequenceReaderTests {
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

  /// Checks the complete description of the error for the next value, or only its start.
  private func expectError<Value>(
    _ reader: inout CBORSequenceReader<Value>, _ description: String, isStart: Bool = false,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let error = #expect(throws: DecodingError.self, sourceLocation: sourceLocation) { try reader.next() }
    let isExpected = isStart ? error?.text.hasPrefix(description) == true : error?.text == description
    #expect(isExpected, "\(String(describing: error))", sourceLocation: sourceLocation)
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
    let values = [try reader.next(), try reader.next(), try reader.next()]
    #expect(values == [[100, 1], [], nil] && reader.retainedByteCount == 0)
  }

  @Test func sequencesAndChunksAndValuesCanBeEmpty() throws {
    #expect(try all([], CBORSequenceReader<Int>()) == [])
    #expect(try all([Data(), Data([1]), Data(), Data([2])], CBORSequenceReader<Int>()) == [1, 2])
    #expect(try all([Data(hex: "01f602")], CBORSequenceReader<Int?>()) == [1, nil, 2])
  }

  // MARK: Errors

  @Test func undecodableValueIsOneErrorAndTheNextFollows() throws {
    for length in [1, 100] {
      var reader = CBORSequenceReader<[Int]>()
      for piece in pieces(of: Data(hex: "8101820261618103"), length: length) { reader.append(piece) }
      reader.finish()
      var values = [try reader.next()]
      let error = try #require(throws: DecodingError.self) { try reader.next() }
      values += [try reader.next(), try reader.next()]
      #expect(values == [[1], [3], nil] && Fault(error) == Fault("typeMismatch", "Index 1", 4))
    }
    var reader = CBORSequenceReader<String>()
    reader.append(Data(hex: "616161ff6162"))
    #expect(try reader.next() == "a")
    expectError(&reader, "at byte ", isStart: true)
    #expect(try reader.next() == "b")
  }

  @Test func malformedBytesEndTheSequence() throws {
    var reader = CBORSequenceReader<[Int]>()
    reader.append(Data(hex: "810182021c8103"))
    #expect(try reader.next() == [1])
    for _ in 0..<3 {
      expectError(&reader, "at byte 4: reserved initial byte", isStart: true)
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
      let complete = ends.filter { $0 <= length }
      for _ in complete.dropFirst() { #expect(try reader.next() != nil) }
      let begin = complete[complete.count - 1]
      for _ in 0..<2 {
        if begin == length {
          #expect(try reader.next() == nil)
        } else {
          expectError(
            &reader, "at byte \(length): the sequence ends within the item that begins at byte \(begin)")
        }
      }
    }
  }

  // MARK: Limits

  @Test func refusesItemsOneByteLongerThanTheLimit() throws {
    let bytes = try CBOREncoder().encode(Data(count: 98))
    let sound = CBORSequenceReader<Data>(limits: CBORSequenceLimits(itemBytes: 100))
    #expect(try bytes.count == 100 && all([bytes, bytes], sound) == [Data(count: 98), Data(count: 98)])
    var reader = CBORSequenceReader<Data>(limits: CBORSequenceLimits(itemBytes: 99))
    // The header is enough to refuse the item.
    reader.append(bytes.prefix(2))
    expectError(&reader, "at byte 0: an item longer than 99 bytes")
    // The default limit is 16 MiB.
    reader = CBORSequenceReader<Data>()
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
    expectError(&reader, "at byte 3: more than 3 nested maps and arrays", isStart: true)
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

  @Test func readsLargeItemsInSmallChunksAndManyItemsInOneChunk() throws {
    let numbers = [Int](repeating: 1000, count: 20_000)
    let bytes = pieces(of: try CBOREncoder().encode(numbers), length: 1)
    #expect(try all(bytes, CBORSequenceReader<[Int]>()) == [numbers])
    var reader = CBORSequenceReader<[Int]>()
    for piece in bytes { reader.append(piece) }
    #expect(try reader.next() == numbers)
    #expect(try all([Data(repeating: 7, count: 100_000)], CBORSequenceReader<Int>()).count == 100_000)
  }

  // MARK: Values from chunks over time

  private struct Interruption: Error {}

  private func values<Value: Decodable>(
    of type: Value.Type, in chunks: String..., error: (any Error)? = nil
  ) -> some AsyncSequence<Value, any Error> {
    let stream = AsyncThrowingStream { continuation in
      for chunk in chunks { continuation.yield(Data(hex: chunk)) }
      continuation.finish(throwing: error)
    }
    return CBORSequenceReader<Value>.values(in: stream)
  }

  @Test func valuesEndWithTheChunksOrTheFirstError() async throws {
    var numbers: [Int] = []
    for try await number in values(of: Int.self, in: "01", "0219", "012c", "") { numbers.append(number) }
    #expect(numbers == [1, 2, 300])
    for hex in ["01616102", "011c02", "0119"] {
      var iterator = values(of: Int.self, in: String(hex.prefix(2)), String(hex.dropFirst(2))).makeAsyncIterator()
      var found = [try await iterator.next(isolation: nil)]
      await #expect(throws: DecodingError.self) { try await iterator.next(isolation: nil) }
      found.append(try await iterator.next(isolation: nil))
      #expect(found == [1, nil])
    }
    var iterator = values(of: Int.self, in: "0119", error: Interruption()).makeAsyncIterator()
    #expect(try await iterator.next(isolation: nil) == 1)
    await #expect(throws: Interruption.self) { try await iterator.next(isolation: nil) }
  }

  @Test func cancelledTaskGetsACancellationError() async throws {
    let (stream, continuation) = AsyncStream.makeStream(of: Data.self)
    let began = Gate()
    let task = Task {
      for try await number in CBORSequenceReader<Int>.values(in: stream) where number == 1 { began.open() }
    }
    continuation.yield(Data([1]))
    await began.wait()
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    // A task that was cancelled before reads nothing.
    let late = Task {
      while !Task.isCancelled { await Task.yield() }
      for try await _ in values(of: Int.self, in: "01") { Issue.record("read after the cancellation") }
    }
    late.cancel()
    await #expect(throws: CancellationError.self) { try await late.value }
  }
}

@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct CBORItemScannerTests {
  /// The result of a scan.
  private enum Outcome: Equatable {
    case items(ends: [Int], isInItem: Bool)
    case fault(offset: Int, text: String)
  }

  private func scan(
    _ pieces: [Data], maximumDepth: Int = 512, maximumLength: Int = .max
  ) -> Outcome {
    var scanner = CBORItemScanner(maximumDepth: maximumDepth, maximumLength: maximumLength)
    var ends: [Int] = []
    for piece in pieces {
      var position = 0
      while position < piece.count {
        let result = piece.withUnsafeBytes { bytes in
          Result { try scanner.advance(over: bytes, from: &position) }
        }
        switch result {
        case .success(true): ends.append(scanner.offset)
        case .success(false): break
        case .failure(let fault as CBORFault): return .fault(offset: fault.offset, text: fault.text)
        case .failure(let error): return .fault(offset: -1, text: "\(error)")
        }
      }
    }
    return .items(ends: ends, isInItem: scanner.isInItem)
  }

  @Test func findsTheEndsOfExamplesInAnyChunks() {
    for (hex, _) in RFC8949Examples.wellFormed {
      let data = Data(hex: hex)
      let whole = Outcome.items(ends: [data.count], isInItem: false)
      for cut in 0...data.count {
        #expect(scan([data.prefix(cut), data.dropFirst(cut)]) == whole)
        if (1..<data.count).contains(cut) { #expect(scan([data.prefix(cut)]) == .items(ends: [], isInItem: true)) }
      }
      #expect(scan(pieces(of: data, length: 1)) == whole)
      #expect(scan([data + data]) == .items(ends: [data.count, 2 * data.count], isInItem: false))
    }
  }

  @Test func refusesExamplesOfAppendixF() {
    for hex in RFC8949Examples.notWellFormed {
      let data = Data(hex: hex)
      let outcome = scan([data])
      if case .items(let ends, isInItem: false) = outcome { Issue.record("\(hex) ends at \(ends)") }
      #expect(scan(pieces(of: data, length: 1)) == outcome)
    }
  }

  @Test func randomBytesEndAtTheSameByteInAnyChunks() {
    var generator = SeededGenerator.announced("item ends")
    // Bytes that begin containers and tags are more frequent than in random data.
    let heads: [UInt8] = [0x81, 0x82, 0x9F, 0xA1, 0xBF, 0xC1, 0x5F, 0x7F, 0x41, 0x61, 0x00, 0xFF, 0x18, 0xF8, 0x58]
    for _ in 0..<(isFullRun ? 20_000 : 4000) {
      let data = Data(
        (0..<Int.random(in: 1...16, using: &generator)).map { _ in
          let isHead = Bool.random(using: &generator)
          return isHead ? heads.randomElement(using: &generator) ?? 0 : .random(in: 0...255, using: &generator)
        })
      let whole = scan([data])
      for length in [1, 2, 3] where scan(pieces(of: data, length: length)) != whole {
        Issue.record("\(data.hex) in pieces of \(length)")
      }
      // `CBORInput` must skip the same item.
      let skipped = Array(data).withUnsafeBufferPointer { buffer -> Int? in
        guard let base = buffer.baseAddress else { return nil }
        var offset = 0
        let input = CBORInput(base: base, count: buffer.count, acceptsLongArguments: true)
        return (try? input.skip(&offset, depth: 512)).map { _ in offset }
      }
      // `CBORInput` reads only the first item, so it does not find a fault after that item.
      if case .items(let ends, _) = whole, ends.first != skipped { Issue.record("\(data.hex) ends at \(ends)") }
      if case .fault(let offset, _) = whole, let skipped, skipped > offset { Issue.record("\(data.hex) has a fault") }
    }
  }

  @Test func refusesItemsOneByteLongerThanTheLimit() {
    for hex in ["4401020304", "7f63616263ff", "8401020304", "9f010203ff", "a201020304", "1a00010000", "d9d9f71864"] {
      // One byte precedes the item, so that offsets in the item and in the sequence differ.
      let data = Data([0]) + Data(hex: hex)
      let length = data.count - 1
      #expect(scan([data], maximumLength: length) == .items(ends: [1, data.count], isInItem: false))
      let refused = Outcome.fault(offset: 1, text: "an item longer than \(length - 1) bytes")
      #expect(scan([data], maximumLength: length - 1) == refused)
      #expect(scan(pieces(of: data, length: 1), maximumLength: length - 1) == refused)
    }
    // Announced lengths are enough.
    for hex in ["5a00010000", "7b7fffffffffffffff", "5bffffffffffffffff", "9a00010000", "bbffffffffffffffff"] {
      let refused = Outcome.fault(offset: 0, text: "an item longer than 65535 bytes")
      #expect(scan([Data(hex: hex)], maximumLength: 65_535) == refused)
    }
    // Some lengths are impossible without a limit.
    for hex in ["5bffffffffffffffff", "5b7fffffffffffffff", "9bffffffffffffffff", "bb8000000000000000"] {
      if case .items = scan([Data(hex: hex)]) { Issue.record("\(hex) is accepted") }
    }
  }

  @Test func refusesItemsOneLevelDeeperThanTheLimit() {
    for head in ["81", "9f", "a100", "bf00"] {
      func data(_ depth: Int) -> Data { Data(hex: String(repeating: head, count: depth)) }
      #expect(scan([data(3)], maximumDepth: 3) == .items(ends: [], isInItem: true))
      let refused = Outcome.fault(offset: 3 * head.count / 2, text: "more than 3 nested maps and arrays")
      #expect(scan([data(4)], maximumDepth: 3) == refused)
    }
  }

  @Test func tagsTakeNoMemory() {
    let tags = Data(repeating: 0xC1, count: 100_000)
    #expect(scan([tags + [0]], maximumDepth: 0) == .items(ends: [100_001], isInItem: false))
    #expect(scan([Data([0x9F]) + tags + [0xFF]]) == .fault(offset: 100_001, text: "a break in place of an item"))
  }
}
