// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@Suite("The tool's answers about types", .serialized, .limited, .timeLimit(.minutes(5)))
struct TypesTests {
  @Test("names identify files that do not exist")
  func namesIdentifyMissingFiles() async throws {
    try await withShell { shell in
      let result = try await shell.run("dragpipe types of photo.HEIC notes.tar.gz Makefile x.unknownext")
      #expect(result.exitCode == 0)
      let rows = result.output.split(separator: "\n").map { $0.split(separator: "\t").map(String.init) }
      #expect(rows.map { $0[0] } == ["photo.HEIC", "notes.tar.gz", "Makefile", "x.unknownext"])
      #expect(rows[0][1].hasPrefix("public.hei"))
      #expect(rows[1][1].hasPrefix("org.gnu.gnu-zip"))
      #expect(rows[3] == ["x.unknownext", "dyn.ah62d4rv4ge81n5xpr311s5xftb4a", "extension unknownext"])
      #expect(result.errorLines.count == 4)
    }
  }

  @Test("content identifies files from any source; links and process substitutions do not block")
  func contentIdentifiesFiles() async throws {
    try await withShell { shell in
      let result = try await shell.run(
        """
        printf '\\x89PNG\\r\\n\\x1a\\n\\0\\0\\0\\rIHDR' > picture
        cat picture | dragpipe types of --mime - || exit
        dragpipe types of --content-only picture || exit
        mkfifo fifo; timeout 300 "$TOOL" types of fifo <(sleep 0.1) > kinds || exit
        wc -l < kinds
        """)
      #expect(result.exitCode == 0, "\(result.errors)")
      #expect(result.output == "-\timage/png\npicture\tpublic.png\n2\n")
    }
  }

  @Test("exit codes: 0 and 1 for a result, 64 for an unknown type, 66 for an unreadable file")
  func exitCodesOfTypesCommands() async throws {
    for (arguments, code) in [
      ("conforms public.png public.image", 0), ("conforms public.image public.png", 1),
      ("conforms public.png org.example.nobody", 64), ("info org.example.nobody", 1), ("of --content-only missing", 66),
      ("of --name-only missing.png", 0), ("import missing.plist", 66), ("import /etc/passwd", 65), ("types fly", 64),
    ] as [(String, Int32)] {
      try await withShell { shell in
        let result = try await shell.run("dragpipe types \(arguments)")
        #expect(result.exitCode == code, "\(arguments): \(result.errors)")
        // If the answer is a sentence on standard output, no message is needed.
        #expect(result.errorLines.count == (code == 0 || arguments.contains("public.png") && code == 1 ? 0 : 1))
      }
    }
  }

  @Test func fileOfTheDatabaseThatIsTooLongIsReportedOnce() async throws {
    try await withShell { shell in
      let result = try await shell.run(
        """
        mkdir -p home/mime; truncate -s 16777217 home/mime/globs2; export XDG_DATA_HOME=$PWD/home; echo x > a; echo y > b
        dragpipe types of a b 2> errors || exit; sed "s:$PWD/::" errors
        dragpipe types of --json a b 2> errors > output || exit; sed "s:$PWD/::" errors
        """)
      let remark = "dragpipe: home/mime/globs2: the file has more than 16777216 bytes; it is ignored\n"
      #expect(result.exitCode == 0, "\(result.errors)")
      #expect(result.output == "a\tpublic.plain-text\nb\tpublic.plain-text\n\(remark)\(remark)")
    }
  }

  @Test func importReportsNoFaultOfTheDatabase() async throws {
    try await withShell { shell in
      let result = try await shell.run(
        """
        mkdir -p home/mime; truncate -s 16777217 home/mime/globs2; export XDG_DATA_HOME=$PWD/home
        echo '<plist><dict/></plist>' > list.plist
        dragpipe types import list.plist 2>&1 || exit
        for answer in 'list --conforms-to public.png' 'info public.png'; do
          dragpipe types $answer 2>&1 > /dev/null | sed "s:$PWD/::"
        done
        """)
      let remark = "dragpipe: home/mime/globs2: the file has more than 16777216 bytes; it is ignored\n"
      #expect(result.output == remark + remark, "\(result.errors)")
    }
  }

  @Test("an unreadable file is reported, and the following files are identified")
  func unreadableFileIsReported() async throws {
    try await withShell { shell in
      let result = try await shell.run(
        """
        echo x > secret; chmod 0 secret; echo '{}' > a.json
        # Root may read everything; then there is nothing to see.
        cat secret 2> /dev/null && { echo skipped; exit; }
        dragpipe types of secret a.json; echo ${PIPESTATUS[0]}
        """)
      guard !result.output.hasSuffix("skipped\n") else { return }
      #expect(result.output == "a.json\tpublic.json\n66\n")
      #expect(result.errorLines.count == 1)
      #expect(result.errors == "dragpipe: secret: Permission denied\n")
    }
  }

  @Test("closing the output ends a listing without a message; a full disk is an error")
  func closedOutputEndsTheListing() async throws {
    try await withShell { shell in
      let result = try await shell.run(
        """
        dragpipe types list | head -1; echo ${PIPESTATUS[0]}
        dragpipe types list > /dev/full; echo $?
        """)
      let lines = result.output.split(separator: "\n")
      #expect(lines.count == 3)
      #expect(["0", "141"].contains(lines.dropFirst().first))
      #expect(lines.last == "74")
      #expect(result.errorLines.count == 1)
    }
  }

  @Test("a signal ends the wait for standard input and for a property list")
  func signalEndsTheWaitForInput() async throws {
    try await withShell { shell in
      let result = try await shell.run(
        """
        mkfifo never; exec 3<>never
        for command in 'of -' 'import -' 'import never'; do
          "$TOOL" types $command < never & tool=$!
          sleep 0.3; kill -TERM $tool; wait $tool; echo $?
        done
        """)
      #expect(result.output == "143\n143\n143\n", "\(result.errors)")
    }
  }

  @Test("names that are not UTF-8 are refused")
  func namesThatAreNotUTF8AreRefused() async throws {
    try await withShell { shell in
      let result = try await shell.run(#"dragpipe types of $'a\xff.png'"#)
      #expect(result.exitCode == 64)
      #expect(result.errors == "dragpipe: argument 3 is not valid UTF-8: a\\xFF.png (see dragpipe types of --help)\n")
    }
  }
}
