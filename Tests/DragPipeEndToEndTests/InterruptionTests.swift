// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// The exit codes and messages of both sides when one side is killed, stopped or disconnected.
@Suite(.serialized, .limited, .timeLimit(minutes: 10)) struct InterruptionTests {
  /// The terminal shows `^C`.
  @Test func interruptFromTheKeyboardHasOneMessageOnItsOwnLine() async throws {
    try await transcript(
      #"""
      $ echo x > a; typed() { (await "[ -e started ] && ${2-true}"; printf '\003') | script -qec "$1" /dev/null | tr -d '\r'; rm started; }
      $ typed "'$TOOL' send --progress never --to 'exec:touch started; exec sleep 600' a"
      ^C
      dragpipe: cancelled
      # The threads of the receiver do not take the interrupt once the program has begun to wait for it.
      $ typed "'$TOOL' send --lazy 'public.data=touch started; exec sleep 600' | sh -c 'echo \$\$ > receiver; exec \"$TOOL\" receive --progress never in/'" 'grep "^SigBlk:.*[2367abef]$" /proc/$(cat receiver)/task/*/status'
      ^C
      dragpipe: cancelled
      """#)
  }

  @Test func killedAndTerminatedPeersAreReportedAndLeaveNoFiles() async throws {
    try await transcript(
      #"""
      $ head -c 300000 /dev/urandom > a; head -c 9M /dev/urandom > big; mkdir in; mkfifo wire never
      # Through a pipe, the receiver learns only of a termination.
      $ "$TOOL" send never > wire 2> sent & sender=$!; (await "ls -l /proc/$sender/fd | grep never"; kill $sender) &
      $ dragpipe receive in < wire
      dragpipe: the sender cancelled
      [4]
      $ wait $sender
      [143]
      $ { "$TOOL" send big > wire & sender=$!; (head -c 100000; kill -9 $sender; cat) < wire | dragpipe receive in 2> errors; echo $?; wait $sender; } 2> ended; grep -o '.* is truncated' errors
      65
      dragpipe: the stream is truncated
      $ { dragpipe send big | head -c 5M; exec sleep 60; } > wire 2> errors & feeder=$!
      $ "$TOOL" receive in < wire & await 'ls -A in | grep .'; kill $!; wait $!
      dragpipe: cancelled
      [143]
      $ kill $feeder; lazy='public.html=echo $$ > child; head -c 100000 /dev/zero; exec sleep 600'
      $ for signal in KILL TERM; do
      >   "$TOOL" send --to unix:s --type public.data=a --lazy "$lazy" 2> sent & sender=$!; await '[ -S s ]'
      >   "$TOOL" receive --from unix:s --all in 2> errors & receiver=$!; await '[ -s child ] && ls -A in | grep .'
      >   kill -$signal $sender; wait $receiver; echo $?; wait $sender
      >   # A killed sender cannot end its command.
      >   [ $signal = TERM ] || kill $(cat child); rm -f s child
      >   # A killed sender may leave bytes unread. A terminated sender withdraws its offer before it ends the session.
      >   sed -E 's/(the peer closed.*|the peer is gone.*)/gone/; s/(the peer cancelled|the offer was withdrawn).*/cancelled/' errors
      > done 2> ended
      69
      dragpipe: gone
      4
      dragpipe: cancelled
      $ ls -A in; for signal in KILL TERM; do
      >   "$TOOL" send --to unix:s --lazy "$lazy" 2> sent & sender=$!; await '[ -S s ]'
      >   "$TOOL" receive --from unix:s in 2> errors & receiver=$!; await '[ -s child ] && ls -A in | grep .'
      >   kill -$signal $receiver; wait $receiver; echo $?; await '[ -s sent ]'; wc -l < sent
      >   await "! kill -0 $(cat child)"; kill $sender; wait $sender; echo $?; rm -rf in/.dragpipe-* child s
      > done 2> ended; ls -A in
      137
      1
      143
      143
      1
      143
      """#)
  }

  @Test func firstSignalEndsAProcessCleanlyAndTheSecondAtOnce() async throws {
    try await transcript(
      #"""
      $ ulimit -c 0; head -c 300000 /dev/urandom > a; dragpipe send a > whole; mkfifo wire; mkdir in
      $ (head -c 100000 whole; exec sleep 600) > wire & feeder=$!
      $ alone "$TOOL" receive in < wire & await 'ls -A in | grep .'; kill -INT $!; wait $!
      dragpipe: cancelled
      [130]
      $ kill $feeder; ls -A in; alone "$TOOL" receive --exec 'sleep 600 & echo $! > child; wait; echo' < whole & await '[ -s child ]'
      $ kill -QUIT $!; wait $! 2> ended
      dragpipe: cancelled
      [131]
      $ await "! kill -0 $(cat child)"; ls -A .temporary
      # Only the first interrupt waits for the end of the command, which ignores SIGTERM.
      $ for turn in {1..20}; do
      >   rm -f started; alone "$TOOL" receive --exec 'trap "" TERM; echo $$ > started; sleep 600 & wait; sleep 600' < whole 2> errors &
      >   await '[ -s started ]'; kill -INT $!; sleep 0.4; kill -INT $! 2> gone; wait $!; code=$?; kill -KILL -- -$(cat started) 2> gone
      >   # On a busy machine, the second interrupt may come after the end of the command, or too soon after the first.
      >   [ -s errors ] || break
      > done; cat errors; (exit $code)
      [130]
      # `timeout` signals its command, and then its process group. Two signals of one kind could become one.
      $ rm -r .temporary/*; "$TOOL" receive --exec 'trap "" TERM; touch ready; exec sleep 600' < whole & await '[ -e ready ]'
      $ kill -TERM $!; kill -HUP $!; wait $! 2> ended; code=$?; [ $code = 143 ] || [ $code = 129 ] && ls -A .temporary
      dragpipe: cancelled
      # A signal is handled, however early it arrives. After a kill, `timeout` would exit with 137.
      $ mkfifo silent; sleep 600 > silent & holder=$!
      $ for n in {1..12}; do
      >   timeout --preserve-status -k 100 -s TERM 0.0$((n % 3))$n "$TOOL" receive . < silent 2> errors; echo $?
      > done | uniq; kill $holder
      143
      """#)
  }

  /// The commands of `exec:` and their child processes end with the tool, in a session without a terminal.
  ///
  /// The tool waits some time for each, so the cases run beside each other.
  @Test func commandsOfTheShellEndWithTheTool() async throws {
    try await transcript(
      #"""
      $ head -c 300000 /dev/urandom > a; COMMAND='exec:sh -c "echo \$\$ > child; exec sleep 600"; true'
      # On a busy machine, the timeout may end a command before it has written its number.
      $ gone() { [ ! -s child ] || await "! kill -0 $(cat child)"; }
      $ for command in 'receive in --from' 'send ../a --to' 'receive --list --from'; do
      >   for how in timeout INT TERM HUP; do
      >     mkdir -p "$how $((++number))/in"; (cd $how\ $number
      >       [ $how != timeout ] || { setsid -w "$TOOL" $command "$COMMAND" --timeout 2; echo $? $how; gone; exit; }
      >       alone "$TOOL" $command "$COMMAND" 2> errors & await '[ -s child ]'; kill -$how $!; wait $! 2> killed; echo $? $how; gone
      >     ) >> ended 2>&1 &
      >   done
      > done; wait; sort ended | uniq -c
            3 129 HUP
            3 130 INT
            3 143 TERM
            3 75 timeout
            3 dragpipe: no handshake from the peer within 2.0 seconds; use --timeout SECONDS to wait longer
      """#)
  }

  @Test func barIsOnATerminalOnlyAndIsGoneBeforeACommandHasIt() async throws {
    try await transcript(
      #"""
      $ head -c 300000 /dev/urandom > a; mkdir in; dragpipe send a > whole
      $ export SLOW='(head -c 100000 whole; until grep -q % seen; do sleep 0.02; done; tail -c +100001 whole)'
      $ script -qefc "$SLOW | '$TOOL' receive --exec 'printf begun; sleep 0.4; echo done'" /dev/null > seen < /dev/null
      $ tr -d '\r' < seen | grep -o begundone; slow='(head -c 100000 whole; sleep 0.8; tail -c +100001 whole)'
      begundone
      $ eval "$slow" | dragpipe receive in; rm in/a
      $ (head -c 100000 whole; await '[ $(wc -l < lines) -gt 2 ]'; tail -c +100001 whole) | dragpipe receive --progress json in 2> lines
      $ [ $(wc -l < lines) -gt 3 ]
      $ tail -1 lines | grep -o '"bytes":300000\|"ending":"finished"'
      "bytes":300000
      "ending":"finished"
      $ eval "$slow" | dragpipe receive --quiet --progress always --rename in
      """#)
  }

  // MARK: Leftovers

  @Test func leftoversOfKilledReceiversAreRemoved() async throws {
    try await transcript(
      #"""
      $ mkdir in; echo x > a; echo y > b; dragpipe send a > stream; mkfifo live dead
      $ "$TOOL" receive in < live 2> errors & live=$!; "$TOOL" receive in < dead & dead=$!
      $ exec 3> live 4> dead; for wire in 3 4; do head -c -1 stream >&$wire; done
      $ await '[ $(ls -d in/.dragpipe-*/0 | wc -l) = 2 ]'; kill -9 $dead; wait $dead 2> ended; exec 4>&-
      $ dragpipe send b | dragpipe receive in; ls -A in | sed 's/-.*//'
      .dragpipe
      b
      $ kill -STOP $live; dragpipe receive --clean in || echo $?; ls -A in | sed 's/-.*//'; kill -CONT $live
      .dragpipe
      b
      # A directory with a foreign file cannot be removed.
      $ touch "$(echo in/.dragpipe-*)/mine"; tail -c 1 stream >&3; exec 3>&-; wait $live || echo $?; ls in; sed -E 's/-[a-z0-9]{12}/-X/' errors
      a
      b
      dragpipe: cannot remove in/.dragpipe-X: Directory not empty
      $ dragpipe receive --clean in || echo $?; ls -A in
      a
      b
      $ dragpipe send --name .dragpipe-abcdefghijkl a > stream; dragpipe receive --hidden --overwrite in < stream
      dragpipe: refused the name ".dragpipe-abcdefghijkl": names of this form are reserved for staging directories
      [77]
      $ dragpipe receive --clean missing/
      dragpipe: cannot use the directory missing/: No such file or directory
      [73]
      $ dragpipe receive --clean missing
      dragpipe: cannot use the directory missing: No such file or directory
      [73]
      """#)
  }

  /// Prepares a destination in which 20 files are replaced, two of them in a folder that is merged.
  private static let replacing = #"""
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
        content=; read -rd '' content 2> again < in/$name
        case "$content" in
          "old $name") old=$((old + 1));;
          "new $name") kept=$(sed -n "s|^dragpipe: $name was replaced .* the former file is \(.*\): move.*|\1|p" errors)
            [ -n "$kept" ] && [ "$(cat "$kept")" = "old $name" ] || missing="$missing $name";;
          *) echo "$1: $name is incomplete: $content";;
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
    let moments = (0..<(isFullRun ? 400 : 6)).map { _ in Int.random(in: 0..<60, using: &generator) }
    try await withShell { shell in
      let run = try await shell.run(
        Self.replacing + """
          mkfifo wire
          for moment in \(moments.map { "0.0\($0 / 10)\($0 % 10)" }.joined(separator: " ")); do
            restart
            "$TOOL" receive --overwrite in < wire & receiver=$!
            exec 3> wire; head -c -1 stream >&3; await 'ls in/.dragpipe-*/18'
            tail -c 1 stream >&3; exec 3>&-; sleep $moment
            kill -9 $receiver 2> /dev/null; wait $receiver 2> /dev/null
            check "killed after $moment s"
          done
          """, within: .seconds(isFullRun ? 600 : 180))
      #expect(run.output == "", "\(run.errors)")
    }
  }

  @Test(.peers("strace")) func killAtAnyRenameOrRemovalLosesNoFormerFile() async throws {
    // The receiver gives names with 21 renames, and then removes the former files.
    let renames = sampled(1..<22, 6, "killed at a rename")
    let removals = sampled(1..<24, 6, "killed at a removal")
    try await withShell { shell in
      let run = try await shell.run(
        Self.replacing + """
          partial=0
          killed() {
            restart
            strace -f -qqq -o /dev/null -e trace=$1 -e inject=$1:signal=SIGKILL:when=$2 "$TOOL" receive --overwrite in < stream
            check "killed at $1 $2"
          }
          for number in \(renames.map(String.init).joined(separator: " ")); do killed renameat2 $number; done 2> /dev/null
          [ $partial -gt 2 ] || echo "only $partial kills were between two names"
          for number in \(removals.map(String.init).joined(separator: " ")); do killed unlinkat $number; done 2> /dev/null
          """, within: .seconds(600))
      #expect(run.output == "", "\(run.errors)")
    }
  }

  // MARK: Resumption

  @Test func interruptedReceivesAreContinued() async throws {
    try await transcript(
      #"""
      $ head -c 4M /dev/urandom > big; mkdir in; echo small > small; dragpipe send --to a.drop big
      # Only the first 2,000,000 bytes of this sender reach the receiver. The rest does not fit in a pipe, so the sender
      # learns that its reader is gone. The other sender counts its bytes.
      $ cut='"$TOOL" send --to stdio: big | stdbuf -o0 head -c 2000000' rest='"$TOOL" send --to stdio: big | tee crossed'
      $ size() { stat -c %s in/.dragpipe-*.partial/0 2> /dev/null || echo 0; }
      $ continued() {
      >   [ $(size) -gt 1700000 ] || size; dragpipe receive --resume --from "exec:$rest" in 2> errors; echo $?
      >   cmp big in/big; [ $(stat -c %s crossed) -lt 2500000 ] || stat -c %s crossed; ls -A in
      > }
      $ dragpipe receive --resume --from "exec:$cut" in 2> errors
      [69]
      $ grep -c 'kept .* bytes in in/.dragpipe-.*.partial; repeat the receive to continue' errors; continued
      1
      0
      big
      # This sender stays silent until the receiver has ended.
      $ for signal in TERM KILL; do
      >   rm in/*; "$TOOL" receive --resume --from "exec:{ $cut; cat > /dev/null; }" in 2> errors & receiver=$!
      >   await '[ $(size) -gt 1700000 ]'; kill -$signal $receiver; wait $receiver; echo $?
      >   # A receiver without the option keeps the directory.
      >   dragpipe send small | dragpipe receive in; continued
      > done 2> ended
      143
      0
      big
      small
      137
      0
      big
      small
      $ dragpipe receive --overwrite --resume --from "exec:$cut" in 2> errors
      [69]
      $ ls -A in | wc -l; dragpipe receive --clean in; ls -A in
      3
      big
      small
      # A drop file is received from its start, and does not use the part.
      $ rm in/*; dragpipe receive --resume --from "exec:$cut" in 2> errors
      [69]
      $ dragpipe receive --resume --from a.drop in; cmp big in/big; ls -A in | wc -l; dragpipe receive --clean in; ls -A in
      2
      big
      """#)
  }
}

/// Flushing to the disk.
@Suite(.serialized, .limited, .timeLimit(minutes: 10)) struct DurabilityTests {
  @Test func durableReceiveEqualsAnother() async throws {
    try await transcript(
      #"""
      $ mkdir tree; echo x > a; echo y > tree/f; dragpipe send a tree > stream
      $ for options in --sync '--sync --overwrite' '--sync --rename' '--sync --skip-existing'; do
      >   dragpipe receive $options in/ < stream; echo $? $(ls -A in in/tree); done
      0 in: a tree in/tree: f
      0 in: a tree in/tree: f
      0 in: a a-2 tree tree-2 in/tree: f
      dragpipe: left out "a": the name exists
      dragpipe: left out "tree": the name exists
      0 in: a a-2 tree tree-2 in/tree: f
      $ dragpipe send --sync --to a.drop a tree; dragpipe receive --sync --from a.drop out/; diff -r tree out/tree
      $ cmp a in/a; cmp a out/a; diff -r tree in/tree
      """#)
  }

  /// `traced` prints the system calls of a command that matter after a crash, with their file names.
  @Test(.peers("strace", "awk")) func optionFlushesBeforeNamesAndRemovals() async throws {
    try await transcript(
      #"""
      $ traced() {
      >   strace -f -qq -y -o trace -e trace=fsync,renameat,renameat2,unlink,unlinkat "$@"
      >   # A call that another thread has interrupted in the trace is on two lines.
      >   awk '{ thread = $1; $1 = "" }
      >     sub(/ *<unfinished \.\.\.>$/, "") { begun[thread] = $0; next }
      >     sub(/^.* resumed>/, "") { $0 = begun[thread] $0 }
      >     { print }' trace | sed -E '/permissions|\.part", 0|REMOVEDIR|replaced/d; s/\.dragpipe-[a-z0-9]{12}/STAGING/g; s/^ *//' |
      >     sed -nE "s#$PWD#PLACE#; s/^fsync\([0-9]+<.*\/([^>]*)>.*= 0$/fsync \1/p; s/^fsync\([0-9]+<PLACE>.*/fsync PLACE/p
      >       s/^renameat2?\(.*, \"([^\"]*)\"[^\"]*= 0$/rename \1/p; s/^unlinkat\(.*, \"([^\"]*)\", 0\) = 0$/unlink \1/p"
      > }
      $ mkdir in from tree tree/sub; echo x > a; echo y > tree/sub/f; dragpipe send a > one; dragpipe send tree > two
      $ traced "$TOOL" receive --sync in < one
      fsync 0
      rename a
      fsync in
      $ traced "$TOOL" receive --sync -o b < one
      fsync 0
      rename b
      fsync PLACE
      $ traced "$TOOL" receive --sync in < two
      fsync f
      fsync sub
      fsync 0
      rename tree
      fsync in
      $ traced "$TOOL" receive unflushed/ < one
      rename a
      $ traced "$TOOL" send --sync --to a.drop a
      fsync STAGING.part
      rename a.drop
      fsync PLACE
      $ traced "$TOOL" send --to b.drop a
      rename b.drop
      $ dragpipe send --as hero "$SAMPLES/heroes.json" > heroes; traced "$TOOL" receive --as hero --into h.json < heroes
      rename h.json
      $ traced "$TOOL" receive --sync --as hero --into h2.json < heroes
      fsync STAGING.part
      rename h2.json
      fsync PLACE
      $ traced "$TOOL" receive --move --from "$SENDER --move --as hero '$SAMPLES/heroes.json'" --as hero --into h3.json
      dragpipe: 72 items were not removed: only files and folders can be moved
      fsync STAGING.part
      rename h3.json
      fsync PLACE
      $ echo x > from/a; echo y > from/b; rm -r in/*
      $ traced "$TOOL" send --move --to "exec:exec $TOOL receive --move --from stdio: in" from/a from/b; ls from
      fsync 0
      fsync 1
      rename a
      rename b
      fsync in
      unlink from/a
      unlink from/b
      fsync from
      """#)
  }
}
