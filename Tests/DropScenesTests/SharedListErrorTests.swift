// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import DropScenes
@testable import DropTransport

@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct SharedListRefusalTests {
  private struct Fault: Error, CustomStringConvertible {
    let description: String
  }

  /// Returns the error that a copy of the list gets if the store refuses an edit with `error`.
  private func heard(_ error: any Error) -> SharedListError {
    let failure = SenderFailure(kind: .failed, reason: SharedListRefusal.reason(for: error))
    return SharedListRefusal.error(DropStreamError(.refused, "refused", senderFailure: failure))
  }

  @Test func escapesReasonOnce() {
    let error = heard(Fault(description: "no \u{202E}name\\"))
    #expect(error.code == .invalidMessage)
    #expect(error.reason == #"no \u{202e}name\\"#)
  }

  @Test func refusalRoundTripsToSameError() {
    let error = heard(SharedListError(.notFound, "the element is not in the list"))
    #expect(error.code == .notFound && error.reason == "the element is not in the list")
  }

  @Test func escapesControlCharacters() {
    let failure = SenderFailure(kind: .failed, reason: "notFound: \u{1B}[2J")
    let error = SharedListRefusal.error(DropStreamError(.refused, "refused", senderFailure: failure))
    #expect(error.code == .notFound && error.reason == #"\u{1b}[2J"#)
  }
}
