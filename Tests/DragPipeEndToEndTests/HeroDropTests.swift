// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeroCards
import TestSupport
import Testing

@Suite("Heroes and cards dropped from one process to another", .serialized, .limited, .timeLimit(.minutes(5)))
struct HeroDropTests {
  @Test("heroes are added to the favourites once, sorted, however often they are sent")
  func heroesAreAddedOnceAndSorted() async throws {
    try await withShell { shell in
      let drop = "dragpipe send --as hero $SAMPLES/heroes.json | dragpipe receive --as hero --into favourites.json"
      #expect(try await shell.run(drop).exitCode == 0)
      let once = try shell.data(of: "favourites.json")
      let names = try HeroReader.heroes(from: once).map(\.name)
      #expect(names.count >= 60)
      #expect(Set(names).count == names.count)
      #expect(names == Array(Favourites(try HeroReader.heroes(from: once))).map(\.name))

      #expect(try await shell.run(drop).exitCode == 0)
      #expect(try shell.data(of: "favourites.json") == once)
      #expect(try shell.names(in: ".") == ["favourites.json"])
    }
  }

  @Test("cards keep their columns and their order, after existing cards")
  func cardsKeepColumnsAndOrder() async throws {
    try await withShell { shell in
      let drop = "dragpipe send --as card $SAMPLES/board.json | dragpipe receive --as card --into other-board.json"
      #expect(try await shell.run(drop).exitCode == 0)
      let sample = try Board(jsonData: Data(contentsOf: URL(fileURLWithPath: Shell.samples + "/board.json")))
      let other = try Board(jsonData: shell.data(of: "other-board.json"))
      #expect(other.columns == sample.columns)

      let one = "echo '{\"content\": \"one more\"}' | dragpipe send --as card - | dragpipe receive --as card --into "
      #expect(try await shell.run(one + "other-board.json --column Done").exitCode == 0)
      let done = try #require(try Board(jsonData: shell.data(of: "other-board.json")).columns.last)
      #expect(done.cards.map(\.content) == (sample.columns.last?.cards.map(\.content) ?? []) + ["one more"])
    }
  }

  @Test("an invalid value in a hero file is reported with its path, and no file is written")
  func invalidHeroIsReportedWithItsPath() async throws {
    try await withShell { shell in
      let cases = [
        (#"[{"id": 1, "name": "Mulan"}, {"id": 2, "name": 5}]"#, "[1].name"),
        (
          #"{"code": 200, "data": {"results": [{"id": 1, "comics": {"available": "x"}}]}}"#,
          "data.results[0].comics.available"
        ),
        (#"[{"colour": "red"}]"#, "[0]: an object with neither"),
        ("[1, 2]", "[0]"),
        (#"[{"id": 1, "name": "Mul"#, ""),
        ("", ""),
      ]
      for (json, path) in cases {
        try shell.write(Data(json.utf8), to: "heroes.json")
        let result = try await shell.run(
          """
          dragpipe send --as hero heroes.json 2> sender | dragpipe receive --as hero --into favourites.json
          echo "${PIPESTATUS[0]} ${PIPESTATUS[1]}"; cat sender
          """)
        let lines = result.output.split(separator: "\n")
        #expect(lines.first == "65 1", "\(json)")
        #expect(lines.last?.contains("heroes.json: \(path)") == true, "\(json): \(result.output)")
        #expect(result.errorLines.count == 1)
        #expect(try shell.names(in: ".") == ["heroes.json", "sender"])
      }
    }
  }

  @Test("unusual real-world heroes all arrive")
  func unusualHeroesArrive() async throws {
    try await withShell { shell in
      let json = #"""
        {"id": 1, "name": "Qat", "modified": "-0001-11-30T00:00:00-0500", "unknown": {"a": [1]}}
        {"id": 2, "name": "Sedna", "modified": "1969-12-31T19:00:00-0500", "thumbnail": null}
        {"name": "Pele"}
        """#
      try shell.write(Data(json.utf8), to: "heroes.jsonl")
      let result = try await shell.run("dragpipe send --as hero heroes.jsonl | dragpipe receive --as hero --into -")
      let heroes = try HeroReader.heroes(from: Data(result.output.utf8))
      #expect(heroes.map(\.name) == ["Pele", "Qat", "Sedna"])
      #expect(heroes.map(\.modified) == [nil, "-0001-11-30T00:00:00-0500", "1969-12-31T19:00:00-0500"])
    }
  }

  @Test("twenty processes add to one file at once without loss")
  func concurrentReceiversLoseNoHero() async throws {
    try await withShell { shell in
      let result = try await shell.run(
        """
        for n in {1..20}; do
          echo "{\\"id\\": $n, \\"name\\": \\"Hero $n\\"}" | dragpipe send --as hero - \
            | dragpipe receive --as hero --into favourites.json &
        done
        wait
        """)
      #expect(result.errors.isEmpty)
      #expect(try HeroReader.heroes(from: shell.data(of: "favourites.json")).count == 20)
      #expect(try shell.names(in: ".") == ["favourites.json"])
    }
  }

  @Test("a file that does not contain a list stays unchanged")
  func fileWithoutAListIsUnchanged() async throws {
    try await withShell { shell in
      try shell.write(Data("no list".utf8), to: "favourites.json")
      let drop = "dragpipe send --as hero $SAMPLES/heroes.json | dragpipe receive --as hero --into favourites.json"
      let result = try await shell.run(drop)
      #expect(result.exitCode == 65)
      #expect(result.errorLines.last?.contains("favourites.json") == true)
      #expect(try shell.data(of: "favourites.json") == Data("no list".utf8))
    }
  }

  @Test("a list keeps its permissions, and a link to it stays a link")
  func listKeepsPermissionsAndLinks() async throws {
    try await withShell { shell in
      let result = try await shell.run(
        """
        mkdir real; echo '[]' > real/list.json; chmod 600 real/list.json; ln -s real/list.json favourites.json
        echo '{"id": 1, "name": "Pele"}' | dragpipe send --as hero - | dragpipe receive --as hero --into favourites.json
        stat -c '%F %a' favourites.json real/list.json; grep -c Pele real/list.json; ls -A real
        """)
      #expect(result.output == "symbolic link 777\nregular file 600\n1\nlist.json\n", "\(result.errors)")
    }
  }
}
