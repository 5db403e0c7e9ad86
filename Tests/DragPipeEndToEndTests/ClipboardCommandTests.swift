// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DisplayWire
import Foundation
import TestSupport
import Testing

/// The clipboard commands on a virtual display, between two processes of the tool and with other programs.
@Suite(
  .serialized, .limited, .timeLimit(.minutes(10)), .enabled(if: VirtualDisplay.isInstalled, "Xvfb is not installed"),
  .virtualDisplay)
struct ClipboardCommandTests {
  /// Runs a script on the virtual display of the suite.
  private func run(in shell: Shell, _ script: String) async throws -> Shell.Result {
    try await shell.run("export DISPLAY=\(try VirtualDisplay.current.address)\n" + script)
  }

  private func expect(
    _ output: String, exitCode: Int32 = 0, from script: String, location: SourceLocation = #_sourceLocation
  ) async throws {
    try await withShell { shell in
      let result = try await run(in: shell, script)
      #expect(result.output == output, "\(result.errors)", sourceLocation: location)
      #expect(result.exitCode == exitCode, "\(result.errors)", sourceLocation: location)
    }
  }

  @Test func copiedFilesArePastedWithNamesAndFolders() async throws {
    try await expect(
      "0\na.txt\nf\nhail\ndeep\n",
      from: """
        mkdir -p f/g in; echo hail > a.txt; echo deep > f/g/deep.txt
        dragpipe copy --detach a.txt f; echo $?
        dragpipe paste in; cd in; ls; cat a.txt f/g/deep.txt
        dragpipe copy --clear
        """)
  }

  @Test func standardInputIsCopiedAsTextOrByItsContent() async throws {
    try await expect(
      "Hail\nHail\npublic.utf8-plain-text\npublic.png\n",
      from: """
        printf 'Hail\\n' | dragpipe copy -d -; dragpipe paste; dragpipe paste -o -
        dragpipe paste --list | cut -f 3
        printf '\\x89PNG\\r\\n\\x1a\\n\\0\\0\\0\\rIHDR' | dragpipe copy -d -; dragpipe paste --list | cut -f 3
        dragpipe copy --clear
        """)
  }

  @Test func endpointsNameTheClipboardAndThePrimarySelection() async throws {
    try await expect(
      "hero\nother\n0\n",
      from: """
        echo hero > a.txt; echo other > b.txt; mkdir in
        "$TOOL" send --to clipboard: a.txt & one=$!; "$TOOL" send --to primary: --once b.txt & two=$!
        until dragpipe receive --from clipboard: in 2> /dev/null; do sleep 0.05; done; cat in/a.txt
        until dragpipe paste --primary 2> /dev/null; do sleep 0.05; done
        wait $two; echo $?; kill $one; wait $one; true
        """)
  }

  @Test func withoutADisplayTheExitCodeIs69() async throws {
    for display in ["unset DISPLAY", "export DISPLAY=:4321", "export DISPLAY=elsewhere:0"] {
      try await withShell { shell in
        let result = try await shell.run(
          "\(display); echo a > a; dragpipe copy a; echo $?; dragpipe paste; echo $?; dragpipe copy -d a; echo $?")
        #expect(result.output == "69\n69\n69\n")
        #expect(result.errorLines.count == 3 && result.errorLines.allSatisfy { $0.hasPrefix("dragpipe: ") })
      }
    }
  }

  @Test func anEmptyClipboardIsReported() async throws {
    try await expect("66\n66\n", from: "dragpipe copy --clear; dragpipe paste; echo $?; dragpipe paste --list; echo $?")
  }

  @Test func watchingRunsTheCommandForEachChange() async throws {
    try await expect(
      "one\ntwo\n",
      from: """
        "$TOOL" paste --watch --exec 'echo "$(cat)" >> seen' & watch=$!
        sleep 0.3
        for word in one two; do
          printf $word | dragpipe copy -d -; until grep -qs $word seen; do sleep 0.05; done
        done
        kill $watch; wait $watch; cat seen; dragpipe copy --clear
        """)
  }

  @Test func addressesArePrintedForScripts() async throws {
    try await expect(
      "/a b/c\nfile:///a%20b/c\n/a b/c|",
      from: """
        mkdir -p x; echo 1 > 'x/c d'
        printf 'file:///etc/hostname\\r\\n' > list
        dragpipe copy -d 'x/c d'
        dragpipe paste --print path | sed "s:$PWD/x/c d:/a b/c:"
        dragpipe paste --print uri | sed "s:$PWD/x/c%20d:/a%20b/c:"
        dragpipe paste --print path -0 | tr '\\0' '|' | sed "s:$PWD/x/c d:/a b/c:"
        dragpipe copy --clear
        """)
  }

  @Test func aSingleTypeIsPasted() async throws {
    try await expect(
      "{}\n3\n",
      from: """
        printf '{}\\n' > a.json; dragpipe copy -d --type .json=a.json --lazy '.txt=echo made'
        dragpipe paste -a .json; dragpipe paste -a .png; echo $?; dragpipe copy --clear
        """)
  }

  // MARK: Other programs

  private static let hasPeers = installedProgram("xclip") != nil && installedProgram("xsel") != nil

  @Test(
    .enabled(if: hasPeers, "xclip and xsel are not installed"),
    arguments: [0, 1, 65_535, 300_000, 20_000_000])
  func xclipAndXselReadCopiedText(count: Int) async throws {
    try await expect(
      "same\nsame\n",
      from: """
        head -c \(count) /dev/zero | tr '\\0' 'h' > a.txt
        dragpipe copy -d a.txt
        xclip -o -selection clipboard -t UTF8_STRING | cmp - a.txt && echo same
        xsel -b -o | cmp - a.txt && echo same
        dragpipe copy --clear
        """)
  }

  @Test(
    .enabled(if: hasPeers, "xclip and xsel are not installed"),
    arguments: [1, 65_535, 300_000, 20_000_000])
  func textOfXclipAndXselIsPasted(count: Int) async throws {
    try await expect(
      "same\nsame\n",
      from: """
        head -c \(count) /dev/zero | tr '\\0' 'h' > a.txt
        xclip -i -selection clipboard a.txt; dragpipe paste | cmp - a.txt && echo same
        xsel -b -i < a.txt; dragpipe paste | cmp - a.txt && echo same
        dragpipe copy --clear
        """)
  }

  @Test(.enabled(if: hasPeers, "xclip and xsel are not installed"))
  func filesOfXclipAreCheckedBeforeTheyAreReceived() async throws {
    try await expect(
      "0\nhail\n65\n65\n66\n",
      from: """
        echo hail > a.txt; ln -s a.txt link; mkdir in
        offer() { printf "$1\\r\\n" | xclip -i -selection clipboard -t text/uri-list; }
        offer "file://$PWD/a.txt"; dragpipe paste in; echo $?; cat in/a.txt
        offer "file://$PWD/link"; dragpipe paste in; echo $?
        offer "file://elsewhere.example/a.txt"; dragpipe paste in; echo $?
        offer "file://$PWD/missing"; dragpipe paste in; echo $?
        dragpipe copy --clear
        """)
  }
}
