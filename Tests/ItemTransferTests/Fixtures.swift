// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import ItemCoding
import ItemTransfer
import Synchronization
import TestSupport
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

extension ItemProvider {
  /// Creates a provider of one representation.
  convenience init(
    of type: UTType, suggestedName: String? = nil, size: ItemSize = .unknown,
    loader: @escaping @Sendable (ItemProgress) async throws -> Data
  ) {
    self.init(suggestedName: suggestedName)
    register(type, size: size, loader: loader)
  }

  /// Creates a provider of a text.
  convenience init(of type: UTType, suggestedName: String? = nil, _ text: String) {
    self.init(of: type, suggestedName: suggestedName) { _ in Data(text.utf8) }
  }

  /// Creates a provider of a file.
  convenience init(ofFile file: URL, _ type: UTType = .data) {
    self.init(suggestedName: nil)
    registerFile(type) { _ in SentTransferredFile(file) }
  }

  /// Loads a representation as text.
  func text(for type: UTType) async throws(ItemProviderError) -> String {
    String(decoding: try await data(for: type), as: UTF8.self)
  }

  /// Expects that a representation loads as `text`.
  func expectText(_ text: String, for type: UTType, sourceLocation: SourceLocation = #_sourceLocation) async throws {
    #expect(try await self.text(for: type) == text, sourceLocation: sourceLocation)
  }

  /// Expects that the item loads as `value`.
  func expectValue<Value: Transferable & Equatable>(
    _ value: Value, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    #expect(try await self.value(as: Value.self) == value, sourceLocation: sourceLocation)
  }
}

/// Runs `body`, which must fail with an `ItemProviderError`, and returns the error.
///
/// The cause must be `failure`, unless that is `nil`.
@discardableResult
func requireProviderError<Value>(
  _ code: ItemProviderError.Code, _ contentType: UTType?, from failure: Failure? = nil,
  sourceLocation: SourceLocation = #_sourceLocation, isolation: isolated (any Actor)? = #isolation,
  _ body: () async throws -> Value
) async throws -> ItemProviderError {
  do {
    let value = try await body()
    Issue.record("no error but \(value)", sourceLocation: sourceLocation)
    throw Failure(reason: "no error")
  } catch let error as ItemProviderError {
    let isExpected =
      error.code == code && error.contentType == contentType
      && (failure == nil || error.underlyingError as? Failure == failure)
    #expect(isExpected, "\(error) instead of \(code), \(contentType as Any)", sourceLocation: sourceLocation)
    return error
  }
}

/// Waits until the current task is cancelled, or for the longest time that a test waits.
func untilCancelled() async {
  try? await Task.sleep(for: waitingLimit)
}

/// Returns the names in a directory in ascending order.
func names(in directory: URL) throws -> [String] {
  try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted()
}
