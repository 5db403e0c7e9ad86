// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// The destination folders of files from a list, also if files already exist there.
@Suite(.limited, .serialized, .timeLimit(.minutes(5))) struct ListedFolderTests {
  @Test(arguments: ["", "| sed \"s:^:$PWD/:\"", "| sed s:^:d/../:", "| sed s:^:./:"])
  func listedFilesKeepTheirPathsBelowTheCommonFolder(_ change: String) async throws {
    try await withShell { shell in
      let result = try await shell.run(
        """
        mkdir -p d/a d/b/c in; echo 1 > d/a/x.txt; echo 2 > d/b/x.txt; echo 3 > d/b/c/x.txt
        find d -type f | sort \(change) | dragpipe send --from-list - | dragpipe receive in || exit 1
        cd in; grep -r . . | sort
        """)
      #expect(result.output == "./a/x.txt:1\n./b/c/x.txt:3\n./b/x.txt:2\n", "\(result.errors)")
    }
  }

  @Test func listedFilesKeepTheirPathsInASession() async throws {
    try await withShell { shell in
      let result = try await shell.run(
        """
        mkdir -p d/a d/b in; echo 1 > d/a/x.txt; echo 2 > d/b/x.txt
        find d -type f > list; dragpipe send --to "exec:$TOOL receive --from stdio: in" --from-list list || exit 1
        cd in; grep -r . . | sort
        """)
      #expect(result.output == "./a/x.txt:1\n./b/x.txt:2\n", "\(result.errors)")
    }
  }

  @Test func listingsShowTheFolderOfAFile() async throws {
    try await withShell { shell in
      let result = try await shell.run(
        """
        mkdir -p d/a d/b; echo 1 > d/a/x; echo 2 > d/b/x; printf 'd/a/x\\nd/b/x\\n' > list
        dragpipe send --from-list list > stream; dragpipe receive --list < stream
        dragpipe receive --from "exec:$TOOL send --to stdio: --from-list list" --list | cut -f 2
        dragpipe inspect stream | grep -c '"[ab]/x"'; dragpipe inspect --json stream | grep -o '"folder": *"[ab]"' | tr -d ' '
        dragpipe receive --list --json < stream | grep -o '"folder" *: *"[ab]"' | tr -d ' '
        """)
      let rows = "1\ta/x\tpublic.data\t2\n2\tb/x\tpublic.data\t2\n"
      let folders = "\"folder\":\"a\"\n\"folder\":\"b\"\n"
      #expect(result.output == rows + "a/x\nb/x\n2\n" + folders + folders, "\(result.errors)")
    }
  }

  @Test func namesBelowAListedFolderAreSentOnce() async throws {
    try await withShell { shell in
      let result = try await shell.run(
        """
        mkdir -p d/a d/b in; echo 1 > d/a/x; echo 2 > d/b/x
        find d | dragpipe send --from-list - | dragpipe receive in || exit 1
        (cd d; find . -mindepth 1) | sed s:^./:d/: | dragpipe send --from-list - | dragpipe receive --overwrite in/d || exit 1
        cd in; find . | sort
        """)
      #expect(result.output == ".\n./d\n./d/a\n./d/a/x\n./d/b\n./d/b/x\n", "\(result.errors)")
    }
  }

  @Test func hiddenFolderOfAListNeedsTheOption() async throws {
    try await withShell { shell in
      let result = try await shell.run(
        """
        mkdir -p d/.ssh in; echo 1 > d/.ssh/keys; echo 2 > d/a
        printf 'd/.ssh/keys\\nd/a\\n' > list
        dragpipe send --from-list list | dragpipe receive in; echo $? $(ls -A in)
        dragpipe send --from-list list | dragpipe receive --hidden in; echo $? $(cat in/.ssh/keys)
        """)
      #expect(result.output == "77\n0 1\n", "\(result.errors)")
      #expect(result.errors == "dragpipe: refused the folder \".ssh\": it starts with a period (see --hidden)\n")
    }
  }

  @Test func linkInTheDestinationIsNotFollowed() async throws {
    try await withShell { shell in
      let result = try await shell.run(
        """
        mkdir -p d/a d/b in outside; echo 1 > d/a/x; echo 2 > d/b/x; ln -s ../outside in/b
        for option in '' --overwrite --rename --skip-existing; do
          find d -type f | sort | dragpipe send --from-list - | dragpipe receive $option in; echo $?
        done
        ls outside; find in | sort
        """)
      #expect(result.output == "73\n73\n73\n73\nin\nin/b\n", "\(result.errors)")
      #expect(result.errors.contains(#"cannot create "b/x" in in: a folder in its path is not a directory"#))
    }
  }

  @Test func overwriteReplacesFilesAndMergesFolders() async throws {
    try await withShell { shell in
      let result = try await shell.run(
        """
        mkdir -p d/e/f d/new in/d/e; echo 1 > d/e/x; echo 1 > d/e/f/y; echo 1 > d/new/z; echo 1 > a
        echo 0 > in/d/e/x; echo 0 > in/d/e/kept; echo 0 > in/a
        dragpipe send a d | dragpipe receive --overwrite in || exit 1
        (cd in; grep -r . . | sort; ls -A)
        # All or nothing: a file in the place of a folder takes everything back.
        echo 2 > a; echo 2 > d/e/x; rm -r in/d/new; echo 0 > in/d/new
        dragpipe send a d | dragpipe receive --overwrite in; echo $?; (cd in; grep -r . . | sort; ls -A)
        """)
      let first = "./a:1\n./d/e/f/y:1\n./d/e/kept:0\n./d/e/x:1\n"
      #expect(result.output == first + "./d/new/z:1\na\nd\n73\n" + first + "./d/new:0\na\nd\n", "\(result.errors)")
      #expect(result.errors.contains("only a file replaces a file, and a folder merges with a folder"))
    }
  }

  @Test func overwriteReplacesAListedFileInItsFolder() async throws {
    try await withShell { shell in
      let result = try await shell.run(
        """
        mkdir -p d/a d/b in/a; echo 1 > d/a/x; echo 1 > d/b/x; echo 0 > in/a/x; echo 0 > in/a/kept
        find d -type f > list
        dragpipe send --from-list list | dragpipe receive in; echo $?; ls in
        dragpipe send --from-list list | dragpipe receive --overwrite in || exit 1
        dragpipe send --from-list list | dragpipe receive --rename in || exit 1
        cd in; grep -r . . | sort
        """)
      #expect(
        result.output == "73\na\n./a/kept:0\n./a/x-2:1\n./a/x:1\n./b/x-2:1\n./b/x:1\n", "\(result.errors)")
    }
  }

  @Test func folderAndListedFilesInItAreMergedOnRequest() async throws {
    try await withShell { shell in
      let result = try await shell.run(
        """
        mkdir -p s/a t/a in; echo 1 > s/a/b; echo 1 > s/c; echo 2 > t/a/x; printf 's/a/b\\ns/c\\n' > list
        for option in '' --skip-existing --rename --overwrite; do
          dragpipe send t/a --from-list list | dragpipe receive $option in; echo $?
          (cd in; grep -r . . | sort; rm -rf ./*)
        done
        echo 2 > t/a/b; dragpipe send t/a --from-list list | dragpipe receive --overwrite in; echo $?; ls -A in
        """)
      let merged = "0\n./a/b:1\n./a/x:2\n./c:1\n"
      #expect(result.output == "77\n" + merged + merged + merged + "77\n", "\(result.errors)")
      #expect(result.errorLines.contains(#"dragpipe: two items have the name "a""#))
      #expect(result.errorLines.contains(#"dragpipe: two items have the name "a/b""#))
    }
  }

  @Test func executableBitSurvivesAsTheUmaskLetsIt() async throws {
    try await withShell { shell in
      let result = try await shell.run(
        """
        echo x > run; chmod 755 run; echo x > plain; chmod 600 plain; echo x > mine; chmod 700 mine; mkdir in private
        umask 022; dragpipe send run plain mine | dragpipe receive in || exit 1; stat -c %a in/run in/plain in/mine
        umask 077; dragpipe send run | dragpipe receive private || exit 1; stat -c %a private/run
        dragpipe send run | dragpipe receive -o out || exit 1; stat -c %a out
        """)
      #expect(result.output == "755\n644\n744\n700\n700\n", "\(result.errors)")
    }
  }

  @Test func preserveKeepsTheStickyBit() async throws {
    try await withShell { shell in
      let result = try await shell.run(
        """
        mkdir -p d/t in plain; chmod 1777 d/t; echo x > a; chmod 1640 a
        dragpipe send a d | dragpipe receive -p in || exit 1; stat -c %a in/a in/d/t
        umask 022; dragpipe send a d | dragpipe receive plain || exit 1; stat -c %a plain/a plain/d/t
        """)
      #expect(result.output == "1640\n1777\n644\n755\n", "\(result.errors)")
    }
  }
}
