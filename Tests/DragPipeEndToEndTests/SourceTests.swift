// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// The sources from which a sender reads items, and the errors of unusable sources.
@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct SourceTests {
  private static let intoDirectory = #"--to "exec:$TOOL receive --from stdio: in""#

  private func expect(_ output: String, errors: [String] = [], from script: String) async throws {
    try await withShell { shell in
      let result = try await shell.run("printf 'Hail, Odysseus' > a.txt; mkdir in\n" + script)
      #expect(result.output == output, "\(result.errors)")
      for error in errors { #expect(result.errors.contains(error), "\(result.errors)") }
    }
  }

  @Test("a path names the file that the system opens, one-way and in a session")
  func pathNamesTheFileThatTheSystemOpens() async throws {
    try await expect(
      "right\nright\nright\nhome\nhome\n66\n66\nd\n",
      from: """
        mkdir -p d/e; ln -s d/e link; echo wrong > b; echo right > d/b; echo home > '~'
        dragpipe send link/../b | dragpipe receive -o -
        dragpipe send --type public.data=link/../b | dragpipe receive -o -
        dragpipe send \(Self.intoDirectory) link/../b; cat in/b; rm in/b
        dragpipe send '~' | dragpipe receive -o -; dragpipe send \(Self.intoDirectory) '~'; cat 'in/~'; rm 'in/~'
        dragpipe send missing/../b > /dev/null; echo $?; dragpipe send \(Self.intoDirectory) missing/../b; echo $?
        cd d/e; dragpipe send .. > ../../f.drop; cd ../..; dragpipe receive --from f.drop in; ls in
        """)
  }

  @Test("if the current directory is gone or its name is not UTF-8, no wrong file is sent")
  func unusableCurrentDirectorySendsNoWrongFile() async throws {
    try await expect(
      "66\nhere\nhere\n66\n66\n",
      errors: ["cannot open etc/hostname: No such file", "cannot open a.txt/: Not a directory"],
      from: #"""
        mkdir gone && cd gone && rmdir ../gone
        dragpipe send etc/hostname > ../x; echo $?; cd ..
        name=$(printf 'd\xff'); mkdir "$name"; cd "$name"; echo here > q; dragpipe send q | dragpipe receive -o -
        cp q ..; dragpipe send ./../q | dragpipe receive -o -; cd ..
        dragpipe send a.txt/ > /dev/null; echo $?; dragpipe send \#(Self.intoDirectory) a.txt/; echo $?
        """#)
  }

  @Test("a name may begin with a combining mark")
  func nameMayBeginWithACombiningMark() async throws {
    try await expect(
      "Hail, Odysseus\nHail, Odysseus\nHail, Odysseus\nHail, Odysseus\n",
      from: """
        mark=$(printf '\\314\\201x'); mkdir d "$mark"; echo 'Hail, Odysseus' > "d/$mark"; cp "d/$mark" "$mark/a"
        dragpipe send "d/$mark" | dragpipe receive in; cat "in/$mark"
        dragpipe send --type public.data="$mark/a" | dragpipe receive -o -
        cd d; dragpipe send "../$mark/a" | dragpipe receive -o -; cd ..
        "$TOOL" send --to "unix:$mark/s" --once "$mark/a" & until [ -S "$mark/s" ]; do sleep 0.02; done
        dragpipe receive --from "unix:$mark/s" -o o; cat o; wait
        """)
  }

  @Test("a directory is sent with its own name, whatever the form of its path")
  func directoryHasItsOwnName() async throws {
    try await expect(
      "d/e\nd/e\ne/b\ne/b\ne/b\nd/e\n66\n66\n",
      errors: [#"cannot open "": No such file"#, "cannot open .: Invalid"],
      from: #"""
        mkdir -p d/e; echo b > d/e/b; show() { (cd in; echo */*); rm -rf in/*; }
        (cd d; dragpipe send . > ../f.drop); dragpipe receive --from f.drop in; show
        (cd d; dragpipe send --to "exec:cd ..; $TOOL receive --from stdio: in" ./); show
        for path in d/e/. d/./e/./ "$PWD/d/e/."; do dragpipe send "$path" | dragpipe receive in; show; done
        dragpipe send --type public.folder=d/. | dragpipe receive in; show
        dragpipe send "" > /dev/null; echo $?
        name=$(printf 'd\xff'); mkdir "$name"; cd "$name"; dragpipe send . > /dev/null; echo $?
        """#)
  }

  @Test("a move removes the file that was sent")
  func moveRemovesTheSentFile() async throws {
    try await expect(
      "b\nin/b\nright\n",
      from: """
        mkdir -p d/e; ln -s d/e link; echo wrong > b; echo right > d/b
        dragpipe send --move --to "exec:$TOOL receive --move --from stdio: in" link/../b; ls in/b d/b b; cat in/b
        """)
  }

  @Test("standard input and pipes can be requested too, but only once")
  func standardInputIsReadOnce() async throws {
    try await expect(
      "Hail, Penelope\nHail, Telemachus\n0\nHail, Penelope\n2\n",
      errors: ["standard input can be read only once, and has been read already"],
      from: """
        echo 'Hail, Penelope' | dragpipe send \(Self.intoDirectory) -; cat in/item-1; rm in/*
        dragpipe send \(Self.intoDirectory) <(echo 'Hail, Telemachus'); cat in/*; rm in/*
        { sleep 0.2; echo 'Hail, Penelope'; } | "$TOOL" send --to unix:s --until-taken 2 - & sender=$!
        until [ -S s ]; do sleep 0.02; done
        dragpipe receive --from unix:s -o o; echo $?; cat o
        dragpipe receive --from unix:s -o p; echo $?; ls p 2> /dev/null; kill $sender
        """)
  }

  @Test func restOfAPartlyReadFileIsSent() async throws {
    try await expect(
      "67890\n67890\n67890\n67890\n67890\n0\n67890\n",
      from: """
        printf '12345\n67890\n' > f
        { read -r line; dragpipe send /dev/stdin; } < f | dragpipe receive -o -
        { read -r line <&3; dragpipe send /dev/fd/3; } 3< f | dragpipe receive -o -
        { read -r line <&3; dragpipe send --type public.data=/proc/self/fd/3; } 3< f | dragpipe receive -o -
        { read -r line <&3; dragpipe send \(Self.intoDirectory) /dev/fd/3; } 3< f; cat in/*; rm in/*
        { read -r line; dragpipe send \(Self.intoDirectory) /dev/stdin; } < f; cat in/*; rm in/*
        { read -r line <&3; dragpipe send --to rest.drop /dev/fd/3; } 3< f; dragpipe inspect --verify rest.drop > verdict
        echo $?; dragpipe receive --from rest.drop -o -
        """)
  }

  @Test func passedDescriptorIsReadOnce() async throws {
    try await expect(
      "1\n1\n0\n67890\n2\n",
      errors: [
        "/dev/fd/3 can be read only once, and has been read already",
        "standard input can be read only once, and has been read already",
      ],
      from: """
        printf '12345\n67890\n' > f
        dragpipe send /dev/fd/3 /dev/fd/3 3< f > x; echo $?; dragpipe send - /dev/stdin < f > x; echo $?
        { read -r line <&3; exec "$TOOL" send --to unix:s --until-taken 2 /dev/fd/3; } 3< f & sender=$!
        until [ -S s ]; do sleep 0.02; done
        dragpipe receive --from unix:s -o o; echo $?; cat o
        dragpipe receive --from unix:s -o p; echo $?; ls p 2> /dev/null; kill $sender
        """)
  }

  @Test("a sender whose content fails to load exits with an error, and with 2 if the rest was kept")
  func failedLoadsDecideTheExitCode() async throws {
    try await expect(
      "66\n2\na.txt\n1\n2\n",
      errors: [
        "some content failed to load: cannot open missing: No such file",
        "the command echo no >&2; exit 3 failed: status 3",
      ],
      from: """
        dragpipe send \(Self.intoDirectory) missing; echo $?
        dragpipe send --to "exec:$TOOL receive --from stdio: in; true" a.txt missing; echo $?; ls in
        dragpipe send --to "exec:$TOOL receive --from stdio: -o o" --lazy 'public.json=echo no >&2; exit 3'; echo $?
        "$TOOL" send --to unix:s --once a.txt missing & sender=$!; until [ -S s ]; do sleep 0.02; done
        mkdir more; dragpipe receive --from unix:s more; wait $sender; echo $?
        """)
  }

  @Test("a standard stream of the session has no other use")
  func sessionDescriptorHasNoOtherUse() async throws {
    try await expect(
      "64\n64\n64\n64\n69\n0\n",
      errors: [
        "standard input is used for the session", "standard output is used for the session", "Hail, Odysseus",
      ],
      from: """
        dragpipe send --to stdio: - < /dev/null | cat; echo ${PIPESTATUS[0]}
        for use in '-o -' --list '--as hero --into -'; do
          dragpipe receive --from stdio: $use < /dev/null | cat; echo ${PIPESTATUS[0]}
        done
        dragpipe send --to "exec:$TOOL receive --from fd:0 -o -" a.txt; echo $?
        dragpipe send --to "exec:$TOOL receive --from stdio: --exec cat" a.txt; echo $?
        """)
  }

  @Test("a timeout applies to sources too, and ends the processes they started")
  func timeoutEndsSourcesAndTheirProcesses() async throws {
    try await expect(
      "75\n75\n75\n75\n75\nended\n",
      errors: ["no byte was transferred within 0.3 seconds", "standard input: no byte was transferred"],
      from: """
        make='public.json=touch started; (sleep 30.125; touch late) & sleep 30.25'
        dragpipe send --timeout 0.3 --lazy "$make" > /dev/null; echo $?
        dragpipe send --timeout 0.3 \(Self.intoDirectory) --lazy "$make"; echo $?
        mkfifo silent; exec 9<> silent
        dragpipe send --timeout 0.3 silent > /dev/null; echo $?
        dragpipe send --timeout 0.3 - < silent > /dev/null; echo $?
        dragpipe send --timeout 0.3 \(Self.intoDirectory) silent; echo $?
        exec 9>&-; ls started > /dev/null
        for turn in {1..300}; do
          pgrep -ax sleep | grep -q 'sleep 30[.]' || { echo ended; break; }
          sleep 0.2
        done
        """)
  }

  @Test("a command without a reader ends, whether it handles that or not")
  func abandonedCommandEnds() async throws {
    try await expect(
      "75\n75\n2\nended\n",
      errors: ["no byte was transferred within 0.3 seconds"],
      from: """
        dragpipe send --lazy 'public.data=head -c 3000000 /dev/zero; sleep 30.5' | head -c 10 > /dev/null
        dragpipe send --timeout 0.3 --lazy 'public.data=trap "" TERM; sleep 30.5' > /dev/null; echo $?
        dragpipe send --timeout 0.3 --lazy 'public.data=echo a; exec >&-; sleep 30.5' > /dev/null; echo $?
        mkfifo silent; exec 9<> silent
        dragpipe send --timeout 0.3 --keep-going silent a.txt 2> /dev/null | dragpipe receive in; echo ${PIPESTATUS[0]}
        exec 9>&-
        for turn in {1..300}; do
          pgrep -ax sleep | grep -q 'sleep 30[.]5' || { echo ended; break; }
          sleep 0.2
        done
        """)
  }

  @Test("a command may prompt on the terminal")
  func commandMayUseTheTerminal() async throws {
    try await expect(
      "got secret\n0\n",
      from: #"""
        { sleep 1; echo secret; } | script -qec "$TOOL send --lazy 'public.text=read x < /dev/tty; echo got \$x' > x.drop" \
          /dev/null > /dev/null
        dragpipe receive --from x.drop -o -; echo $?
        """#)
  }

  @Test("with several receivers, one success and the failures of all count for the exit code")
  func oneSuccessOfSeveralReceiversCounts() async throws {
    try await expect(
      "2\n0\n2\n",
      from: """
        "$TOOL" send --to unix:s --once --lazy 'public.html=exit 3' --type public.plain-text=a.txt & sender=$!
        until [ -S s ]; do sleep 0.02; done; mkdir more
        dragpipe receive --from unix:s --accept public.html in; echo $?
        dragpipe receive --from unix:s --accept public.plain-text more; echo $?
        wait $sender; echo $?
        """)
  }

  @Test("silent connections do not delay other receivers")
  func silentConnectionsDelayNoReceiver() async throws {
    try await expect(
      "0\n0\n",
      from: """
        "$TOOL" send --to unix:s --once a.txt & sender=$!; until [ -S s ]; do sleep 0.02; done
        python3 - "$TOOL" <<'PY'
        import socket, subprocess, sys
        idle = [socket.socket(socket.AF_UNIX) for _ in range(5)]
        for one in idle: one.connect("s")
        print(subprocess.run([sys.argv[1], "receive", "--from", "unix:s", "in"], timeout=300).returncode)
        PY
        wait $sender; echo $?
        """)
  }

  @Test("descriptors of the tool itself are refused")
  func internalDescriptorsAreRefused() async throws {
    try await expect(
      "73 73 73 73 73 73 73 73 73 \n",
      from: """
        for number in 3 4 5 6 7 8 9 10 11; do
          eval "exec $number>&-"; dragpipe send --to fd:$number a.txt < /dev/null 2> /dev/null; printf '%s ' $?
        done; echo
        """)
  }

  @Test("with too few free descriptors, a command does not start; a few suffice")
  func tooFewDescriptorsPreventTheStart() async throws {
    try await expect(
      "74\n0\n", errors: ["of 8 file descriptors are free"],
      from: """
        (ulimit -n 8; dragpipe send a.txt > a.drop); echo $?
        (ulimit -Sn 8; dragpipe send a.txt > a.drop); echo $?
        """)
  }
}
