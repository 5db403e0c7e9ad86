// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import ItemTransfer
import Testing
import UniformTypes

@testable import DropTransport

/// An item as a reader receives it.
struct ReceivedItem: Hashable, Sendable {
  struct Representation: Hashable, Sendable {
    var type: String
    var content: [UInt8]
  }

  var name: String?
  var representations: [Representation]

  init(_ name: String? = nil, _ representations: KeyValuePairs<String, [UInt8]>) {
    self.name = name
    self.representations = representations.map { Representation(type: $0.key, content: $0.value) }
  }

  /// Loads every representation of an item.
  init(_ provider: ItemProvider) async throws {
    name = provider.suggestedName
    representations = []
    for representation in provider.representations {
      let data = try await representation.data(progress: ItemProgress())
      representations.append(Representation(type: representation.contentType.identifier, content: Array(data)))
    }
  }
}

typealias Outcome = Result<[ReceivedItem], DropStreamError>

extension Outcome {
  var code: DropStreamError.Code? {
    if case .failure(let error) = self { error.code } else { nil }
  }
}

/// Reads the items of these bytes from memory.
///
/// The bytes arrive in pieces that end at the offsets `cuts`.
func outcome(
  of bytes: [UInt8], limits: DropStreamLimits = DropStreamLimits(), cuts: [Int] = []
) -> Outcome {
  var parser = StreamParser(limits: limits)
  var items: [ReceivedItem] = []
  var offer: DropOffer?
  var contents: [[UInt8]] = [[]]
  var start = 0

  func walk(_ all: UnsafeRawBufferPointer) throws(DropStreamError) {
    for end in cuts + [bytes.count] {
      while let (meaning, used) = try parser.next(in: UnsafeRawBufferPointer(rebasing: all[start..<end])) {
        start += used
        switch meaning {
        case nil: break
        case .offer:
          offer = parser.offer
          contents = [[]]
        case .bytes(let piece): contents[contents.count - 1] += piece
        case .zeros(let count): contents[contents.count - 1] += [UInt8](repeating: 0, count: Int(count))
        case .representation(let whole):
          contents[contents.count - 1] += whole
          for original in offer?.originals(ofAliasesAt: contents.count) ?? [] { contents.append(contents[original]) }
          contents.append([])
        case .endOfRepresentation(let count):
          if count != UInt64(contents[contents.count - 1].count) { Issue.record("a wrong count of bytes") }
          for original in offer?.originals(ofAliasesAt: contents.count) ?? [] { contents.append(contents[original]) }
          contents.append([])
        case .failureOfRepresentation(let failure): throw failure.errorOfRepresentation
        case .endOfItem:
          var item = ReceivedItem(offer?.suggestedName, [:])
          item.representations = zip(offer?.representations ?? [], contents).map {
            .init(type: $0.typeIdentifier, content: $1)
          }
          items.append(item)
        case .endOfStream:
          if start == bytes.count { return }
          throw DropStreamError(.trailingBytes, "bytes follow the end of the stream", at: parser.offset)
        }
      }
    }
    throw DropStreamError(bytes.isEmpty ? .empty : .truncated, parser.positionDescription, at: UInt64(bytes.count))
  }

  return bytes.withUnsafeBytes { all in
    do throws(DropStreamError) {
      try walk(all)
      return .success(items)
    } catch {
      return .failure(error)
    }
  }
}

func pipeOutcome(of bytes: [UInt8], options: DropStreamOptions = DropStreamOptions()) async throws -> Outcome {
  try await outcome(from: .descriptor(try pipe(holding: bytes)), options: options)
}

func outcome(from endpoint: DropEndpoint, options: DropStreamOptions = DropStreamOptions()) async throws -> Outcome {
  do {
    return .success(
      try await DropStream.withReader(from: endpoint, options: options) { reader in
        var items: [ReceivedItem] = []
        for try await provider in reader { items.append(try await ReceivedItem(provider)) }
        return items
      })
  } catch let error as DropStreamError {
    return .failure(error)
  } catch let error as ItemProviderError where error.code == .cancelled {
    return .failure(.cancelled)
  }
}

func expectItems(
  _ items: [ReceivedItem], _ outcome: Outcome, _ comment: Comment? = nil,
  sourceLocation: SourceLocation = #_sourceLocation
) {
  #expect(outcome == items, comment, sourceLocation: sourceLocation)
}

/// Expects the code of a failure, or success for `nil`.
func expectCode(
  _ code: DropStreamError.Code?, _ outcome: Outcome, sourceLocation: SourceLocation = #_sourceLocation
) {
  #expect(outcome.code == code, "\(outcome)", sourceLocation: sourceLocation)
}

/// Expects a failure with the code and the reason, and returns it.
@discardableResult
func requireFailure(
  _ code: DropStreamError.Code, _ outcome: Outcome, _ comment: Comment? = nil, reason: String? = nil,
  sourceLocation: SourceLocation = #_sourceLocation
) throws -> DropStreamError {
  switch outcome {
  case .success(let items):
    Issue.record("accepted: \(items) \(comment.map { "\($0)" } ?? "")", sourceLocation: sourceLocation)
    throw TestFailure("no error")
  case .failure(let error):
    #expect(error.code == code, comment ?? "\(error)", sourceLocation: sourceLocation)
    if let reason { #expect(error.reason == reason, sourceLocation: sourceLocation) }
    return error
  }
}

/// Runs `body`, which must throw a `DropStreamError` with the code and the reason.
@discardableResult
func requireDropError<Value>(
  _ code: DropStreamError.Code, reason: String? = nil, sourceLocation: SourceLocation = #_sourceLocation,
  isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Value
) async throws -> DropStreamError {
  do {
    let value = try await body()
    Issue.record("no error but \(value)", sourceLocation: sourceLocation)
    throw TestFailure("no error")
  } catch let error as DropStreamError {
    #expect(error.code == code, "\(error)", sourceLocation: sourceLocation)
    if let reason { #expect(error.reason == reason, sourceLocation: sourceLocation) }
    return error
  }
}

func expectDropError<Value>(
  _ comment: Comment? = nil, sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Value
) {
  #expect(throws: DropStreamError.self, comment, sourceLocation: sourceLocation) { _ = try body() }
}

/// An error that a test throws on purpose.
struct TestFailure: Error, Equatable, CustomStringConvertible {
  var description: String

  init(_ description: String = "the sky fell") {
    self.description = description
  }
}
