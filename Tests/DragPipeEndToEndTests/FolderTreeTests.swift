// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// Folders with links, holes and special files, from process to process.
@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct FolderTreeTests {
  /// Compares two trees with rsync: contents, links, holes, permissions and times.
  private static let same = """
    same() { rsync -aHAXn --checksum --delete --itemize-changes "$1/" "$2/" && echo compared; }

    """

  @Test(.enabled(if: installedProgram("rsync") != nil)) func treesOfOtherProgramsArriveEqual() async throws {
    try await withShell { shell in
      let result = try await shell.run(
        Self.same + """
          mkdir in; ls /usr/share/zoneinfo > /dev/null && ln -s /usr/share/zoneinfo zones
          python3 -m venv --without-pip venv; mkdir tree; cd tree; git init -q .; mkdir -p a/b; echo x > a/b/c; ln -s b/c a/link
          git add .; git -c user.name=n -c user.email=e@e commit -qm "a commit"; git branch other; cd ..
          mkdir image; truncate -s 8G image/disk; printf start | dd of=image/disk conv=notrunc status=none
          printf middle | dd of=image/disk conv=notrunc status=none bs=1M seek=5000; ln image/disk image/same
          for name in zones venv tree image; do
            dragpipe send $name | dragpipe receive --preserve --links all in; echo $name $?
          done
          same /usr/share/zoneinfo in/zones; same venv in/venv; same tree in/tree
          git -C in/tree status --porcelain; git -C in/tree fsck 2>&1 | grep -v '^Checking'
          test $(du -sk in/image | cut -f 1) -lt 2000 && echo sparse
          stat -c '%s %h' in/image/disk; cmp -i 5242870000 -n 20000 image/disk in/image/disk && cmp -n 9999 image/disk in/image/disk && echo equal
          """)
      #expect(
        result.output == """
          zones 0
          venv 0
          tree 0
          image 0
          compared
          compared
          compared
          sparse
          8589934592 2
          equal

          """, "\(result.errors)")
    }
  }

  @Test func linksOutOfAFolderNeedAnOption() async throws {
    try await withShell { shell in
      let result = try await shell.run(
        """
        mkdir -p Tales/sub in; ln -s /etc/hostname Tales/sub/out; ln -s sub Tales/in; umask 0
        dragpipe send Tales | dragpipe receive in; echo $? $(ls -A in)
        dragpipe send Tales | dragpipe receive --links inside in; echo $? $(ls -A in)
        dragpipe send Tales | dragpipe receive --links all in; echo $? $(readlink in/Tales/sub/out in/Tales/in)
        dragpipe send Tales | dragpipe receive --links none in; echo $?
        """)
      #expect(result.output == "77\n77\n0 /etc/hostname sub\n64\n", "\(result.errors)")
      let refused = result.errorLines.first.map(String.init) ?? ""
      #expect(
        refused.contains(#""Tales/sub/out": the link leads to "/etc/hostname", outside the folder at byte"#),
        "\(refused)")
    }
  }

  @Test func specialFilesAreRefusedOrLeftOut() async throws {
    try await withShell { shell in
      let result = try await shell.run(
        """
        mkdir -p Tales/sub in; echo x > Tales/a; mkfifo Tales/sub/pipe Tales/z
        dragpipe send Tales 2> one | dragpipe receive in 2> /dev/null; echo ${PIPESTATUS[0]} $(ls -A in)
        dragpipe send -k Tales 2> two | dragpipe receive in; echo ${PIPESTATUS[*]} $(cd in; find . | sort)
        dragpipe send -k --to "exec:$TOOL receive --from stdio: again/" Tales 2> three; echo $? $(ls again/Tales)
        cat one two three
        """)
      let message = #""Tales/sub/pipe": a pipe cannot be sent"#
      let lines = result.output.split(separator: "\n").map(String.init)
      #expect(
        lines.prefix(3) == ["74", "2 0 . ./Tales ./Tales/a ./Tales/sub", "2 a sub"], "\(result.output)\(result.errors)")
      #expect(lines.count == 10 && lines.dropFirst(3).count { $0.contains(message) } == 5, "\(result.output)")
    }
  }

  @Test func attributesAndOwnersNeedTheOptionOnBothSides() async throws {
    try await withShell { shell in
      let result = try await shell.run(
        """
        mkdir Tales; echo x > Tales/a
        python3 -c 'import os; os.setxattr("Tales/a", "user.mood", b"calm")' 2> /dev/null || { echo none; exit; }
        test $(id -u) = 0 && { chown 12345:54321 Tales/a; owners=--owners; }
        for options in ' + ' '--xattrs + ' ' + --xattrs' "--xattrs $owners + --xattrs $owners"; do
          dragpipe send ${options%+*} Tales | dragpipe receive ${options#*+} in/
          python3 -c 'import os; print(os.listxattr("in/Tales/a"), os.stat("in/Tales/a").st_uid == os.stat("Tales/a").st_uid)'
          rm -r in
        done
        """)
      let isRoot = geteuid() == 0
      let without = "[] \(isRoot ? "False" : "True")\n"
      let lines = [without, without, without, "['user.mood'] True\n"].joined()
      #expect(result.output == "none\n" || result.output == lines, "\(result.output)\(result.errors)")
    }
  }

  @Test func mergingReplacesLinksByLinksOnly() async throws {
    try await withShell { shell in
      let result = try await shell.run(
        """
        mkdir Tales in; echo x > Tales/a; ln -s a Tales/link; ln -s a Tales/new; chmod 644 Tales/a
        dragpipe send Tales | dragpipe receive in; ln -sf missing in/Tales/link; rm in/Tales/new
        dragpipe send Tales | dragpipe receive --overwrite in; echo $? $(readlink in/Tales/link in/Tales/new)
        echo own > canary; chmod 600 canary; ln -sf ../../canary in/Tales/a; rm in/Tales/link; echo mine > in/Tales/link
        dragpipe send Tales | dragpipe receive --overwrite in; echo $? $(cat canary in/Tales/link) $(stat -c %a canary)
        readlink in/Tales/a; ls -A in
        """)
      #expect(result.output == "0 a a\n73 own mine 600\n../../canary\nTales\n", "\(result.errors)")
    }
  }

  @Test func archiveOfAFolderIsOfferedAsATypeOfItsOwn() async throws {
    try await withShell { shell in
      let result = try await shell.run(
        """
        mkdir Tales in two; echo once > Tales/a; touch -d '2001-02-03 04:05:06' Tales Tales/a
        dragpipe send Tales | dragpipe receive --accept archive in; echo $? $(ls in); tar xOf in/Tales.tar Tales/a
        dragpipe receive --from "exec:$TOOL send --to stdio: Tales" --accept public.tar-archive -o out.tar; cmp out.tar in/Tales.tar
        dragpipe send Tales | dragpipe receive --all two; ls two; dragpipe send Tales --to a.drop
        dragpipe extract a.drop 1 public.tar-archive | cmp - out.tar
        dragpipe send --type public.folder=out.tar | dragpipe receive -o Copy; diff -r Tales Copy && echo same
        """)
      #expect(result.output == "0 Tales.tar\nonce\nTales\nsame\n", "\(result.output)\(result.errors)")
    }
  }

  @Test(.enabled(if: isFullRun)) func oneMillionEntriesNeedLittleMemory() async throws {
    try await withShell { shell in
      let result = try await shell.run(
        """
        export TOOL; python3 - <<'PY'
        import os, resource, subprocess
        for folder in range(1000):
            os.makedirs(f"many/{folder}")
            for file in range(998): os.mknod(f"many/{folder}/{file}", 0o100644)
        os.mkdir("in"); tool = os.environ["TOOL"]
        def run(arguments, **files):
            process = subprocess.Popen([tool] + arguments, **files)
            _, status, usage = os.wait4(process.pid, 0)
            print(status, usage.ru_maxrss < 40 << 10, usage.ru_maxrss >> 10 if usage.ru_maxrss >= 40 << 10 else "")
        with open("stream", "wb") as output: run(["send", "many"], stdout=output)
        with open("stream", "rb") as input: run(["receive", "in"], stdin=input)
        PY
        find in | wc -l; rm -r many in stream
        """)
      #expect(result.output == "0 True \n0 True \n999002\n", "\(result.output)\(result.errors)")
    }
  }
}
