// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropTransport
import ItemTransfer
import TestSupport
import Testing

@testable import DragPipeTool

@Suite("Errors as exit codes", .serialized, .limited)
struct ToolFailureTests {
  @Test(
    "every failure of a stream has its code",
    arguments: [
      (DropStreamError.Code.empty, ToolExitCode.malformed), (.notADropStream, .malformed), (.truncated, .malformed),
      (.damaged, .malformed), (.trailingBytes, .malformed), (.unsupported, .unsupported), (.limitExceeded, .refused),
      (.unsafeName, .refused), (.duplicateName, .refused), (.alreadyExists, .cannotCreate),
      (.destinationUnavailable, .cannotCreate), (.senderFailed, .failure), (.senderCancelled, .cancelledByPeer),
      (.peerGone, .peerGone), (.timedOut, .timedOut), (.sourceUnavailable, .noInput), (.systemCall, .inputOutput),
    ])
  func streamErrors(_ code: DropStreamError.Code, _ expected: ToolExitCode) {
    let failure = ToolFailure(DropStreamError(code, "reason", at: 7))
    #expect(failure.exitCode == expected)
    #expect(failure.message == "reason at byte 7")
  }

  @Test("a failed representation is told by its cause")
  func representationFailed() {
    let cause = ItemProviderError(.fileUnavailable, contentType: nil)
    let failure = ToolFailure(DropStreamError(.representationFailed, "outer", underlyingError: cause))
    #expect(failure.exitCode == .inputOutput)
    #expect(failure.message == cause.description)
  }

  @Test("what a cause quotes is escaped once, and what it has not escaped is, too")
  func quotedName() {
    let causes: [(any Error, String)] = [
      (ToolFailure(.failure, #"a\\d\u{202e}"#), #"a\\d\u{202e}"#),
      (DropStreamError(.sourceUnavailable, #"a\\d"#), #"a\\d"#),
      (LoadFault(description: "a\u{202E}\n"), #"a\u{202e}\u{a}"#),
    ]
    for (cause, shown) in causes {
      let failure = ToolFailure(ItemProviderError(.representationFailed, contentType: nil, underlyingError: cause))
      #expect(failure.message == "the representation could not be created: \(shown)")
    }
  }

  private struct LoadFault: Error, CustomStringConvertible {
    let description: String
  }

  @Test("a foreign error is a fault of the program, told in one line without control characters")
  func foreignErrors() {
    struct Foreign: Error, CustomStringConvertible {
      let description = "a\u{1B}[2J\nb"
    }
    let failure = ToolFailure(Foreign())
    #expect(failure.exitCode == .internalFault)
    #expect(failure.message == "a\\u{1b}[2J\\u{a}b")
  }
}
