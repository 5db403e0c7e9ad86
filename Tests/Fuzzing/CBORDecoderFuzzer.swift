// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation

// The entry point of libFuzzer, which .ci/fuzz builds and runs. For every input, the decoder must return a value or
// throw a `DecodingError`, and a decoded value must round-trip.

/// - Returns: 0, as libFuzzer requires.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafeRawPointer?, _ count: Int) -> CInt {
  let data = start.map { Data(bytes: $0, count: count) } ?? Data()
  var decoder = CBORDecoder()
  decoder.limits.depth = 64
  decoder.limits.visitsPerByte = 8
  for accepts in [false, true] {
    decoder.acceptsLongArguments = accepts
    check(FuzzedTree.self, data, decoder)
    check(FuzzedRecord.self, data, decoder)
    check([FuzzedRecord].self, data, decoder)
    check(FuzzedAlternatives.self, data, decoder)
    check([[Int: FuzzedTree?]?].self, data, decoder)
  }
  checkNumbers(data, decoder)
  readFreely(data, decoder)
  checkSkipping(data, decoder)
  return 0
}

private func checkNumbers(_ data: Data, _ decoder: CBORDecoder) {
  var decoder = decoder
  decoder.dateDecodingStrategy = .deferredToDate
  for type in [
    [Double].self, [Float].self, [UInt8].self, [Int64].self, [Int128].self, [UInt128].self, [String].self, [Data].self,
    [Date].self, [Decimal].self, [URL].self, [UUID].self, [String: Double].self, [FuzzedRecord.Kind: Decimal].self,
  ] as [any Codable.Type] {
    check(type, data, decoder)
  }
}

/// Decodes `data`.
///
/// If that succeeds, the value must be the same after encoding and decoding it again.
private func check<Value: Codable>(_ type: Value.Type, _ data: Data, _ decoder: CBORDecoder) {
  guard let value = decoded(type, data, decoder) else { return }
  var encoder = CBOREncoder()
  encoder.keyOrder = .deterministic
  do {
    let bytes = try encoder.encode(value)
    // Compares the encoded values, since some values, such as NaN, do not equal themselves.
    let again = try encoder.encode(try CBORDecoder().decode(type, from: bytes))
    guard bytes == again else { fatalError("\(type) became \(again as NSData) from \(bytes as NSData)") }
  } catch {
    fatalError("\(type) cannot be written and read again: \(error)")
  }
}

private func decoded<Value: Decodable>(_ type: Value.Type, _ data: Data, _ decoder: CBORDecoder) -> Value? {
  do {
    return try decoder.decode(type, from: data)
  } catch is DecodingError {
    return nil
  } catch {
    fatalError("\(type) is refused by no DecodingError: \(error)")
  }
}

private func readFreely(_ data: Data, _ decoder: CBORDecoder) {
  _ = decoded(FuzzedNesting.self, data, decoder)
  let later = decoded(FuzzedLater.self, data, decoder)
  let many = decoded([FuzzedLater].self, data, decoder)
  // Decodes another value in between.
  _ = decoded([String: FuzzedTree].self, data, decoder)
  later?.read()
  for each in many ?? [] { each.read() }
  later?.read()
}

/// Compares three readers.
///
/// All must agree whether the data is well-formed.
private func checkSkipping(_ data: Data, _ decoder: CBORDecoder) {
  let isSkipped = decoded(FuzzedSkip.self, data, decoder) != nil
  var notation = CBORDiagnosticNotation()
  notation.maximumDepth = decoder.limits.depth
  notation.showsEncodingIndicators = true
  do {
    _ = try notation.text(of: data)
    guard isSkipped else { fatalError("there is a notation for what cannot be skipped") }
  } catch is DecodingError {
    // A string that is not UTF-8 can be skipped, but cannot be shown.
  } catch {
    fatalError("no notation, and no DecodingError: \(error)")
  }
  let whole = try? decoder.decodeSequence(of: FuzzedSkip.self, from: data).count
  let parts = sequenceCount(data, decoder)
  guard whole == parts || parts == nil else { fatalError("a sequence of \(whole ?? -1) and \(parts ?? -1) items") }
}

/// Returns the number of items that a reader finds in `data` if it arrives in pieces, or `nil` if the reader rejects
/// it.
private func sequenceCount(_ data: Data, _ decoder: CBORDecoder) -> Int? {
  var reader = CBORSequenceReader<FuzzedSkip>(decoder: decoder)
  var rest = data[...]
  var count = 0
  do {
    while !rest.isEmpty {
      reader.append(Data(rest.prefix(7)))
      rest = rest.dropFirst(7)
      while try reader.next() != nil { count += 1 }
    }
    reader.finish()
    while try reader.next() != nil { count += 1 }
    return count
  } catch {
    return nil
  }
}
