// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeroCards
import TestSupport
import Testing

/// Heroes and cards that are added to files.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct HeroTests {
  @Test func cardsKeepColumnsAndOrder() async throws {
    try await withShell { shell in
      let into = "dragpipe receive --as card --into other-board.json"
      try await shell.expect("$ dragpipe send --as card \"$SAMPLES/board.json\" | \(into)")
      let sample = try Board(jsonData: Data(contentsOf: URL(fileURLWithPath: Shell.samples + "/board.json")))
      #expect(try Board(jsonData: shell.data(of: "other-board.json")).columns == sample.columns)
      try await shell.expect("$ echo '{\"content\": \"one more\"}' | dragpipe send --as card - | \(into) --column Done")
      let done = try #require(try Board(jsonData: shell.data(of: "other-board.json")).columns.last)
      #expect(done.cards.map(\.content) == (sample.columns.last?.cards.map(\.content) ?? []) + ["one more"])
    }
  }

  @Test func invalidFilesAreReportedAndNoFileIsWritten() async throws {
    try await transcript(
      #"""
      $ echo '{"data": {"results": [{"id": 1, "comics": {"available": "x"}}]}}' > b.json
      $ dragpipe send --as hero b.json 2> sent | dragpipe receive --as hero --into f.json; echo ${PIPESTATUS[*]}; cat sent
      dragpipe: the sender failed: b.json: data.results[0].comics.available: expected a number, found a string (element at byte 22)
      65 1
      dragpipe: b.json: data.results[0].comics.available: expected a number, found a string (element at byte 22)
      $ ls; echo 'no list' > f.json
      b.json
      sent
      $ dragpipe send --as hero "$SAMPLES/heroes.json" > stream; dragpipe receive --as hero --into f.json < stream
      dragpipe: f.json: expected true, false or null, found 'o' in the literal (at byte 1)
      [65]
      $ cat f.json
      no list
      """#)
  }

  @Test func concurrentReceiversLoseNoHero() async throws {
    try await transcript(
      #"""
      $ for n in {1..12}; do echo "{\"id\": $n, \"name\": \"Hero $n\"}" | dragpipe send --as hero - > stream.$n; done
      $ for n in {1..12}; do dragpipe receive --as hero --into list.json < stream.$n & done; wait
      $ grep -c '"Hero ' list.json; ls -A | grep -v stream
      12
      .temporary
      list.json
      """#)
  }

  @Test func listKeepsItsPermissionsAndLinks() async throws {
    try await transcript(
      #"""
      $ mkdir real; echo '[]' > real/list.json; chmod 6640 real/list.json; ln -s real/list.json list.json; ln -s nowhere dangling
      $ echo '{"id": 1, "name": "Pele"}' | dragpipe send --as hero - > stream; dragpipe receive --as hero --into list.json < stream
      $ stat -c '%F %a' list.json real/list.json; grep -c Pele real/list.json; ls -A real
      symbolic link 777
      regular file 640
      1
      list.json
      $ dragpipe receive --as hero --into - < stream | grep -c Pele
      1
      $ dragpipe receive --as hero --into dangling < stream
      dragpipe: cannot change dangling: No such file or directory
      [73]
      $ ls
      dangling
      list.json
      real
      stream
      """#)
  }

  @Test func manyColumnsNeedLinearTime() async throws {
    var board = Board()
    board.add(contentsOf: (0..<50_000).map { Card(content: "\($0)", column: "Column \($0 % 25_000)") })
    #expect(board.columns.count == 25_000)
    #expect(board.columns.allSatisfy { $0.cards.count == 2 })
  }
}
