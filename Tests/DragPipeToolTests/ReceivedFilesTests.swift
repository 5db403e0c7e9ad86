// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import DragPipeTool

/// Items that a command or a terminal gets.
@Suite(.serialized, .limited, .timeLimit(.minutes(10))) struct ReceivedFilesTests {
  @Test func commandDoesNotRunForANameWithANUL() async throws {
    let fixture = try DropFixture()
    let drop = try await fixture.drop(("good", ["public.png": [1]]), ("x\0.png", ["public.png": [2]]))
    let run = try await fixture.run("receive", "--from", drop, "--exec", "echo ran >> \(fixture.path("log"))")
    #expect(run.exitCode == 77)
    #expect(
      run.errors == """
        dragpipe: refused the name "x\\u{0}.png": an environment variable cannot hold U+0; no command was run

        """)
    #expect(try fixture.names == ["a.drop"])
  }
}
