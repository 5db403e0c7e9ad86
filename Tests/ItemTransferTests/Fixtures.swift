// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import ItemCoding
import ItemTransfer
import Synchronization
import Testing
import UniformTypes

/// What a source, or a destination's closure, goes wrong with.
struct Failure: Error, Equatable {
  var reason = "the sky fell"
}

/// Counts from any thread.
final class Counter: Sendable {
  private let state = Lock(0)

  var count: Int { state.withLock { $0 } }

  func increase() {
    state.withLock { $0 += 1 }
  }
}

/// Lets tasks wait for something another one says.
final class Signal: Sendable {
  private let stream: AsyncStream<Void>
  private let continuation: AsyncStream<Void>.Continuation

  init() {
    (stream, continuation) = AsyncStream.makeStream()
  }

  func send() {
    continuation.finish()
  }

  /// Ends when the signal has been sent, and when the task is cancelled.
  func wait() async {
    for await _ in stream {}
  }
}

extension UTType {
  static let hero = UTType(exportedAs: "org.example.tests.hero", conformingTo: .json)
  static let heroList = UTType(exportedAs: "org.example.tests.hero-plist", conformingTo: .propertyList)
  static let scroll = UTType(exportedAs: "org.example.tests.scroll", conformingTo: .utf8PlainText)
}

/// Goes out as JSON, a property list and text; comes in as the first two.
struct Hero: Codable, Hashable, Transferable {
  var name: String
  var strength = 1

  static var transferRepresentation: some TransferRepresentation {
    CodableRepresentation(contentType: .hero)
    CodableRepresentation(contentType: .heroList, encoder: PropertyListEncoder(), decoder: PropertyListDecoder())
    DataRepresentation(exportedContentType: .utf8PlainText) { Data($0.name.utf8) }
  }
}

/// Is a file as long as it is under way.
struct Scroll: Hashable, Transferable {
  var text: String
  /// Where the source has it.
  var file: URL?
  /// What the destination saw.
  var receivedName: String?

  static var transferRepresentation: some TransferRepresentation {
    FileRepresentation(contentType: .scroll) { scroll in
      guard let file = scroll.file else { throw Failure(reason: "no file") }
      return SentTransferredFile(file)
    } importing: { received in
      let text = try String(contentsOf: received.file, encoding: .utf8)
      guard text != "illegible" else { throw Failure(reason: text) }
      return Scroll(text: text, receivedName: received.file.lastPathComponent)
    }
  }
}

/// Runs `body`, which must fail with the error of this module.
func requireProviderError<Value>(
  _ code: ItemProviderError.Code, _ contentType: UTType?, sourceLocation: SourceLocation = #_sourceLocation,
  isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Value
) async throws -> ItemProviderError {
  do {
    let value = try await body()
    Issue.record("no error but \(value)", sourceLocation: sourceLocation)
    throw Failure(reason: "no error")
  } catch let error as ItemProviderError {
    #expect(error.code == code, sourceLocation: sourceLocation)
    #expect(error.contentType == contentType, sourceLocation: sourceLocation)
    return error
  }
}

/// The directories that files under way are in, of this test and of those beside it.
func filesUnderWay() throws -> Set<String> {
  let names = try FileManager.default.contentsOfDirectory(atPath: FileManager.default.temporaryDirectory.path)
  return Set(names.filter { $0.hasPrefix("dragpipe-") && UUID(uuidString: String($0.dropFirst(9))) != nil })
}

/// Waits until all files are gone that were put under way since `earlier`; those that nobody removes never are.
func expectNothingStays(since earlier: Set<String>, sourceLocation: SourceLocation = #_sourceLocation) async throws {
  let late = try filesUnderWay().subtracting(earlier)
  for _ in 0..<500 {
    if try filesUnderWay().isDisjoint(with: late) { return }
    try await Task.sleep(for: .milliseconds(20))
  }
  Issue.record("left behind: \(try filesUnderWay().intersection(late))", sourceLocation: sourceLocation)
}

/// Keeps replies alive that a loader does not answer.
final class ReplyKeeper: Sendable {
  private let replies = Lock<[ItemResponse<Data>]>([])

  func keep(_ reply: ItemResponse<Data>) {
    replies.withLock { $0.append(reply) }
  }

  func succeed(_ data: Data) {
    for reply in replies.withLock({ $0 }) { reply.succeed(data) }
  }
}

/// What a test turns on and off.
enum Switches {
  static let isOn = Lock(false)
}
