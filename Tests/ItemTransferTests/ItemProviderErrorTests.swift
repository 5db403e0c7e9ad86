// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing
import UniformTypes

@testable import ItemTransfer

@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct ItemProviderErrorTests {
  private static let png: UTType? = .png

  @Test(arguments: [
    (ItemProviderError(.noRepresentation, contentType: png), "no representation conforms to public.png"),
    (
      ItemProviderError(.representationFailed, contentType: png),
      "the representation public.png could not be created"
    ),
    (ItemProviderError(.cancelled, contentType: png), "the load of public.png was cancelled"),
    (ItemProviderError(.undecodable, contentType: png), "the bytes of public.png are not a valid value"),
    (ItemProviderError(.fileUnavailable, contentType: png), "the file of public.png could not be used"),
  ])
  func descriptionIsASentenceWithTheType(error: ItemProviderError, sentence: String) {
    #expect("\(error)" == sentence)
  }

  @Test(arguments: [
    (ItemProviderError.Code.noRepresentation, "no representation conforms"),
    (.representationFailed, "the representation could not be created"), (.cancelled, "the load was cancelled"),
    (.undecodable, "the bytes are not a valid value"), (.fileUnavailable, "the file could not be used"),
  ])
  func errorWithoutTypeIsASentence(code: ItemProviderError.Code, sentence: String) {
    #expect("\(ItemProviderError(code, contentType: nil))" == sentence)
  }

  @Test func descriptionNamesTheCause() {
    let error = ItemProviderError(.undecodable, contentType: .png, underlyingError: Failure(reason: "rust"))
    #expect("\(error)" == "the bytes of public.png are not a valid value: Failure(reason: \"rust\")")
  }

  // MARK: Wrapping

  @Test func wrappingPassesAValue() async throws {
    #expect(try await ItemProviderError.wrapping(.png) { 7 } == 7)
  }

  @Test func wrappingAddsCodeAndType() async throws {
    let error = try await requireProviderError(.fileUnavailable, .png) {
      try await ItemProviderError.wrapping(.png, as: .fileUnavailable) { throw Failure() }
    }
    #expect(error.underlyingError as? Failure == Failure())
    _ = try await requireProviderError(.representationFailed, nil) {
      try await ItemProviderError.wrapping(nil) { throw Failure() }
    }
  }

  @Test func wrappingDoesNotWrapTwice() async throws {
    _ = try await requireProviderError(.noRepresentation, .jpeg) {
      try await ItemProviderError.wrapping(.png, as: .undecodable) {
        throw ItemProviderError(.noRepresentation, contentType: .jpeg)
      }
    }
  }

  @Test func cancellationErrorMeansCancelled() async throws {
    let error = try await requireProviderError(.cancelled, .png) {
      try await ItemProviderError.wrapping(.png, as: .undecodable) { throw CancellationError() }
    }
    #expect(error.underlyingError == nil)
  }

  @MainActor @Test func wrappedBodyRunsInTheCallersIsolation() async throws {
    var runs = 0
    try await ItemProviderError.wrapping(nil) {
      MainActor.assertIsolated()
      runs += 1
    }
    #expect(runs == 1)
  }
}
