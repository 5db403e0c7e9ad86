// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import BenchmarkKit
import DragPipe
import FoundationEssentials

/// Messages that each coder writes or reads one after the other.
struct CodingWork<Value: Codable & Sendable>: Sendable {
  /// Returns the values; each is one message.
  let values: @Sendable () -> [Value]
  let handEncode: @Sendable ([Value]) -> () -> Void
  let handDecode: @Sendable ([Value]) -> () -> Void

  private var plistEncoder: PropertyListEncoder {
    let encoder = PropertyListEncoder()
    encoder.outputFormat = .binary
    return encoder
  }

  func encoding() throws -> LocalCase.Work {
    let values = values()
    let (cbor, json, plist) = (CBOREncoder(), JSONEncoder(), plistEncoder)
    let hand = handEncode(values)
    return LocalCase.Work(
      rounds: [
        { for value in values { keep(try cbor.encode(value)) } },
        { for value in values { keep(try json.encode(value)) } },
        { for value in values { keep(try plist.encode(value)) } },
        { hand() },
      ],
      figures: {
        let length = try values.reduce(0) { try max($0, cbor.encode($1).count) }
        let use = try await HeapUse.of { for value in values { keep(try cbor.encode(value)) } }
        return try Self.memory("output", use, of: length, goal: 2)
      })
  }

  func decoding() throws -> LocalCase.Work {
    let values = values()
    let encoder = plistEncoder
    let cbor = try values.map { try CBOREncoder().encode($0) }
    let json = try values.map { try JSONEncoder().encode($0) }
    let plist = try values.map { try encoder.encode($0) }
    let decoders = (CBORDecoder(), JSONDecoder(), PropertyListDecoder())
    let hand = handDecode(values)
    return LocalCase.Work(
      rounds: [
        { for bytes in cbor { keep(try decoders.0.decode(Value.self, from: bytes)) } },
        { for bytes in json { keep(try decoders.1.decode(Value.self, from: bytes)) } },
        { for bytes in plist { keep(try decoders.2.decode(Value.self, from: bytes)) } },
        { hand() },
      ],
      figures: {
        let use = try await HeapUse.of { try cbor.map { try decoders.0.decode(Value.self, from: $0) } }
        return try Self.memory("values", use, of: use?.kept ?? 0, goal: 1.2)
      })
  }

  /// Returns the memory figure, if the content is at least 1 MiB long and thus hides the coder's own memory.
  ///
  /// - Throws: `MeasurementFailure` if the measured maximum is less than `length`.
  private static func memory(_ content: String, _ use: HeapUse?, of length: Int, goal: Double) throws -> [Figure] {
    guard let use, length >= 1 << 20 else { return [] }
    guard use.peak >= length else {
      throw MeasurementFailure("a peak of \(use.peak) bytes cannot hold \(length)")
    }
    return [
      Figure(
        "peak memory, times the length of the \(content)", Double(use.peak) / Double(length), unit: "x", goal: goal)
    ]
  }
}

extension CodingWork {
  /// Creates the work for numbers in one array.
  ///
  /// By hand, the array's memory is written.
  init<Number: BitwiseCopyable>(memoryOf numbers: @escaping @Sendable () -> [Number]) where Value == [Number] {
    self.init(
      values: { [numbers()] },
      handEncode: { values in
        {
          var writer = HandWriter(reserving: values[0].count * MemoryLayout<Number>.stride + 8)
          writer.write(memoryOf: values[0])
          keep(writer.bytes)
        }
      },
      handDecode: { values in
        var writer = HandWriter()
        writer.write(memoryOf: values[0])
        let bytes = writer.bytes
        return {
          bytes.withUnsafeBytes { bytes in
            var reader = HandReader(bytes)
            keep(reader.memory(of: Number.self))
          }
        }
      })
  }
}

/// Functions that write and read messages by hand.
enum HandWork {
  static func encode<Value: HandCodable>(_ messages: [[Value]]) -> () -> Void {
    {
      for message in messages {
        var writer = HandWriter()
        writer.write(message)
        keep(writer.bytes)
      }
    }
  }

  static func decode<Value: HandCodable>(_ messages: [[Value]]) -> () -> Void {
    let encoded = messages.map { message in
      var writer = HandWriter()
      writer.write(message)
      return writer.bytes
    }
    return {
      for message in encoded {
        message.withUnsafeBytes { bytes in
          var reader = HandReader(bytes)
          let values: [Value] = reader.values()
          keep(values)
        }
      }
    }
  }
}
