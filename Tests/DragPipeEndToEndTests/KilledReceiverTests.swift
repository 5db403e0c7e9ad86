// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// The files that killed receivers leave behind, and their removal.
@Suite(.serialized, .limited, .timeLimit(.minutes(10))) struct KilledReceiverTests {
  /// Prepares a destination in which 20 files are replaced.
  ///
  /// Two of them are in a folder that is merged.
  private static let start = #"""
    mkdir new new/tree
    names="$(seq -f f%g 18) tree/a tree/b"
    for name in $names; do echo "new $name" > new/$name; done
    dragpipe send new/* > stream
    # A fresh destination.
    restart() { rm -rf in; mkdir in in/tree; for name in $names; do echo "old $name" > in/$name; done; }
    # Every name leads to a complete file; every former file is there, unless all names had been given.
    check() {
      dragpipe receive --clean in 2> errors || echo "cannot clean: $(cat errors)"
      old=0; missing=
      for name in $names; do
        case "$(cat in/$name 2>&1)" in
          "old $name") old=$((old + 1));;
          "new $name") kept=$(sed -n "s|^dragpipe: $name was replaced .* the former file is \(.*\): move.*|\1|p" errors)
            [ -n "$kept" ] && [ "$(cat "$kept")" = "old $name" ] || missing="$missing $name";;
          *) echo "$1: $name is incomplete: $(cat in/$name 2>&1)";;
        esac
      done
      [ $old = 0 ] || [ -z "$missing" ] || echo "$1: former files are lost:$missing"
      # What was kept goes on being kept, and nothing else is left.
      dragpipe receive --clean in 2> again; cmp errors again
      [ -s errors ] || [ "$(ls -A in | grep -c '^\.dragpipe')" = 0 ] || echo "$1: $(ls -A in)"
      [ $old = 0 ] || [ $old = 20 ] || partial=$((partial + 1))
    }

    """#

  @Test func killedReceiversLeaveCompleteFilesAndLoseNoFormerOnes() async throws {
    var generator = SeededGenerator.announced("killed receivers")
    let moments = (0..<(isFullRun ? 400 : 12)).map { _ in Int.random(in: 0..<60, using: &generator) }
    try await withShell { shell in
      let result = try await shell.run(
        Self.start + """
          mkfifo wire
          for moment in \(moments.map { "0.0\($0 / 10)\($0 % 10)" }.joined(separator: " ")); do
            restart
            "$TOOL" receive --overwrite in < wire & receiver=$!
            exec 3> wire; head -c -1 stream >&3
            until ls in/.dragpipe-*/18 > /dev/null 2>&1; do sleep 0.01; done
            tail -c 1 stream >&3; exec 3>&-; sleep $moment
            kill -9 $receiver 2> /dev/null; wait $receiver 2> /dev/null
            check "killed after $moment s"
          done
          """)
      #expect(result.output == "", "\(result.errors)")
    }
  }

  @Test(.enabled(if: installedProgram("strace") != nil))
  func aKillAtAnyRenameOrRemovalLosesNoFormerFile() async throws {
    // The receiver gives names with 21 renames, and then removes the former files.
    let renames = sampled(1..<22, 6, "killed at a rename")
    let removals = sampled(1..<24, 6, "killed at a removal")
    try await withShell { shell in
      let result = try await shell.run(
        Self.start + """
          partial=0
          killed() {
            restart
            strace -f -qqq -o /dev/null -e trace=$1 -e inject=$1:signal=SIGKILL:when=$2 "$TOOL" receive --overwrite in < stream
            check "killed at $1 $2"
          }
          for number in \(renames.map(String.init).joined(separator: " ")); do killed renameat2 $number; done 2> /dev/null
          [ $partial -gt 2 ] || echo "only $partial kills were between two names"
          for number in \(removals.map(String.init).joined(separator: " ")); do killed unlinkat $number; done 2> /dev/null
          """)
      #expect(result.output == "", "\(result.errors)")
    }
  }

  @Test func aLiveReceiverIsLeftAloneAndADeadOneIsCleaned() async throws {
    try await withShell { shell in
      let result = try await shell.run(
        """
        mkdir in; echo x > a; echo y > b; dragpipe send a > stream; mkfifo live dead
        "$TOOL" receive in < live & live=$!
        "$TOOL" receive in < dead & dead=$!
        exec 3> live 4> dead; for wire in 3 4; do head -c -1 stream >&$wire; done
        until [ "$(ls -d in/.dragpipe-*/0 2> /dev/null | wc -l)" = 2 ]; do sleep 0.02; done
        kill -9 $dead; wait $dead 2> /dev/null; exec 4>&-
        dragpipe send b | dragpipe receive in; ls -A in | sed 's/-.*//'
        kill -STOP $live; dragpipe receive --clean in; echo $?; ls -A in | sed 's/-.*//'; kill -CONT $live
        tail -c 1 stream >&3; exec 3>&-; wait $live; echo $? $(ls -A in)
        """)
      #expect(result.output == ".dragpipe\nb\n0\n.dragpipe\nb\n0 a b\n", "\(result.errors)")
    }
  }

  @Test func aDirectoryThatCannotBeRemovedIsReported() async throws {
    try await withShell { shell in
      let result = try await shell.run(
        """
        mkdir in; echo x > a; dragpipe send a > stream; mkfifo wire
        "$TOOL" receive in < wire 2> errors & receiver=$!
        exec 3> wire; head -c -1 stream >&3
        until [ -e in/.dragpipe-*/0 ]; do sleep 0.02; done; touch "$(echo in/.dragpipe-*)/mine"
        tail -c 1 stream >&3; exec 3>&-; wait $receiver; echo $? $(ls in)
        sed -E 's/-[a-z0-9]{12}/-X/' errors; dragpipe receive --clean in; echo $? $(ls -A in)
        """)
      #expect(
        result.output == """
          0 a
          dragpipe: cannot remove in/.dragpipe-X: Directory not empty
          0 a

          """, "\(result.errors)")
    }
  }

  @Test func cleanTakesADirectoryAlone() async throws {
    try await withShell { shell in
      let result = try await shell.run(
        """
        mkdir in; for arguments in '--clean' '--clean --overwrite in' '--clean --from - in' '--clean in in'; do
          dragpipe receive $arguments < /dev/null; echo $?; done
        dragpipe receive --clean missing; echo $?; dragpipe receive --clean missing/; echo $?; ls -A
        """)
      #expect(result.output.hasPrefix("64\n64\n64\n64\n73\n73\n"), "\(result.output) \(result.errors)")
      #expect(!result.output.contains("missing"))
      #expect(result.errors.contains("dragpipe: --overwrite cannot be combined with --clean (see"))
    }
  }
}
