// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import ItemTransfer
import TestSupport
import Testing

@testable import DropTransport

@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct StreamEndTests {
  @Test("a stream without items is complete; an input without bytes is empty")
  func streamWithoutItemsIsCompleteAndInputWithoutBytesIsEmpty() async throws {
    let nothing = StreamBuilder.stream { _ in }
    #expect(outcome(of: nothing) == [])
    #expect(try await pipeOutcome(of: nothing) == [])
    let error = try requireFailure(.empty, try await pipeOutcome(of: []))
    #expect(error.description == "the input is empty at byte 0")
    try requireFailure(.empty, try await outcome(from: .file("/dev/null")))
  }

  @Test("one byte or a second stream after the end is refused")
  func bytesAfterTheEndAreRefused() async throws {
    let stream = StreamBuilder.stream { $0.item() }
    for rest in [[0], [0x0A], stream, Array(repeating: 0, count: 300_000)] {
      try requireFailure(.trailingBytes, outcome(of: stream + rest))
      let error = try requireFailure(.trailingBytes, try await pipeOutcome(of: stream + rest))
      #expect(error.byteOffset == UInt64(stream.count))
    }
  }

  @Test("late bytes after the end are refused too")
  func lateBytesAfterTheEndAreRefused() async throws {
    let stream = StreamBuilder.stream { $0.item() }
    let pair = try DescriptorPair.pipe()
    try stream.withUnsafeBytes { try SystemCalls.writeAll(pair.write, $0) }
    let seen = Collector<String?>()
    let error = try await requireDropError(.trailingBytes) {
      try await DropStream.withReader(from: pair.reader) { reader in
        for try await item in reader {
          seen.add(item.suggestedName)
          try [1].withUnsafeBytes { try SystemCalls.writeAll(pair.write, $0) }
          try SystemCalls.close(pair.write)
        }
      }
    }
    #expect(error.byteOffset == UInt64(stream.count))
    #expect(seen.values.count == 1)
  }

  @Test("all items before a fault are read, and then the fault is thrown")
  func itemsBeforeAFaultAreReadAndThenTheFaultIsThrown() async throws {
    var builder = StreamBuilder()
    for number in 0..<3 { builder.item([UInt8(number)], name: "\(number)") }
    let whole = builder.bytes
    for (rest, code) in [
      ([], .truncated), ([1, 2, 3], .truncated), (Array(repeating: 7, count: 40), .damaged),
    ] as [([UInt8], DropStreamError.Code)] {
      let seen = Collector<String?>()
      try await requireDropError(code) {
        try await DropStream.withReader(from: .descriptor(try pipe(holding: whole + rest))) { reader in
          for try await item in reader { seen.add(item.suggestedName) }
        }
      }
      #expect(seen.values == ["0", "1", "2"])
    }
  }

  @Test("a reader repeats its error or its end")
  func readerRepeatsItsErrorOrItsEnd() async throws {
    try await DropStream.withReader(from: .descriptor(try pipe(holding: [1, 2, 3]))) { reader in
      for _ in 0..<3 {
        try await requireDropError(.notADropStream) {
          for try await _ in reader {}
        }
      }
    }
    let stream = StreamBuilder.stream { $0.item() }
    try await DropStream.withReader(from: .descriptor(try pipe(holding: stream))) { reader in
      var iterator = reader.makeAsyncIterator()
      #expect(try await iterator.next() != nil)
      for _ in 0..<3 { #expect(try await iterator.next() == nil) }
      for try await _ in reader { Issue.record("a second pass") }
    }
  }

  @Test("a second iterator continues where the first has stopped")
  func secondIteratorContinuesWhereTheFirstStopped() async throws {
    let bytes = StreamBuilder.stream { stream in for number in 0..<3 { stream.item(name: "\(number)") } }
    let pair = try DescriptorPair.pipe()
    try await DropStream.withReader(from: pair.reader) { reader in
      // Writes only the first bytes, so that the first iterator does not read a batch of items.
      try bytes[..<200].withUnsafeBytes { try SystemCalls.writeAll(pair.write, $0) }
      var first = reader.makeAsyncIterator()
      #expect(try await first.next()?.suggestedName == "0")
      try bytes[200...].withUnsafeBytes { try SystemCalls.writeAll(pair.write, $0) }
      try SystemCalls.close(pair.write)
      var names: [String?] = []
      for try await item in reader { names.append(item.suggestedName) }
      #expect(names == ["1", "2"])
    }
  }
}
