// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing
import UniformTypes

@testable import DropTransport
@testable import ItemTransfer

/// Tests in which the Python reader reads both directions of a session.
extension PythonReaderTests {
  /// A message in the output of the script, with the fields that the tests compare.
  private struct Line: Decodable {
    var message: String
    var request: Int?
    var item: Int?
    var isWhole: Bool?
    var size: Int?
    var crc32: UInt32?
    var kind: Int?
    var kept: [Int]?
    var failure: Failure?
    var refusal: Failure?

    struct Failure: Decodable {
      var kind: String
      var reason: String
    }
  }

  /// The result of loading a representation.
  ///
  /// Both fields are `nil` after a failure. `crc32` is also `nil` if the content was passed as a descriptor.
  private struct Load: Equatable, Sendable {
    var size: Int?
    var crc32: UInt32?

    init(_ data: Data?, cameAsBytes: Bool = true) {
      size = data?.count
      crc32 = cameAsBytes ? data.map { $0.withUnsafeBytes { CRC32.check($0) } } : nil
    }
  }

  private func lines(_ bytes: [UInt8]) async throws -> [Line] {
    let run = try await run(on: bytes)
    #expect(run.exitCode == 0, "\(run.errors)")
    return try run.outputLines.map { try JSONDecoder().decode(Line.self, from: Data($0.utf8)) }
  }

  @Test(arguments: ["source", "destination"])
  func pythonReaderDescribesTheGoldenSessions(side: String) async throws {
    let golden = Self.tests.appendingPathComponent("DropTransportTests/Golden/session-1.0-\(side)")
    let run = try await run([golden.appendingPathExtension("bytes").path])
    #expect(run.exitCode == 0, "\(run.errors)")
    let expected = try String(contentsOf: golden.appendingPathExtension("jsonl"), encoding: .utf8)
    #expect(run.outputLines == expected.split(separator: "\n"))
  }

