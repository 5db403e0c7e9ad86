// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// Temporary and final directories.
///
/// Temporary files must be removed, and unusable directories must be reported.
@Suite(.limited, .serialized, .timeLimit(.minutes(5))) struct ReceivingPlaceTests {
  /// Defines `$PLAIN`, a prefix that makes permissions apply to a command, even if the user is root.
  private static let plain = """
    unset PLAIN; rights=-dac_override,-dac_read_search
    [ "$(id -u)" != 0 ] || PLAIN="setpriv --bounding-set=$rights --inh-caps=$rights"

    """

  private static let canBePlain = geteuid() != 0 || installedProgram("setpriv") != nil

  @Test("a directory created for a stream is removed again if it stays empty")
  func newDirectoryIsRemovedIfEmpty() async throws {
    try await withShell { shell in
      let result = try await shell.run(
        """
        mkdir folder; echo x > folder/x; echo x > a; dragpipe send a folder > stream; size=$(stat -c %s stream)
        for ((n = 0; n < size; n += 23)); do
          head -c $n stream | dragpipe receive in/ 2> error; echo $? $(ls -d in 2>&1)
        done | sort -u
        dragpipe receive --accept public.image in/ < stream; echo $? $(ls -d in 2>&1)
        dragpipe receive --max-items 1 in/ < stream; echo $? $(ls -d in 2>&1)
        mkdir in; head -c 200 stream | dragpipe receive in/; echo $? $(ls -d in 2>&1); rmdir in
        : | dragpipe send --from-list - | dragpipe receive in/; echo $? $(ls -d in); rmdir in
        mkfifo wire; (head -c 200 stream; sleep 60) > wire & feeder=$!
        "$TOOL" receive in/ < wire & receiver=$!
        until ls -A in 2> /dev/null | grep -q .; do sleep 0.02; done
        kill $receiver; wait $receiver; echo $? $(ls -d in 2>&1); kill $feeder
        dragpipe receive in/ < stream; echo $? $(ls in)
        """)
      let nothing = "ls: cannot access 'in': No such file or directory"
      #expect(
        result.output == """
          65 \(nothing)
          3 \(nothing)
          77 \(nothing)
          65 in
          0 in
          143 \(nothing)
          0 a folder

          """, "\(result.errors)")
    }
  }

  @Test("a folder is not written to standard output, nor is anything beside it; as an archive it is")
  func folderAsOutput() async throws {
    try await withShell { shell in
      let result = try await shell.run(
        """
        mkdir Tales; echo once > Tales/a; echo x > a; mkdir tmp; export TMPDIR=$PWD/tmp
        dragpipe send a Tales | dragpipe receive -o - > out; echo $? $(stat -c %s out) $(ls -A tmp)
        dragpipe receive --from "exec:$TOOL send --to stdio: Tales" -o - 2> /dev/null; echo $?
        dragpipe send Tales | dragpipe receive --archives -o - | tail -c +258 | head -c 5; echo $(ls -A tmp)
        """)
      #expect(result.output == "77 0\n77\nustar\n", "\(result.errors)")
      #expect(
        result.errors
          == "dragpipe: Tales is a folder, which -o - cannot write; use a directory, or --archives for a tar archive\n")
    }
  }

  @Test("a created directory that is unusable or stays empty is removed", .enabled(if: canBePlain))
  func unusableDirectoryIsRemoved() async throws {
    try await withShell { shell in
      let result = try await shell.run(
        Self.plain + """
          echo x > a; dragpipe send a > stream
          (umask 0400; $PLAIN "$TOOL" receive in/ < stream 2> errors); echo $? $(ls -d in 2>&1)
          dragpipe send --keep-going --lazy 'public.html=exit 3' 2> errors | dragpipe receive in/ 2>> errors
          echo $? $(ls -d in 2>&1)
          """)
      let nothing = "ls: cannot access 'in': No such file or directory"
      #expect(result.output == "73 \(nothing)\n2 \(nothing)\n", "\(result.errors)")
    }
  }

  @Test("temporary folders are removed on every path, even read-only ones", .enabled(if: canBePlain))
  func temporaryFoldersAreAlwaysRemoved() async throws {
    try await withShell { shell in
      let result = try await shell.run(
        Self.plain + """
          mkdir -p Tales/deep/er tmp; echo once > Tales/deep/er/a; chmod 500 Tales/deep/er Tales/deep
          dragpipe send Tales > stream; chmod 500 Tales; dragpipe send Tales > closed; export TMPDIR=$PWD/tmp
          for stream in stream closed; do
            $PLAIN "$TOOL" receive --exec 'cat "$DRAGPIPE_FILE/deep/er/a"' < $stream; echo $? $(ls -A tmp)
            $PLAIN "$TOOL" receive --exec 'exit 1' < $stream 2> errors; echo $? $(ls -A tmp)
            $PLAIN "$TOOL" receive -o - < $stream 2> errors; echo $? $(ls -A tmp)
            head -c -1 $stream | $PLAIN "$TOOL" receive -o - 2> errors; echo $? $(ls -A tmp)
            $PLAIN "$TOOL" receive --exec 'touch ran; sleep 60' < $stream & receiver=$!
            until [ -e ran ]; do sleep 0.02; done; kill $receiver; wait $receiver; echo $? $(ls -A tmp); rm ran
          done
          chmod -R u+w Tales tmp
          """)
      #expect(
        result.output == String(repeating: "once\n0\n1\n77\n65\n143\n", count: 2), "\(result.errors)")
    }
  }

  @Test(.enabled(if: canBePlain)) func mergedFileThatItsOwnerMayNotReadReplacesAnother() async throws {
    try await withShell { shell in
      let result = try await shell.run(
        Self.plain + """
          mkdir -p Tales in/Tales; echo new > Tales/a; chmod 200 Tales/a; dragpipe send Tales > stream
          echo old > in/Tales/a; echo b > in/Tales/b
          $PLAIN "$TOOL" receive --overwrite --preserve in < stream; echo $? $(ls in/Tales) $(stat -c %a in/Tales/a)
          chmod 600 in/Tales/a; cat in/Tales/a
          """)
      #expect(result.output == "0 a b 200\nnew\n", "\(result.errors)")
    }
  }

  @Test(
    "a folder that is closed to its owner arrives as it is, and is taken back as any other", .enabled(if: canBePlain))
  func closedFolderArrives() async throws {
    try await withShell { shell in
      let result = try await shell.run(
        Self.plain + """
          mkdir Tales in late; echo once > Tales/a; echo b > b; chmod 500 Tales; dragpipe send Tales b > stream
          $PLAIN "$TOOL" receive in < stream; echo $? $(ls in) $(stat -c %a in/Tales)
          mkfifo wire; $PLAIN "$TOOL" receive late < wire & receiver=$!
          exec 3> wire; head -c -1 stream >&3; until [ -e late/.dragpipe-*/1 ]; do sleep 0.02; done
          echo mine > late/b; tail -c 1 stream >&3; exec 3>&-
          wait $receiver; echo $? $(ls -A late) $(cat late/b); chmod -R u+w .
          """)
      #expect(result.output == "0 Tales b 500\n73 b mine\n", "\(result.errors)")
    }
  }

  @Test("a file that its owner may not read is replaced and preserved like any other", .enabled(if: canBePlain))
  func unreadableFileIsReplacedAndPreserved() async throws {
    try await withShell { shell in
      let result = try await shell.run(
        Self.plain + """
          mkdir in; echo new > a; chmod 0 a; touch -d '2001-02-03 04:05:06.5' a; dragpipe send a > zero
          chmod 400 a; dragpipe send a > read; chmod 200 a; dragpipe send a > write
          for stream in zero read write; do
            rm -f in/a; echo old > in/a
            $PLAIN "$TOOL" receive -p --overwrite in < $stream; echo $? $(stat -c '%a %.1Y' in/a) $(cat in/a)
          done
          """)
      #expect(
        result.output == "0 0 981173106.5 new\n0 400 981173106.5 new\n0 200 981173106.5 new\n", "\(result.errors)")
    }
  }

  @Test("an unusable directory for temporary files is reported, with TMPDIR", .enabled(if: canBePlain))
  func unusableTemporaryDirectoryIsReported() async throws {
    try await withShell { shell in
      let result = try await shell.run(
        Self.plain + """
          echo x > a; mkdir closed; chmod 500 closed; dragpipe send a > stream
          for place in missing a closed; do
            for mode in '-o -' '--exec cat'; do TMPDIR=$PWD/$place $PLAIN "$TOOL" receive $mode < stream; echo $?; done
          done 2> errors; sort -u errors | sed "s#$PWD/##"
          """)
      #expect(
        result.output == """
          73
          73
          73
          73
          73
          73
          dragpipe: cannot create temporary files in a (see TMPDIR): Not a directory
          dragpipe: cannot create temporary files in closed (see TMPDIR): Permission denied
          dragpipe: cannot create temporary files in missing (see TMPDIR): No such file or directory

          """, "\(result.errors)")
    }
  }

  @Test("a folder is sent without temporary files")
  func folderIsSentWithoutTemporaryFiles() async throws {
    try await withShell { shell in
      let result = try await shell.run(
        """
        mkdir Tales; echo once > Tales/a; export TMPDIR=$PWD/missing
        "$TOOL" send Tales | "$TOOL" receive one/; echo $?
        "$TOOL" send Tales --to items.drop; "$TOOL" receive --from items.drop two/; echo $?
        "$TOOL" send Tales --to "exec:$TOOL receive --from stdio: three/"; echo $?; cat */Tales/a
        """)
      #expect(result.output == "0\n0\n0\nonce\nonce\nonce\n")
      #expect(result.errors.isEmpty)
    }
  }

  @Test("content too large for memory reports an unusable directory, too")
  func largeContentReportsAnUnusableDirectory() async throws {
    try await withShell { shell in
      let result = try await shell.run(
        """
        head -c 40M /dev/zero > long; dragpipe send --type org.dragpipe.hero=long > stream
        TMPDIR=$PWD/missing dragpipe receive --as hero --into h.json < stream; echo $?
        """)
      #expect(result.output == "73\n", "\(result.errors)")
      #expect(result.errors.hasSuffix("/missing (see TMPDIR): No such file or directory\n"))
    }
  }

  @Test(
    "an empty name is a usage error that names the option",
    arguments: [
      ("-o ''", "-o needs a file name"), ("--output=", "-o needs a file name"), ("''", "DIR is empty"),
      ("--into '' --as hero", "--into"),
    ])
  func emptyNameIsAUsageError(_ arguments: String, _ reason: String) async throws {
    try await withShell { shell in
      let result = try await shell.run("echo x > a; dragpipe send a > s; dragpipe receive \(arguments) < s; echo $?")
      #expect(result.output == "64\n")
      #expect(result.errors.hasPrefix("dragpipe: \(reason)"), "\(result.errors)")
      #expect(try shell.names(in: ".") == ["a", "s"])
    }
  }

  @Test("a folder with hostile names or links is refused in one line, and leaves no files")
  func hostileFolderIsRefused() async throws {
    try await withShell { shell in
      let result = try await shell.run(
        """
        mkdir in; python3 - <<'PY'
        import tarfile
        def write(name, *entries):
            with tarfile.open(name, "w") as archive:
                for entry, kind, target in (("T/", "5", ""),) + entries:
                    info = tarfile.TarInfo(entry); info.type = kind.encode(); info.linkname = target
                    info.mode = 0o755
                    archive.addfile(info)
        for number, entry in enumerate(["T/../../out", "/out", "T/./a", "T//a", "T/e\\x1b[2J", "T/" + "x" * 256]):
            write(f"7{number}.tar", (entry, "0", ""))
        for number, target in enumerate(["/etc/passwd", "..", "../T/a", "b/../../out"]):
            write(f"8{number}.tar", ("T/b/", "5", ""), ("T/a", "2", target))
        write("50.tar", ("T/a", "6", ""))
        write("51.tar", ("T/b/", "5", ""), ("T/a", "2", "b"), ("T/a/b", "0", ""))
        write("52.tar", ("T/a", "1", "T/b"), ("T/b", "1", "T/a"))
        write("53.tar", ("T/a", "0", ""), ("T/a", "0", ""))
        write("54.tar", ("T/a", "0", ""), ("T/a/b", "0", ""))
        write("55.tar", ("U/", "5", ""))
        PY
        for archive in *.tar; do
          dragpipe send --type public.folder=$archive --name T | dragpipe receive in 2> error
          echo ${archive%?.tar} $? $(wc -l < error) $(ls -A in); cat error >> errors
        done | sort | uniq -c | tr -s ' '; ls -d out ../out 2> /dev/null; cat errors
        """)
      #expect(result.output.hasPrefix(" 6 5 65 1\n 6 7 77 1\n 4 8 77 1\n"), "\(result.output)\(result.errors)")
      #expect(result.output.contains(#""T/e\u{1b}[2J""#), "\(result.output)")
      #expect(!result.output.utf8.contains(0x1B))
      #expect(!result.output.contains("\nout\n") && !result.output.contains("../out\n"))
    }
  }

  @Test("the content of a folder keeps permissions and times, on request regardless of the umask")
  func folderContentKeepsAttributes() async throws {
    try await withShell { shell in
      let result = try await shell.run(
        """
        umask 0; mkdir -p Tales/deep usual kept; echo x > Tales/deep/a; echo y > Tales/b
        chmod 6777 Tales/deep/a; chmod 666 Tales/b; chmod 1777 Tales/deep; chmod 2775 Tales
        for name in deep/a b deep .; do touch -d '2001-02-03 04:05:06' Tales/$name; done
        dragpipe send Tales > stream; umask 027
        dragpipe receive usual < stream; dragpipe receive --preserve kept < stream
        for way in usual kept; do (cd $way; stat -c '%n %a %Y' Tales Tales/deep Tales/deep/a Tales/b); done
        """)
      #expect(
        result.output == """
          Tales 750 981173106
          Tales/deep 750 981173106
          Tales/deep/a 750 981173106
          Tales/b 640 981173106
          Tales 775 981173106
          Tales/deep 1777 981173106
          Tales/deep/a 777 981173106
          Tales/b 666 981173106

          """, "\(result.errors)")
    }
  }
}
