// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing
import UniformTypes

@testable import ItemTransfer

@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct ItemProviderErrorTests {
  @Test(
    arguments: [
      (.noRepresentation, "no representation conforms to public.png", "no representation conforms"),
      (
        .representationFailed, "the representation public.png could not be created",
        "the representation could not be created"
      ),
      (.cancelled, "the load of public.png was cancelled", "the load was cancelled"),
      (.undecodable, "the bytes of public.png are not a valid value", "the bytes are not a valid value"),
      (.fileUnavailable, "the file of public.png could not be used", "the file could not be used"),
    ] as [(ItemProviderError.Code, String, String)])
  func descriptionIsASentenceWithTheTypeAndTheCause(code: ItemProviderError.Code, sentence: String, untyped: String) {
    let errors = [
      ItemProviderError(code, contentType: .png), ItemProviderError(code, contentType: nil),
      ItemProviderError(code, contentType: .png, underlyingError: Failure(reason: "rust")),
    ]
    #expect(errors.map(\.description) == [sentence, untyped, "\(sentence): Failure(reason: \"rust\")"])
  }

  // MARK: Wrapping

  @Test func wrappingAddsCodeAndTypeOnceAndKeepsCancellation() async throws {
    #expect(try await ItemProviderError.wrapping(.png) { 7 } == 7)
    try await requireProviderError(.representationFailed, nil, from: Failure()) {
      try await ItemProviderError.wrapping(nil) { throw Failure() }
    }
    for (thrown, code, type, failure) in [
      (Failure(), .undecodable, .png, Failure()), (CancellationError(), .cancelled, .png, nil),
      (ItemProviderError(.noRepresentation, contentType: .jpeg), .noRepresentation, .jpeg, nil),
    ] as [(any Error, ItemProviderError.Code, UTType, Failure?)] {
      let error = try await requireProviderError(code, type) {
        try await ItemProviderError.wrapping(.png, as: .undecodable) { throw thrown }
      }
      #expect(error.underlyingError as? Failure == failure && (error.underlyingError == nil) == (failure == nil))
    }
  }

  @MainActor @Test func wrappedBodyRunsInTheCallersIsolation() async throws {
    var runs = 0
    try await ItemProviderError.wrapping(nil) {
      MainActor.assertIsolated()
      runs += 1
    }
    #expect(runs == 1)
  }

  // MARK: Nested loads

  @Test func failureOfTheSameKindPassesThroughASecondProviderUnchanged() async throws {
    let inner = ItemProvider(of: .png) { _ in throw Failure() }
    let outer = ItemProvider(of: .data) { try await inner.data(for: .png, progress: $0) }
    try await requireProviderError(.representationFailed, .png, from: Failure()) { try await outer.data(for: .data) }
  }

  @Test func missingRepresentationOfANestedLoadIsAnUnderlyingError() async throws {
    struct Nesting: Transferable {
      static var transferRepresentation: some TransferRepresentation {
        DataRepresentation<Nesting>(importedContentType: .png) { _ in
          _ = try await ItemProvider().data(for: .jpeg)
          return Nesting()
        }
      }
    }
    let importing = try await requireProviderError(.undecodable, .png) {
      try await ItemProvider(of: .png, "").value(as: Nesting.self)
    }
    let loading = try await requireProviderError(.representationFailed, .png) {
      try await ItemProvider(of: .png) { _ in try await ItemProvider().data(for: .jpeg) }.data(for: .png)
    }
    for error in [importing, loading] {
      #expect((error.underlyingError as? ItemProviderError)?.code == .noRepresentation)
    }
  }
}
