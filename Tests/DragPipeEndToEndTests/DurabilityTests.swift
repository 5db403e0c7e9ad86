// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// Flushing to the disk, which `strace` observes if it is installed.
@Suite(.serialized, .limited, .timeLimit(.minutes(10))) struct DurabilityTests {
  private static let canTrace = installedProgram("strace") != nil

  /// Defines `traced`, which prints the system calls of a command that matter after a crash, with their file names.
  private static let trace = #"""
    traced() {
      strace -f -qq -y -o trace -e trace=fsync,renameat,renameat2,unlink,unlinkat "$@" < "${INPUT:-/dev/null}"
      # A call that another thread has interrupted in the trace is on two lines.
      awk '{ thread = $1; $1 = "" }
        sub(/ *<unfinished \.\.\.>$/, "") { begun[thread] = $0; next }
        sub(/^.* resumed>/, "") { $0 = begun[thread] $0 }
        { print }' trace | sed -E '/permissions|\.part", 0|REMOVEDIR|replaced/d; s/\.dragpipe-[a-z0-9]{12}/STAGING/g; s/^ *//' |
        sed -nE 's/^fsync\([0-9]+<.*\/([^>]*)>.*= 0$/fsync \1/p; s/^renameat2?\(.*, "([^"]*)"[^"]*= 0$/rename \1/p; s/^unlinkat\(.*, "([^"]*)", 0\) = 0$/unlink \1/p'
    }
    traced bash -c : || exit 9

    """#

  @Test(.enabled(if: canTrace)) func syncFlushesFilesFoldersAndNames() async throws {
    try await withShell { shell in
      let result = try await shell.run(
        Self.trace + """
          mkdir in tree tree/sub; echo x > a; echo y > tree/sub/f; dragpipe send a > one; dragpipe send tree > two
          INPUT=one traced "$TOOL" receive --sync in; echo; INPUT=one traced "$TOOL" receive --sync -o b; echo
          INPUT=two traced "$TOOL" receive --sync in; echo; INPUT=one traced "$TOOL" receive unflushed/; echo
          traced "$TOOL" send --sync --to a.drop a; echo; traced "$TOOL" send --to b.drop a; cmp a in/a && cmp a b
          """)
      let place = shell.directory.lastPathComponent
      #expect(
        result.output == """
          fsync 0
          rename a
          fsync in

          fsync 0
          rename b
          fsync \(place)

          fsync f
          fsync sub
          fsync 0
          rename tree
          fsync in

          rename a

          fsync STAGING.part
          rename a.drop
          fsync \(place)

          rename b.drop

          """, "\(result.errors)")
    }
  }

  @Test(.enabled(if: canTrace)) func syncFlushesAListFileAndMoveDoesSo() async throws {
    try await withShell { shell in
      let result = try await shell.run(
        Self.trace + """
          dragpipe send --as hero "$SAMPLES/heroes.json" > one
          INPUT=one traced "$TOOL" receive --as hero --into h.json; echo; rm h.json
          INPUT=one traced "$TOOL" receive --sync --as hero --into h.json; echo
          traced "$TOOL" receive --move --from "exec:$TOOL send --move --as hero --to stdio: $SAMPLES/heroes.json" --as hero --into g.json
          """)
      let place = shell.directory.lastPathComponent
      let flushed = "fsync STAGING.part\nrename %.json\nfsync \(place)\n"
      #expect(
        result.output == "rename h.json\n\n" + flushed.replacing("%", with: "h") + "\n"
          + flushed.replacing("%", with: "g"),
        "\(result.errors)")
    }
  }

  @Test(.enabled(if: canTrace)) func aMoveIsFlushedBeforeTheSourceIsRemoved() async throws {
    try await withShell { shell in
      let result = try await shell.run(
        Self.trace + """
          mkdir in from; echo x > from/a; echo y > from/b
          traced "$TOOL" send --move --to "exec:exec $TOOL receive --move --from stdio: in" from/a from/b; ls from
          """)
      #expect(
        result.output == """
          fsync 0
          fsync 1
          rename a
          rename b
          fsync in
          unlink from/a
          unlink from/b
          fsync from

          """, "\(result.errors)")
    }
  }

  @Test func syncWithoutAFileToFlushIsAUsageError() async throws {
    try await withShell { shell in
      let result = try await shell.run(
        """
        for option in '-o -' '--exec cat' --list '--as hero --into -'; do dragpipe receive --sync $option < /dev/null; echo $?; done
        dragpipe send --sync --to 'exec:cat' /dev/null; echo $?; dragpipe send --sync /dev/null > out; echo $?; ls a.drop out
        """)
      #expect(result.output == String(repeating: "64\n", count: 6) + "out\n", "\(result.errors)")
      #expect(result.errors.contains("dragpipe: --sync needs a file to flush; use --to FILE.drop (see"))
      #expect(result.errors.contains("dragpipe: --sync cannot be combined with --exec (see"))
    }
  }

  @Test func syncReceivesAsWithoutIt() async throws {
    try await withShell { shell in
      let result = try await shell.run(
        """
        mkdir tree; echo x > a; echo y > tree/f; echo old > tree/g
        for options in --sync '--sync --overwrite' '--sync --rename' '--sync --skip-existing'; do
          dragpipe send a tree | dragpipe receive $options in/ 2> errors; echo $? $(ls -A in in/tree)
        done
        dragpipe send --sync --to a.drop a tree; dragpipe receive --sync --from a.drop out/; diff -r tree out/tree; echo $?
        """)
      #expect(
        result.output == """
          0 in: a tree in/tree: f g
          0 in: a tree in/tree: f g
          0 in: a a-2 tree tree-2 in/tree: f g
          0 in: a a-2 tree tree-2 in/tree: f g
          0

          """, "\(result.errors)")
    }
  }
}
