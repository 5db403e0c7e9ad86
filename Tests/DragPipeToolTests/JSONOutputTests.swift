// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import DragPipeTool

@Suite("JSON as the tool writes it", .serialized, .limited)
struct JSONOutputTests {
  @Test("keys are sorted, slashes are plain, and what would act on a terminal is escaped")
  func text() throws {
    let value = ["b": "a/b", "a": "\u{1B}\u{202E}\u{200D}é"]
    #expect(try JSONOutput().text(value) == #"{"a":"\u001b\u202e\u200dé","b":"a/b"}"#)
    #expect(try JSONOutput(isPretty: true).text(["a": [1]]) == "{\n  \"a\" : [\n    1\n  ]\n}")
    #expect(throws: EncodingError.self) { try JSONOutput().text([Double.infinity]) }
  }
}
