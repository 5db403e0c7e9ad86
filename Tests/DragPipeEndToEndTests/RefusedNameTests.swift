// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// The messages about refused names and missing directories.
@Suite(.limited, .serialized, .timeLimit(.minutes(5))) struct RefusedNameTests {
  @Test(arguments: [
    (#"b\tc"#, #"b\u{9}c"#, "it has the control character U+9"),
    (#"b\u200bc"#, #"b\u{200b}c"#, "it has the control character U+200B"),
    (#"b\xffc"#, #"b\xFFc"#, "it is not UTF-8"),
  ])
  func badNameIsFoundBeforeAnythingIsSent(_ name: String, _ shown: String, _ reason: String) async throws {
    try await withShell { shell in
      let result = try await shell.run(
        """
        mkdir d in; echo 1 > d/a; echo 2 > $'d/\(name)'; echo 3 > d/z
        dragpipe send d/* > stream; echo $? $(stat -c %s stream)
        dragpipe send d/* --to new.drop; echo $?; ls new.drop 2> /dev/null
        ls d | dragpipe send --from-list - > stream; echo $? $(stat -c %s stream)
        """)
      #expect(result.output == "77 0\n77\n77 0\n", "\(result.errors)")
      let line = "dragpipe: cannot send \"d/\(shown)\": receivers refuse the name: \(reason)\n"
      #expect(result.errors == line + line + line.replacing("d/", with: ""))
    }
  }

  @Test(arguments: ["b\\tc", "b\\u200bc", "b\\xffc"])
  func keepGoingSendsTheOthers(_ name: String) async throws {
    try await withShell { shell in
      let result = try await shell.run(
        """
        mkdir d in list; echo 1 > d/a; echo 2 > $'d/\(name)'; echo 3 > d/z
        dragpipe send -k d/* | dragpipe receive in; echo ${PIPESTATUS[*]} $(ls in)
        cd d; ls | dragpipe send -k --from-list - | dragpipe receive ../list; echo ${PIPESTATUS[*]} $(ls ../list)
        """)
      #expect(result.output == "2 0 a z\n0 2 0 a z\n", "\(result.errors)")
      #expect(result.errorLines.filter { $0.hasPrefix("dragpipe: left out: cannot send \"") }.count == 2)
    }
  }

  @Test func fileOfHeroesWhoseNameIsNotUTF8IsRefused() async throws {
    try await withShell { shell in
      let result = try await shell.run(
        """
        cp "$SAMPLES/heroes.json" $'h\\xff.json'; cp "$SAMPLES/heroes.json" z.json
        dragpipe send --as hero h*.json > stream; echo $? $(stat -c %s stream)
        ls h*.json | dragpipe send --as hero --from-list - > stream; echo $? $(stat -c %s stream)
        dragpipe send -k --as hero h*.json z.json > stream; echo $?; dragpipe inspect --verify stream > verdict; echo $?
        """)
      #expect(result.output == "77 0\n77 0\n2\n0\n", "\(result.errors)")
      let line = #"cannot open "h\xFF.json": the name is not UTF-8"#
      #expect(result.errorLines.prefix(2) == ["dragpipe: \(line)", "dragpipe: \(line)"])
      #expect(result.errorLines.contains("dragpipe: left out: \(line)"))
    }
  }

  @Test func keepGoingOffersTheOthersInASession() async throws {
    try await withShell { shell in
      let result = try await shell.run(
        """
        mkdir d in; echo 1 > d/a; echo 2 > $'d/b\\tc'; echo 3 > d/z; receiver="exec:$TOOL receive --from stdio: in"
        dragpipe send --to "$receiver" d/*; echo $? $(ls in); dragpipe send -k --to "$receiver" d/*; echo $? $(ls in)
        """)
      #expect(result.output == "77\n2 a z\n", "\(result.errors)")
    }
  }

  @Test func badNameInAFolderIsFoundBeforeAnythingIsSent() async throws {
    try await withShell { shell in
      let result = try await shell.run(
        """
        mkdir -p d/e in; echo 1 > a; echo 2 > $'d/e/b\\x01'
        dragpipe send a d > stream; echo $? $(stat -c %s stream)
        dragpipe send -k a d | dragpipe receive in; echo ${PIPESTATUS[*]} $(ls in)
        """)
      #expect(result.output == "77 0\n2 0 a\n", "\(result.errors)")
      #expect(result.errors.contains(#"cannot send "d/e/b\u{1}": a name has the control character U+1"#))
    }
  }

  @Test func badNameOfARepresentationIsFoundBeforeAnythingIsSent() async throws {
    try await withShell { shell in
      let result = try await shell.run(
        """
        mkdir d in; echo 1 > a; echo 2 > $'b\\tc'; echo 3 > $'d/e\\tf'
        for file in $'b\\tc' d; do
          dragpipe send --type public.data="$file" > stream; echo $? $(stat -c %s stream)
          dragpipe send --type public.data=a --lazy 'public.json=touch started' --type public.png="$file" --to x.drop
          echo $? $([ "$file" = d ] || ls x.drop started 2> /dev/null); rm -f x.drop started
        done
        dragpipe send --type public.data=$'g\\xff' > stream; echo $? $(stat -c %s stream)
        dragpipe send -n ok --type public.data=$'b\\tc' | dragpipe receive in; echo ${PIPESTATUS[*]} $(ls in)
        """)
      #expect(
        result.output == "77 0\n0 started x.drop\n77 0\n77\n64 0\n0 0 ok\n", "\(result.errors)")
      #expect(
        result.errorLines.contains(
          #"dragpipe: cannot send "b\u{9}c": receivers refuse the name: it has the control character U+9"#))
      #expect(result.errorLines.count { $0.contains("a name has the control character U+9") } == 2)
    }
  }

  @Test func nameInAFolderThatIsNotUTF8IsShownEscaped() async throws {
    try await withShell { shell in
      let result = try await shell.run(
        """
        mkdir -p d/e; echo 2 > $'d/e/b\\xff\\t'
        dragpipe send d > stream; echo $? $(stat -c %s stream); dragpipe send --to 'exec:cat' d; echo $?
        """)
      #expect(result.output == "77 0\n77\n", "\(result.errors)")
      let line = #"dragpipe: cannot send "d/e/b\xFF\x09": a name is not UTF-8"#
      #expect(result.errors == line + "\n" + line + "\n")
    }
  }

  @Test func refusalOfAHiddenNameNamesTheOption() async throws {
    try await withShell { shell in
      let result = try await shell.run("echo x > .rc; dragpipe send .rc | dragpipe receive out/; echo $?")
      #expect(result.output == "77\n")
      #expect(result.errors == "dragpipe: refused the name \".rc\": it starts with a period (see --hidden)\n")
    }
  }

  @Test func missingDirectoryIsExplained() async throws {
    try await withShell { shell in
      let result = try await shell.run(
        """
        echo x > a; dragpipe send a | dragpipe receive nodir; echo $?
        dragpipe receive --from "exec:$TOOL send --to stdio: a 2> /dev/null" ./nodir; echo $?
        dragpipe send a | dragpipe receive no/dir; echo $?
        """)
      #expect(result.output == "73\n73\n73\n", "\(result.errors)")
      #expect(
        result.errors == """
          dragpipe: directory nodir does not exist; use nodir/ to create it
          dragpipe: directory ./nodir does not exist; use ./nodir/ to create it
          dragpipe: cannot use the directory no/dir: No such file or directory

          """)
    }
  }
}