  @Test func pythonReaderFindsTheContentOfANewSession() async throws {
    let relay = try SessionRelay()
    async let recordings = relay.record()
    async let offering: Void = Self.offerEverything(through: relay.near)
    let loads = try await Self.loadEverything(through: relay.far)
    try await offering
    let (source, destination) = try await recordings
    let (said, asked) = (try await lines(source), try await lines(destination))
    #expect(
      Set(said.map(\.message)) == [
        "hello", "offer", "end of offers", "data", "end of representation", "failure of a representation",
        "descriptor", "acknowledgement", "bye",
      ])
    #expect(said.last?.message == "bye")
    #expect(Set(asked.map(\.message)).isSuperset(of: ["hello", "request", "credit", "finish"]))
    // A side that has received the close may leave out its own close.
    #expect(["bye", "end without a bye"].contains(asked.last?.message))
    let requests = asked.filter { $0.message == "request" }
    #expect(requests.map(\.item) == [0, 0, 1, 1, 2, 3])
    let answers = requests.map { request in
      said.last { $0.request == request.request && ($0.message != "data" || $0.isWhole == true) }
    }
    #expect(answers.map { $0?.size } == loads.map(\.size) && answers.map { $0?.crc32 } == loads.map(\.crc32))
    #expect(answers.map { $0?.kind } == [nil, nil, nil, nil, 1, 2])
    #expect(answers[1]?.failure?.reason.contains("the ink is dry") == true)
    let finishes = asked.filter { $0.message == "finish" }
    #expect(finishes.map(\.kept) == [[0, 2], []] && finishes.map(\.refusal?.reason) == [nil, "no room"])
  }

  /// Options with long timeouts, since parallel tests may occupy the processors for a long time.
  private static let busyMachineOptions = DropStreamOptions.setting { $0.idleTimeout = .seconds(300) }

  private static func offerEverything(through endpoint: DropEndpoint) async throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let file = try directory.write(Data("Sing, goddess".utf8), to: "saga.txt")
    try await DropStream.withSession(over: endpoint, options: busyMachineOptions) { session in
      let small = ItemProvider(pattern(100), name: "small")
      small.register(.json) { _ in throw TestFailure("the ink is dry") }
      // The content is longer than the initial credit.
      let long = ItemProvider(suggestedName: "long")
      long.registerChunks(.data, Data(pattern(4_500_000)))
      let items = [
        small, long, ItemProvider(pattern(SessionServing.minimumMemoryLength)),
        ItemProvider(contentsOf: file, contentType: .plainText, openInPlace: true),
      ]
      let receipt = try await session.offer(items, allowing: [.copy, .move])
      #expect(receipt.keptItems == [0, 2])
      await expectFailure(.refused) { try await session.offer([]) }
    }
  }

  /// Loads all representations.
  ///
  /// - Returns: The results in the order of the requests.
  private static func loadEverything(through endpoint: DropEndpoint) async throws -> [Load] {
    try await DropStream.withSession(over: endpoint, options: busyMachineOptions) { session in
      var loads: [Load] = []
      for try await drop in session.drops {
        guard !drop.items.isEmpty else {
          try await drop.refuse(because: "no room")
          continue
        }
        loads.append(Load(try await drop.items[0].data(for: .data)))
        loads.append(Load(try? await drop.items[0].data(for: .json)))
        loads.append(Load(try await drop.items[1].data(for: .data)))
        loads.append(Load(try await drop.bytes(100..<200, of: .data, ofItem: 1)))
        loads.append(Load(try await drop.items[2].data(for: .data), cameAsBytes: false))
        let inPlace = try await drop.items[3].withInPlaceFile(for: .plainText) { try Data(contentsOf: $0.file) }
        loads.append(Load(inPlace, cameAsBytes: false))
        try await drop.finish(.move, keeping: [0, 2])
      }
      return loads
    }
  }

  @Test func pythonReaderRejectsMisplacedMessagesAsTheParserDoes() async throws {
    let hello = OutgoingFrame.hello(SessionHello())
    let failure = SenderFailure(kind: .failed, reason: "no ink")
    let request = SessionRequest(generation: 1, item: 0, representation: 0, credit: 0)
    let end = OutgoingFrame.endOfOffers(generation: 1, itemCount: 0, actions: .copy)
    let unordered = SessionFinish(action: .copy, kept: [1, 0])
    let later = OutgoingFrame(FrameType(rawValue: 0x90)) { $0 += [1, 2, 3] }
    let critical = OutgoingFrame(FrameType(rawValue: 0x30)) { $0 += [1, 2, 3] }
    for (frames, isSound) in [
      ([hello, .bye], true), ([later, hello, later, end, .bye], true), ([hello, .finalFailure(failure)], true),
      ([hello, .request(number: 2, request), .request(number: 5, request), .bye], true),
      ([hello, hello], false), ([hello, .bye, .bye], false), ([hello, critical], false), ([hello, end, end], false),
      ([hello, .request(number: 2, request), .request(number: 2, request)], false),
      ([hello, .request(number: 0, request)], false), ([hello, .credit(number: 0, 1)], false),
      ([hello, .endOfOffers(generation: 1, itemCount: 1, actions: .copy)], false),
      ([hello, .offer(SessionScript.offer, generation: 1), .offer(SessionScript.offer, generation: 2)], false),
      ([hello, .data(number: 1, UnsafeRawBufferPointer(start: nil, count: 0), isWhole: false)], false),
      ([hello, .finish(generation: 1, unordered)], false),
      ([hello, OutgoingFrame(.descriptor, number: 1) { $0 += [1] + [UInt8](littleEndian: UInt64(0)) }], false),
    ] as [([OutgoingFrame], Bool)] {
      let bytes = SessionScript(frames).bytes
      let (messages, ending) = SessionScript.messages(in: bytes)
      #expect((ending == "end" || ending == "senderFailed") == isSound, "\(messages): \(ending)")
      let run = try await run(on: bytes)
      #expect(run.exitCode == (isSound ? 0 : 1), "\(messages): \(run.errors)")
    }
  }

  @Test func pythonReaderRejectsCorruptAndTruncatedSessions() async throws {
    var seeds = SeededGenerator.announced("damaged sessions for Python")
    let script = SessionScript(SessionScript.source())
    for _ in 0..<8 {
      var bytes = script.bytes
      bytes[Int(seeds.next() % UInt64(bytes.count))] ^= 0x10
      #expect(try await run(on: bytes).exitCode == 1)
      let count = 17 + Int(seeds.next() % UInt64(script.bytes.count - 17))
      let cut = try await run(on: script.bytes.prefix(count))
      #expect(cut.exitCode == (script.starts.contains(count) ? 0 : 1))
    }
    let start = try await lines(Array(script.bytes[..<script.starts[5]]))
    #expect(start.map(\.message) == ["hello", "offer", "offer", "end of offers", "data", "end without a bye"])
  }
}
