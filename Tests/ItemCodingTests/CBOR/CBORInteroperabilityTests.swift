// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import ItemCoding
import TestSupport
import Testing

/// Exchange of items with Python's cbor2, which `.ci/run` installs.
@Suite(.serialized, .limited, .timeLimit(minutes: 10)) struct CBORInteroperabilityTests {
  private static let python = ProcessInfo.processInfo.environment["DRAGPIPE_CBOR2_PYTHON"]

  /// The same values as in Tests/Interoperability/cbor2_check.py.
  struct Edges: Codable, Equatable {
    struct Empty: Codable, Equatable {
      var list: [Int] = []
      var map: [String: Int] = [:]
      var nested: [AnyValue] = [.array([]), .array([.array([])]), .map([:])]
    }

    var integers: [Int128] =
      [3, 7, 8, 15, 16, 31, 32, 63, 64, 126].flatMap { (bits: Int128) -> [Int128] in
        [(1 << bits) - 1, 1 << bits, -(1 << bits), -(1 << bits) - 1]
      } + [0, 1, 23, 24, -1, -24, -25]
    var large: [UInt128] = [UInt128(UInt64.max), UInt128(UInt64.max) + 1, .max]
    var doubles = [
      0.0, -0.0, 1.5, 65504, 65505, 0x1p-24, 0x1p-25, 1.1, -4.1, 1e300, .leastNonzeroMagnitude, .infinity, -.infinity,
    ]
    var notANumber = Double?.some(.nan)
    var floats: [Float] = [3.25, .greatestFiniteMagnitude, .leastNonzeroMagnitude]
    var booleans = [true, false]
    var nothing = [nil, 1, nil]
    var bytes = [Data(), Data(0...255)]
    var texts = [
      "", "a", "Atalanta", "\u{645}\u{631}\u{62D}\u{628}\u{627}", "\u{65E5}\u{672C}\u{8A9E}",
      "\u{1F9B8}\u{200D}\u{2640}\u{FE0F}", "e\u{301}\u{E9}", "\0\n\"\\", String(repeating: "x", count: 70_000),
    ]
    var dates = [0, 1_363_896_240.5, -1, 253_402_214_400].map(Date.init(timeIntervalSince1970:))
    var uuid = UUID(uuidString: "01234567-89AB-CDEF-0123-456789ABCDEF")
    var decimals = [
      "0", "273.15", "-0.001", "1e20", "3402823669209384634633746074317682114.55",
      "-340282366920938463463374607431768211455",
    ].map { Decimal(string: $0) }
    var url = URL(string: "http://www.example.com/a?b#c")
    var empty = Empty()
    var numbered = [0: "zero", -1: "minus", 70_000: "many"]
    var many = Dictionary(uniqueKeysWithValues: (0..<300).map { ("key \($0)", $0) })
  }

  @Test(.enabled(if: python != nil, "DRAGPIPE_CBOR2_PYTHON names no Python with cbor2"))
  func exchangesItemsWithCBOR2() async throws {
    let root = URL(fileURLWithPath: #filePath).pathComponents.dropLast(4).joined(separator: "/").dropFirst()
    let sources = ["heroes", "board"].map { "\(root)/Samples/Data/\($0).json" }
    try await withTemporaryDirectory { directory in
      func file(_ name: String) -> URL { directory.appendingPathComponent("\(name).cbor") }
      var encoder = CBOREncoder()
      try encoder.encode(Edges()).write(to: file("edges"))
      encoder.dateEncodingStrategy = .iso8601
      try encoder.encode(Edges()).write(to: file("edges-text-dates"))
      try deterministicEncoder.encode(Edges()).write(to: file("edges-deterministic"))
      let trees = try sources.map {
        try JSONDecoder().decode(AnyValue.self, from: Data(contentsOf: URL(fileURLWithPath: $0)))
      }
      for (name, tree) in zip(["heroes", "board"], trees) {
        try CBOREncoder().encode(tree).write(to: file(name))
        try deterministicEncoder.encode(tree).write(to: file("\(name)-deterministic"))
      }

      let script = "\(root)/Tests/Interoperability/cbor2_check.py"
      let run = try await ProgramRun(try #require(Self.python), [script, directory.path] + sources)
      print(run.output)
      try #require(run.exitCode == 0, "\(run.errors)")

      for (name, tree) in zip(["heroes", "board"], trees) {
        #expect(try CBORDecoder().decode(AnyValue.self, from: Data(contentsOf: file("\(name)-theirs"))) == tree)
      }
      for name in ["edges-theirs", "edges-theirs-timestamps", "edges-theirs-canonical"] {
        var read = try CBORDecoder().decode(Edges.self, from: Data(contentsOf: file(name)))
        #expect(read.notANumber?.isNaN == true)
        #expect(read.doubles[1].sign == .minus)
        var expected = Edges()
        (read.notANumber, expected.notANumber) = (nil, nil)
        #expect(read == expected)
      }
    }
  }
}
