// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// Sessions between two processes: through sockets, and through the standard input and output of a command.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct SessionTests {
  /// The program `ssh` is replaced by a script that runs the command in another directory.
  @Test func sshReachesAnotherMachine() async throws {
    try await transcript(
      #"""
      $ mkdir bin far in "far/it's \$HOME"; ln -s "$TOOL" bin/dragpipe; echo x > "a'b"; PATH=$PWD/bin:$PATH
      $ ssh() { printf '%s\n' '#!/bin/sh' "$1"' echo "$1 $2" >> hosts; cd far; exec sh -c "$3"' > bin/ssh; chmod +x bin/ssh; }; ssh
      $ dragpipe send --to "ssh:me@host:it's \$HOME" "a'b"; dragpipe receive --from "ssh:[::1]:it's \$HOME/a'b" in
      $ dragpipe send --to ssh:host: "a'b"; cat in/* far/a* far/i*/*; cat hosts
      x
      x
      x
      -- me@host
      -- ::1
      -- host
      # Both sides of a move get the option.
      $ cp "a'b" moved; dragpipe send --move --to ssh:host: moved; mv far/moved far/back; dragpipe receive --move --from ssh:host:back in; ls moved far/back
      ls: cannot access 'moved': No such file or directory
      ls: cannot access 'far/back': No such file or directory
      [2]
      # A path is relative to the home directory.
      $ mkdir far/sub; dragpipe send --to 'ssh:me@[fe80::1]:~/sub/' "a'b"; dragpipe send --to ssh:host:~ "a'b" 2> errors
      [4]
      $ ls far/sub; tail -2 hosts; dragpipe send --to ssh:host:~hera/in "a'b"
      a'b
      -- me@fe80::1
      -- host
      dragpipe: --to ssh:host:~hera/in is not in the form ssh:HOST:DIR (see dragpipe send --help)
      [64]
      # Text before the stream, and a machine without the tool.
      $ ssh 'printf "Welcome \033[1m to host\n";'; dragpipe send --to ssh:host: "a'b" 2>&1 | tail -1; dragpipe receive --from ssh:host:a in 2>&1 | tail -1
      dragpipe: not a drop stream: the signature is missing at byte 0
      dragpipe: not a drop stream: the signature is missing at byte 0
      $ ssh 'echo Welcome to host;'; dragpipe send --to ssh:host: "a'b" 2> errors; tail -1 errors; dragpipe receive --from ssh:host:a in 2> errors; tail -1 errors
      dragpipe: not a drop stream: it starts with the text "Welcome to host" at byte 0
      dragpipe: not a drop stream: it starts with the text "Welcome to host" at byte 0
      $ ssh; rm bin/dragpipe; dragpipe send --to ssh:host: "a'b" 2> errors; echo $?; tail -1 errors
      69
      dragpipe: the command has ended with status 127: a program was not found
      $ for place in host : :dir -v:dir '[::1]'; do dragpipe send --to "ssh:$place" "a'b"; done 2>&1 | cut -d '(' -f 1; dragpipe receive --from ssh:host: in
      dragpipe: --to ssh:host is not in the form ssh:HOST:DIR 
      dragpipe: --to ssh:: is not in the form ssh:HOST:DIR 
      dragpipe: --to ssh::dir is not in the form ssh:HOST:DIR 
      dragpipe: --to ssh:-v:dir is not in the form ssh:HOST:DIR 
      dragpipe: --to ssh:[::1] is not in the form ssh:HOST:DIR 
      dragpipe: --from ssh:host: is not in the form ssh:HOST:FILE (see dragpipe receive --help)
      [64]
      """#)
  }

  @Test func representationsAreLoadedOnRequestOnceForEachReceiver() async throws {
    try await transcript(
      #"""
      $ echo Hail > a.txt; echo picture > a.png; mkdir in; lazy='public.json=touch made'
      $ "$TOOL" send --to unix:s --once --lazy "$lazy" --type public.plain-text=a.txt & await '[ -S s ]'
      $ dragpipe receive --from unix:s --accept public.plain-text -o -
      Hail
      $ wait $!
      $ dragpipe receive --from "$SENDER --lazy '$lazy' --type public.png=a.png" --accept public.image -o out.png; cmp out.png a.png
      $ dragpipe send --to "$RECEIVER -a public.text in" --lazy 'public.png=touch made' --type public.plain-text=a.txt; ls made s in
      ls: cannot access 'made': No such file or directory
      ls: cannot access 's': No such file or directory
      in:
      a.txt
      [2]
      $ "$TOOL" send --to unix:s --until-taken 2 --lazy 'public.json=echo made >> log; echo {}' & await '[ -S s ]'
      $ dragpipe receive --from unix:s -o -; dragpipe receive --from unix:s -o -; wait $!; cat log
      {}
      {}
      made
      made
      """#)
  }

  @Test func refusingReceiverDoesNotCountAndTheNextOneIsServed() async throws {
    try await transcript(
      #"""
      $ echo x > a.txt; mkdir in; "$TOOL" send --to unix:s --once a.txt 2> errors & await '[ -S s ]'
      $ dragpipe receive --from unix:s --accept public.audio in
      dragpipe: no item has the type public.audio; the offered types are public.plain-text
      [3]
      $ dragpipe receive --from unix:s --list
      1	a.txt	public.plain-text	2
      $ dragpipe receive --from unix:s in; wait $! || echo $?; cat errors
      dragpipe: the destination refused the items: no item has the type public.audio; the offered types are public.plain-text
      # A refusal and a failed load read the same on both sides, whatever they quote.
      $ dragpipe send --to "$RECEIVER in 2> received" --name $'b\u202ec\\d' a.txt
      dragpipe: the destination refused the items: refused the name "b\u{202e}c\\d": it has the control character U+202E
      [4]
      $ cat received; dragpipe send --to "$RECEIVER in 2> received" --lazy 'public.text=exit 3; a\d'
      dragpipe: refused the name "b\u{202e}c\\d": it has the control character U+202E
      dragpipe: some content failed to load: the representation public.text could not be created: the command exit 3; a\\d failed: status 3
      [1]
      $ cat received
      dragpipe: the sender failed to load item-1: the representation public.text could not be created: the command exit 3; a\\d failed: status 3
      """#)
  }

  @Test func receiversAreServedAtOnceBesideAStuckOne() async throws {
    try await transcript(
      #"""
      $ head -c 3M /dev/urandom > big; "$TOOL" send --to unix:s --until-taken 6 big & sender=$!; await '[ -S s ]'
      $ "$TOOL" receive --from unix:s --exec 'touch stuck; exec sleep 600' & stuck=$!; await '[ -e stuck ]'
      $ for n in {1..6}; do (dragpipe receive --from unix:s -o out.$n; cmp big out.$n) & pids="$pids $!"; done; wait $pids
      $ wait $sender || echo $?; kill $stuck; wait $stuck
      dragpipe: cancelled
      [143]
      """#)
  }

  @Test func heroesAndCardsAreReceivedAndConfirmed() async throws {
    try await transcript(
      #"""
      $ dragpipe receive --from "$SENDER --as hero '$SAMPLES/heroes.json'" --as hero --into h.json
      $ dragpipe send --as hero "$SAMPLES/heroes.json" | dragpipe receive --as hero --into g.json; cmp g.json h.json
      $ dragpipe send --as card --to "$RECEIVER --as card --into b.json" "$SAMPLES/board.json"
      $ dragpipe send --as card --to "$RECEIVER --as hero --into x.json 2> errors" "$SAMPLES/board.json"
      dragpipe: the destination refused the items: item 1 has no type org.dragpipe.hero; its types are org.dragpipe.card.cbor, org.dragpipe.card, public.utf8-plain-text
      [4]
      $ cat errors; ls
      dragpipe: item 1 has no type org.dragpipe.hero; its types are org.dragpipe.card.cbor, org.dragpipe.card, public.utf8-plain-text
      b.json
      errors
      g.json
      h.json
      """#)
  }

  @Test func socketIsPrivateAndRemoved() async throws {
    try await transcript(
      #"""
      $ umask 0; echo x > a; mkdir in; "$TOOL" send --to unix:s a 2> sent & sender=$!; await '[ -S s ]'; stat -c %a s
      600
      $ dragpipe send --to unix:s a
      dragpipe: another process listens at s, but not as a receiver
      [73]
      $ kill $sender; wait $sender
      [143]
      $ ls s; dragpipe receive --from unix:s in
      ls: cannot access 's': No such file or directory
      dragpipe: cannot open s: No such file or directory
      [69]
      $ echo file > t; dragpipe send --to unix:t a
      dragpipe: t exists and is not a socket: File exists
      [73]
      $ cat t; dragpipe send --to unix:$(printf 'x%.0s' {1..108}) a 2> errors
      file
      [77]
      """#)
  }

  // MARK: Moves

  @Test func movedFileIsRemovedUnlessRefusedOrChanged() async throws {
    try await transcript(
      #"""
      $ for name in m n o p r; do echo Hail > $name.txt; done; mkdir in folder; move="$RECEIVER --move in"
      $ dragpipe send --move --to "$move" m.txt folder; ls
      in
      n.txt
      o.txt
      p.txt
      r.txt
      $ dragpipe send --move --to "$RECEIVER in" n.txt; ls n.txt
      n.txt
      $ dragpipe send --to "$move 2> errors" n.txt
      dragpipe: the destination refused the items: the sender does not allow its files to be moved; see dragpipe send --move
      [4]
      $ cat errors; touch in/n.txt; dragpipe send --move --to "$move 2> errors" o.txt n.txt
      dragpipe: the sender does not allow its files to be moved; see dragpipe send --move
      dragpipe: the destination refused the items: "n.txt" is in in already
      [4]
      $ cat errors; ls in; rm in/n.txt; time=$(stat -c %y r.txt)
      dragpipe: "n.txt" is in in already
      folder
      m.txt
      n.txt
      $ dragpipe send --move --to "exec:echo more >> o.txt; exec $TOOL receive --move --from stdio: in" o.txt 2> errors; ls o.txt
      o.txt
      $ dragpipe send --move --to "exec:echo HAIL > r.txt; touch -d '$time' r.txt; exec $TOOL receive --move --from stdio: in" r.txt
      dragpipe: r.txt was not removed: it has changed since it was sent
      [2]
      $ ln -s p.txt link; dragpipe send --move --to "$move" link; dragpipe send --move --to "$move" --type public.png=p.txt --name p
      dragpipe: link was not removed: it is a symbolic link
      dragpipe: 1 item was not removed: only files and folders can be moved
      [2]
      $ ls *.txt
      n.txt
      o.txt
      p.txt
      r.txt
      """#)
  }

  @Test func movedFolderKeepsWhatHasChangedSince() async throws {
    try await transcript(
      #"""
      $ tree() { mkdir -p T/sub/deep T/empty; for name in a sub/b sub/deep/c x.o; do echo $name > T/$name; done; ln T/a T/h; ln -sf a T/l; }
      $ tree; mkdir in; dragpipe send --move --to "$RECEIVER --move in" T; ls; find in -type f | sort
      in
      in/T/a
      in/T/h
      in/T/sub/b
      in/T/sub/deep/c
      in/T/x.o
      # The command runs when the folder has arrived, before the sender removes it.
      $ tree; dragpipe send --move --to "$RECEIVER --move --exec 'echo more >> T/sub/b; echo new > T/new'" T/; find T -type f | sort
      dragpipe: T/new was not removed: it was not sent
      dragpipe: T/sub/b was not removed: it has changed since it was sent
      T/new
      T/sub/b
      $ rm -r T in; tree; mkdir in; ln -s T link; dragpipe send --move --to "$RECEIVER --move in" link; ls T
      dragpipe: link was not removed: it is a symbolic link
      a
      empty
      h
      l
      sub
      x.o
      $ rm -r in; mkdir in; dragpipe send --move --exclude '*.o' --to "$RECEIVER --move in" T && find T -type f
      T/x.o
      $ rm -r in; mkdir in; mkfifo T/p; dragpipe send -k --move --to "$RECEIVER --move in" T
      dragpipe: left out: "T/p": a pipe cannot be sent
      dragpipe: T/p was not removed: it was not sent
      [2]
      $ rm -r in; mkdir in; cd T; dragpipe send --move --to "exec:cd ..; exec '$TOOL' receive --move --from stdio: in" -k .; cd ..; ls T
      dragpipe: left out: "T/p": a pipe cannot be sent
      dragpipe: ./p was not removed: it was not sent
      p
      # A file that another receiver got is not a file that this receiver got.
      $ rm -r in T; mkdir -p T in; echo 1 > T/one; mkfifo slow; "$TOOL" send --move --once --to unix:s T slow 2> kept & sender=$!; await '[ -S s ]'
      $ "$TOOL" receive --move --from unix:s in & receiver=$!; await '[ -e in/.dragpipe-*/0/one ]'; echo 2 > T/two
      $ dragpipe receive --from unix:s --only T --exec false 2> failed; echo end > slow; wait $receiver $sender; ls T in; cat kept
      T:
      two

      in:
      T
      slow
      dragpipe: the destination refused the items: the command false failed: status 1
      dragpipe: T/two was not removed: it was not sent
      dragpipe: slow was not removed: only files can be moved
      $ rm -r in T; mkdir in; ln -s in/.. link2; mkdir in/x; (cd in; ln -s x l); dragpipe send --move --to "$RECEIVER --move -o out --archives" in/l/; ls -d in/x
      dragpipe: in/l/ was not removed: it is a symbolic link
      in/x
      # Nothing is removed without the receiver's confirmation.
      $ rm -rf in T; tree; dragpipe send --move --to "$RECEIVER --move missing 2> errors" T; find T | wc -l
      dragpipe: the destination refused the items: directory missing does not exist; use missing/ to create it
      10
      """#)
  }

  // MARK: Receivers that listen

  @Test func receiverThatListensTakesTheItemsOfManySenders() async throws {
    try await transcript(
      #"""
      $ mkdir in F; echo a > a; echo f > F/f; for n in 1 2 3 4 5 6 7 8 9; do echo $n > c$n; done
      $ "$TOOL" receive --listen unix:box --print in > paths 2> errors & box=$!; await '[ -S box ]'
      $ dragpipe send --to unix:box a F; for n in 1 2 3 4 5 6 7 8 9; do dragpipe send --once --to unix:box c$n & done; wait $(jobs -p | tail -9); cat in/a in/F/f in/c*
      a
      f
      1
      2
      3
      4
      5
      6
      7
      8
      9
      $ dragpipe send --to unix:box a; echo a > b; dragpipe send --to unix:box missing
      dragpipe: the destination refused the items: "a" is in in already
      dragpipe: cannot open missing: No such file or directory
      [66]
      # A receiver that listens is not a sender, and a second one cannot use the path.
      $ dragpipe receive --from unix:box in; dragpipe receive --listen unix:box in
      dragpipe: the other side receives too; use dragpipe send there (see dragpipe receive --help)
      dragpipe: another process listens at box: Address already in use; to receive from a sender that listens there, use --from
      [73]
      $ kill $box; wait $box; ls box; sort paths; head -1 errors
      ls: cannot access 'box': No such file or directory
      in/F
      in/a
      in/c1
      in/c2
      in/c3
      in/c4
      in/c5
      in/c6
      in/c7
      in/c8
      in/c9
      dragpipe: "a" is in in already
      # Concurrent items do not mix in standard output.
      $ for n in 1 2 3; do yes $n | head -200000 > y$n; done; "$TOOL" receive --listen unix:box -o - > all & box=$!; await '[ -S box ]'
      $ for n in 1 2 3; do dragpipe send --to unix:box y$n & done; wait $(jobs -p | tail -3); kill $box; wait $box; uniq all | wc -l; wc -l < all
      dragpipe: cancelled
      3
      600000
      $ dragpipe receive --listen unix:box missing; dragpipe receive --listen unix:box a
      dragpipe: missing is not a directory; use missing/ to create it
      dragpipe: a is not a directory; use a/ to create it
      [73]
      $ "$TOOL" receive --listen unix:box --once --only b in & box=$!; await '[ -S box ]'; dragpipe send --to unix:box a 2> refused; dragpipe send --to unix:box a b
      dragpipe: none of 1 item matches --only b
      $ wait $box; cat in/b
      a
      """#)
  }

  @Test(.peers("python3")) func inheritedSocketThatListensServesBothRoles() async throws {
    try await transcript(
      #"""
      $ cat > activate.py << 'END'
      > import os, socket, sys
      > listener = socket.socket(socket.AF_UNIX if sys.argv[1] != "tcp" else socket.AF_INET)
      > listener.bind(sys.argv[1]) if sys.argv[1] != "tcp" else None
      > listener.listen()
      > if listener.fileno() != 3: os.dup2(listener.fileno(), 3)
      > os.set_inheritable(3, True)
      > os.execv(sys.argv[2], sys.argv[2:])
      > END
      $ mkdir in; echo a > a; echo b > b
      $ python3 activate.py s "$TOOL" receive --listen fd:3 --once in & await '[ -S s ]'; dragpipe send --to unix:s a; wait $!; ls in
      a
      $ python3 activate.py t "$TOOL" send --to fd:3 --until-taken 2 b & await '[ -S t ]'; dragpipe receive --from unix:t in; dragpipe receive --from unix:t -o -; wait $!; ls in t
      b
      t

      in:
      a
      b
      $ python3 activate.py tcp "$TOOL" receive --listen fd:3 in; dragpipe receive --listen fd:9 in
      dragpipe: --listen needs unix:PATH, or fd:N of a socket that listens (see dragpipe receive --help)
      dragpipe: --listen needs unix:PATH, or fd:N of a socket that listens (see dragpipe receive --help)
      [64]
      """#)
  }
}
