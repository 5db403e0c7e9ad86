// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import ItemCoding
import ItemTransfer
import Synchronization
import Testing
import UniformTypes

/// The error that a failing source or closure throws.
struct Failure: Error, Equatable {
  var reason = "the sky fell"
}

/// A counter that all threads can use.
final class Counter: Sendable {
  private let state = Lock(0)

  var count: Int { state.withLock { $0 } }

  func increase() {
    state.withLock { $0 += 1 }
  }
}

/// A signal that one task sends and other tasks wait for.
final class Signal: Sendable {
  private let stream: AsyncStream<Void>
  private let continuation: AsyncStream<Void>.Continuation

  init() {
    (stream, continuation) = AsyncStream.makeStream()
  }

  func send() {
    continuation.finish()
  }

  /// Returns when the signal was sent or the task was cancelled.
  func wait() async {
    for await _ in stream {}
  }
}

extension UTType {
  static let hero = UTType(exportedAs: "org.example.tests.hero", conformingTo: .json)
  static let heroList = UTType(exportedAs: "org.example.tests.hero-plist", conformingTo: .propertyList)
  static let scroll = UTType(exportedAs: "org.example.tests.scroll", conformingTo: .utf8PlainText)
}

/// A value that exports JSON, a property list and text, and that imports the first two.
struct Hero: Codable, Hashable, Transferable {
  var name: String
  var strength = 1

  static var transferRepresentation: some TransferRepresentation {
    CodableRepresentation(contentType: .hero)
    CodableRepresentation(contentType: .heroList, encoder: PropertyListEncoder(), decoder: PropertyListDecoder())
    DataRepresentation(exportedContentType: .utf8PlainText) { Data($0.name.utf8) }
  }
}

/// A value that is transferred as a file.
struct Scroll: Hashable, Transferable {
  var text: String
  /// The URL of the source's file.
  var file: URL?
  /// The name that the destination received.
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

/// Runs `body`, which must fail with an `ItemProviderError`.
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

/// Returns the temporary directories of files that are being transferred, including those of concurrent tests.
func filesUnderWay() throws -> Set<String> {
  let names = try FileManager.default.contentsOfDirectory(atPath: FileManager.default.temporaryDirectory.path)
  return Set(names.filter { $0.hasPrefix("dragpipe-") && UUID(uuidString: String($0.dropFirst(9))) != nil })
}

/// Expects that the temporary files created between `earlier` and this call are removed within three minutes.
///
/// They include the temporary files of concurrent tests.
func expectNothingStays(since earlier: Set<String>, sourceLocation: SourceLocation = #_sourceLocation) async throws {
  let late = try filesUnderWay().subtracting(earlier)
  for _ in 0..<9000 {
    if try filesUnderWay().isDisjoint(with: late) { return }
    try await Task.sleep(for: .milliseconds(20))
  }
  Issue.record("left behind: \(try filesUnderWay().intersection(late))", sourceLocation: sourceLocation)
}

/// A store for responses that a loader never uses.
final class ResponseKeeper: Sendable {
  private let responses = Lock<[ItemResponse<Data>]>([])

  func keep(_ response: ItemResponse<Data>) {
    responses.withLock { $0.append(response) }
  }

  func succeed(_ data: Data) {
    for response in responses.withLock({ $0 }) { response.succeed(data) }
  }
}

/// Switches for representations that depend on a condition.
enum Switches {
  static let isOn = Lock(false)
}
