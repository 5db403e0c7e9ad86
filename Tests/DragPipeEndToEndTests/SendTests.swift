// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import TestSupport
import Testing

/// The sources from which a sender reads items.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct SendTests {
  // MARK: Paths

  @Test func pathNamesTheFileThatTheSystemOpens() async throws {
    try await transcript(
      #"""
      $ mkdir -p d/e in; ln -s d/e link; echo wrong > b; echo right > d/b; echo home > '~'
      $ dragpipe send link/../b | dragpipe receive -o -
      right
      $ dragpipe send --type public.data=link/../b | dragpipe receive -o -
      right
      $ dragpipe send --to "$RECEIVER in" link/../b '~'; cat in/b 'in/~'
      right
      home
      $ dragpipe send '~' | dragpipe receive -o -
      home
      $ dragpipe send missing/../b > /dev/null
      dragpipe: cannot open missing/../b: No such file or directory
      [66]
      $ rm in/*; dragpipe send --to "$RECEIVER in 2> errors" missing/../b
      dragpipe: cannot open missing/../b: No such file or directory
      [66]
      $ dragpipe send --move --to "$RECEIVER --move --overwrite in" link/../b; ls d b
      b

      d:
      e
      $ (cd d/e; dragpipe send ..) | dragpipe receive in; ls in; cat in/b
      b
      d
      right
      """#)
  }

  @Test(.peers("git")) func excludedFilesAreLeftOut() async throws {
    try await transcript(
      #"""
      $ mkdir -p T/build/x T/src T/new; touch T/build/x/a T/src/a.o T/src/a.c T/new/b.o T/.hidden; list() { dragpipe send "$@" | dragpipe inspect -e | sed -n 's/^      \([^ ]*\)  *0 bytes.*/\1/p' | xargs; }
      $ list --exclude '*.o' --exclude build/ T; list --exclude '*' --exclude '!*/' --exclude '!*.c' T; printf '# objects\n*.o\n' > patterns; list --exclude-from patterns --exclude '!b.o' T
      T/.hidden T/src/a.c
      T/src/a.c
      T/.hidden T/build/x/a T/new/b.o T/src/a.c
      # Names that the shell has expanded, and names of a list
      $ dragpipe send --exclude '*.o' T/src/* > stream; dragpipe receive --list < stream | cut -f 2; dragpipe send --exclude '*.o' T/src/a.o
      dragpipe: left out 1 excluded file: T/src/a.o
      a.c
      dragpipe: nothing to send: left out 1 excluded file: T/src/a.o
      [66]
      $ find T -type f | sort | dragpipe send --from-list - --exclude build --exclude '*.o' | dragpipe receive --list | cut -f 2
      dragpipe: left out 3 excluded files, such as T/build/x/a
      .hidden
      src/a.c
      # Git
      $ cd T; git init -q; printf 'build/\n*.o\n' > .gitignore; git add -f src/a.o; list --gitignore .; mkfifo build/p; list --gitignore ../T/src
      T/.hidden T/src/a.c T/src/a.o
      src/a.c src/a.o
      $ rm build/p; dragpipe send --gitignore * .hidden src/a.? > ../stream; cd ..; dragpipe receive --list < stream | cut -f 2 | xargs
      dragpipe: left out 1 excluded file: build
      new new src src .hidden a.c a.o
      # An allow list applies to the content of a folder, and patterns of a file start at the top of the folder only.
      $ printf '*\n!*/\n!*.c\n/T/src\n' > allow; list --exclude-from allow --exclude .git T; touch T/:!z; (cd T; dragpipe send --gitignore :!z | dragpipe receive --list | cut -f 2); rm T/:!z
      T/src/a.c
      :!z
      # The repository cannot make Git run a command, and variables of a hook do not name another one.
      $ git init -q evil; (cd evil; echo x > .gitignore; git add .; git -c user.name=a -c user.email=a@b commit -qm x; git update-index --skip-worktree .gitignore; rm .gitignore; B=$(git rev-parse :.gitignore); rm -f .git/objects/${B:0:2}/${B:2}
      >   git config core.repositoryformatversion 1; git config extensions.partialClone origin; git config remote.origin.promisor true
      >   git config remote.origin.url "ext::sh -c touch% $PWD/../pwned"; git config protocol.ext.allow always; git config core.fsmonitor "touch $PWD/../pwned")
      $ dragpipe send --gitignore evil > stream 2> errors; ls pwned; GIT_DIR=evil/.git GIT_WORK_TREE=evil list --gitignore T/src
      ls: cannot access 'pwned': No such file or directory
      src/a.c src/a.o
      # A pattern may also begin where the path begins.
      $ list --exclude T/new --exclude ./T/build/x/ --exclude '/src/*.o' --exclude .git T
      T/.hidden T/src/a.c
      $ mkdir none; dragpipe send --gitignore none 2> errors; echo $?; grep dragpipe errors; echo T | dragpipe send --gitignore --from-list -
      66
      dragpipe: --gitignore: Git cannot list the ignored files of none
      dragpipe: --gitignore applies to folders; for a list, try: git ls-files | dragpipe send --from-list - (see dragpipe send --help)
      [64]
      $ for pattern in '' / '!'; do dragpipe send --exclude "$pattern" T; done; dragpipe send --exclude-from - T; dragpipe send --exclude-from missing T; dragpipe send --exclude x --to clipboard: T
      dragpipe: --exclude "" matches no file (see dragpipe send --help)
      dragpipe: --exclude "/" matches no file (see dragpipe send --help)
      dragpipe: --exclude "!" matches no file (see dragpipe send --help)
      dragpipe: --exclude-from needs a file (see dragpipe send --help)
      dragpipe: cannot open missing: No such file or directory
      dragpipe: --exclude needs a drop; programs of the desktop get the folder itself (see dragpipe send --help)
      [64]
      """#)
  }

  @Test func unusableCurrentDirectorySendsNoWrongFile() async throws {
    try await transcript(
      #"""
      $ echo x > a.txt; mkdir in gone; cd gone; rmdir ../gone; dragpipe send etc/hostname > ../x
      dragpipe: cannot open etc/hostname: No such file or directory
      [66]
      $ cd ..; name=$(printf 'd\xff'); mkdir "$name"; cd "$name"; echo here > q; dragpipe send q | dragpipe receive -o -
      here
      $ cp q ..; dragpipe send ./../q | dragpipe receive -o -
      here
      $ dragpipe send . > /dev/null
      dragpipe: cannot open .: Invalid or incomplete multibyte or wide character
      [66]
      $ cd ..; dragpipe send a.txt/ > /dev/null
      dragpipe: cannot open a.txt/: Not a directory
      [66]
      $ dragpipe send --to "$RECEIVER in 2> errors" a.txt/
      dragpipe: cannot open a.txt/: Not a directory
      [66]
      """#)
  }

  @Test func missingFilesAreReportedBeforeAnythingIsOffered() async throws {
    try await transcript(
      #"""
      $ echo x > a; mkdir in; for endpoint in unix:s 'exec:touch started; sleep 60' "$RECEIVER in"; do
      >   dragpipe send --to "$endpoint" a nope; echo $?; done; ls
      dragpipe: cannot open nope: No such file or directory
      66
      dragpipe: cannot open nope: No such file or directory
      66
      dragpipe: cannot open nope: No such file or directory
      66
      a
      in
      $ dragpipe send --to "$RECEIVER in" --type public.data=nope
      dragpipe: cannot open nope: No such file or directory
      [66]
      $ dragpipe send -k --to "$RECEIVER in" a nope; echo $?; cat in/a
      dragpipe: left out: cannot open nope: No such file or directory
      dragpipe: some content failed to load: cannot open nope: No such file or directory
      2
      x
      """#)
  }

  @Test func anyPathIsAnEndpoint() async throws {
    try await transcript(
      #"""
      $ echo x > a; mkfifo wire; mkdir in; "$TOOL" send --to wire a & dragpipe receive --from wire in; wait; cat in/a
      x
      $ dragpipe send --to plain a; dragpipe receive --from ./plain -o -; dragpipe inspect --verify plain
      x
      $ dragpipe receive --from <("$TOOL" send a) -o -; dragpipe send --to >("$TOOL" receive -o out) a; await '[ -e out ]'
      x
      $ cat out; dragpipe send --to /dev/stdout a | dragpipe receive --from /dev/stdin -o -; dragpipe send --to /dev/null a
      x
      x
      $ dragpipe send --timeout 0.1 --to wire a
      dragpipe: no program has opened wire for reading
      [75]
      $ dragpipe send --to plain a; dragpipe send --to in a
      dragpipe: plain is there already
      dragpipe: in is there already
      [73]
      """#)
  }

  @Test func nameMayBeginWithACombiningMark() async throws {
    try await transcript(
      #"""
      $ mark=$(printf '\314\201x'); mkdir d in "$mark"; echo one > "d/$mark"; echo two > "$mark/a"
      $ dragpipe send "d/$mark" | dragpipe receive in; cat "in/$mark"
      one
      $ dragpipe send --type public.data="$mark/a" | dragpipe receive -o -
      two
      $ (cd d; dragpipe send "../$mark/a") | dragpipe receive -o -
      two
      $ "$TOOL" send --to "unix:$mark/s" --once "$mark/a" & await '[ -S "$mark/s" ]'
      $ dragpipe receive --from "unix:$mark/s" -o o; cat o; wait
      two
      """#)
  }

  @Test func directoryHasItsOwnName() async throws {
    try await transcript(
      #"""
      $ mkdir -p d/e in; echo b > d/e/b; show() { (cd in; echo */*); rm -rf in/*; }
      $ (cd d; dragpipe send .) | dragpipe receive in; show
      d/e
      $ (cd d; dragpipe send --to "exec:cd ..; $TOOL receive --from stdio: in" ./); show
      d/e
      $ for path in d/e/. d/./e/./ "$PWD/d/e/."; do dragpipe send "$path" | dragpipe receive in; show; done
      e/b
      e/b
      e/b
      $ dragpipe send --type public.folder=d/. | dragpipe receive in; show
      d/e
      $ dragpipe send '' > /dev/null
      dragpipe: cannot open "": No such file or directory
      [66]
      """#)
  }

  // MARK: Open files

  @Test func standardInputAndPipesAreReadOnceFromTheirOffset() async throws {
    try await transcript(
      #"""
      $ mkdir in; mkfifo fifo; echo fifo > fifo & printf '12345\n67890\n' > f
      $ echo input | dragpipe send --name input.txt - | dragpipe receive in; cat in/input.txt
      input
      $ dragpipe send fifo | dragpipe receive -o -
      fifo
      $ dragpipe send --name process.txt <(echo process) | dragpipe receive in; cat in/process.txt; rm in/*
      process
      $ echo input | dragpipe send --to "$RECEIVER in" -; cat in/item-1.txt; rm in/*
      input
      $ dragpipe send --to "$RECEIVER in" <(echo process); cat in/*; rm in/*
      process
      $ for item in - /dev/stdin --type=public.data=/proc/self/fd/0; do
      >   { read -r line; dragpipe send "$item"; } < f | dragpipe receive -o -; done | uniq -c
            3 67890
      $ { read -r line <&3; dragpipe send --to "$RECEIVER in" /dev/fd/3; } 3< f; cat in/*; rm in/*
      67890
      $ { read -r line; dragpipe send --to "$RECEIVER in" /dev/stdin; } < f; cat in/*; rm in/*
      67890
      $ { read -r line <&3; dragpipe send --to rest.drop /dev/fd/3; } 3< f; dragpipe inspect --verify rest.drop
      $ dragpipe receive --from rest.drop -o -
      67890
      $ dragpipe send /dev/fd/3 /dev/fd/3 3< f > x
      dragpipe: the representation public.data could not be created: /dev/fd/3 can be read only once, and has been read already
      [1]
      $ dragpipe send - /dev/stdin < f > x
      dragpipe: the representation public.data could not be created: standard input can be read only once, and has been read already
      [1]
      $ { read -r line <&3; exec "$TOOL" send --to unix:s --until-taken 2 /dev/fd/3 2> sent; } 3< f & await '[ -S s ]'
      $ dragpipe receive --from unix:s -o o; cat o
      67890
      $ dragpipe receive --from unix:s -o p
      dragpipe: the sender failed to load p: the representation public.utf8-plain-text could not be created: /dev/fd/3 can be read only once, and has been read already
      [2]
      $ ls p; await '[ -s sent ]'; kill $!; wait $!; cat sent
      ls: cannot access 'p': No such file or directory
      dragpipe: some content failed to load: the representation public.utf8-plain-text could not be created: /dev/fd/3 can be read only once, and has been read already
      dragpipe: cancelled
      $ { sleep 0.2; echo slow; } | "$TOOL" send --to unix:t --until-taken 2 - 2> sent & await '[ -S t ]'
      $ dragpipe receive --from unix:t -o q; cat q; dragpipe receive --from unix:t -o r 2> errors
      slow
      [2]
      $ kill $!; wait $!
      [143]
      $ ls r; grep -o 'standard input can be read only once, and has been read already' errors
      ls: cannot access 'r': No such file or directory
      standard input can be read only once, and has been read already
      """#)
  }

  @Test func descriptorsAreOneWayAsPipesAndTwoWayAsSockets() async throws {
    try await transcript(
      #"""
      $ mkdir in; echo Hail > a.txt
      $ { dragpipe send --to fd:7 a.txt 7>&1 > /dev/null; } | dragpipe receive --from fd:8 in 8<&0 < /dev/null; ls in
      a.txt
      $ dragpipe send --to fd:77 a.txt
      dragpipe: cannot use descriptor 77: Bad file descriptor
      [73]
      $ for number in {3..11}; do
      >   eval "exec $number>&-"; dragpipe send --to fd:$number a.txt < /dev/null 2> errors; echo $?
      > done | uniq -c
            9 73
      """#)
    try await withShell { shell in
      try shell.write(Data("Hail".utf8), to: "a")
      let (near, far) = try SystemCalls.socketPair()
      defer { for socket in [near, far] { try? SystemCalls.close(socket) } }
      let paths = ["a", "b"].map { shell.directory.appendingPathComponent($0).path }
      async let sent = ProgramRun(Shell.tool, ["send", "--to", "fd:0", paths[0]], input: near)
      let received = try await ProgramRun(
        Shell.tool, ["receive", "--from", "fd:0", "-o", paths[1]], input: far)
      #expect(try await sent.exitCode == 0 && received.exitCode == 0)
      #expect(try shell.data(of: "b") == Data("Hail".utf8))
    }
  }

  @Test func standardStreamOfASessionHasNoOtherUse() async throws {
    try await transcript(
      #"""
      $ echo Hail > a.txt
      $ dragpipe send --to stdio: - < /dev/null | cat; echo ${PIPESTATUS[0]}
      dragpipe: standard input is used for the session, so it cannot contain items (see dragpipe send --help)
      64
      $ for use in '-o -' --list '--as hero --into -'; do
      >   dragpipe receive --from stdio: $use < /dev/null | cat; echo ${PIPESTATUS[0]}
      > done 2>&1 | sort | uniq -c
            3 64
            3 dragpipe: standard output is used for the session; write to a file or a directory instead (see dragpipe receive --help)
      $ dragpipe send --to "exec:$TOOL receive --from fd:0 -o -" a.txt
      dragpipe: the sender expects responses; use --from stdio:
      dragpipe: the command has ended with status 76
      [69]
      $ dragpipe send --to "$RECEIVER --exec cat" a.txt
      Hail
      """#)
  }

  @Test func closedStandardDescriptorIsAnErrorAtOnce() async throws {
    try await transcript(
      #"""
      $ echo x > a; mkdir out
      $ for n in 1 2; do
      >   dragpipe send a >&-; echo $?; dragpipe receive out <&-; echo $?; dragpipe inspect >&- < /dev/null; echo $?
      > done 2>&1 | sort | uniq -c
            2 65
            4 74
            2 dragpipe: cannot read: Bad file descriptor
            2 dragpipe: cannot write: Bad file descriptor
            2 dragpipe: the input is empty at byte 0
      """#)
  }

  @Test func fileIsNotInputAndOutput() async throws {
    try await transcript(
      #"""
      $ echo x > a; ln a b; cp a c.drop; dragpipe send a >> b
      dragpipe: a is both input and output; choose another output file (see dragpipe send --help)
      [64]
      $ dragpipe send c.drop --to ./c.drop --overwrite
      dragpipe: c.drop is both input and output; choose another output file (see dragpipe send --help)
      [64]
      $ dragpipe send --to fd:3 a 3>> b
      dragpipe: a is both input and output; choose another output file (see dragpipe send --help)
      [64]
      $ cat a c.drop; dragpipe send a > a.drop; cp a.drop copy
      x
      x
      $ dragpipe receive -f -o a.drop < a.drop
      dragpipe: a.drop is the input file; choose another output file
      [73]
      $ dragpipe receive --from a.drop -f -o ./a.drop
      dragpipe: a.drop is the input file; choose another output file
      [73]
      $ cmp a.drop copy; dragpipe receive --from a.drop -f -o copy; cat copy
      x
      # A list of a directory may contain the output file, which a shell has created before.
      $ mkdir d in; echo 1 > d/a; echo 2 > d/b; : > d/all.drop; find d -type f | dragpipe send --from-list - > d/all.drop
      dragpipe: left out d/all.drop: it is the output file
      $ dragpipe receive --from d/all.drop in; ls in
      a
      b
      # Another file is not left out, even if it is the standard output.
      $ rm in/*; : > d/log; ls d/* | dragpipe send --from-list - --to d/all.drop --overwrite > d/log
      dragpipe: left out d/all.drop: it is the output file
      $ dragpipe receive --from d/all.drop in; ls in
      a
      b
      log
      """#)
  }

  // MARK: Lists

  @Test func listsHaveLinesOrZerosOrURIs() async throws {
    try await transcript(
      #"""
      $ mkdir in; echo 1 > 'a b'; echo 2 > c; echo 3 > 'e%20f'; echo dash > ./-
      $ printf 'a b\ne%%20f\n-\n' | dragpipe send --from-list - | dragpipe receive in; ls in; cat in/-
      -
      a b
      e%20f
      dash
      $ printf 'c\0' > list; dragpipe send -0 --from-list list | dragpipe receive --list
      1	c	public.utf8-plain-text	2
      $ printf '# sagas\r\nfile://%s/a%%20b\r\nfile://localhost%s/e%%2520f\n' "$PWD" "$PWD" > list
      $ dragpipe send --uris --from-list list | dragpipe receive --rename in; ls in
      -
      a b
      a b-2
      e%20f
      e%20f-2
      $ printf 'file:-\n' > list; dragpipe send --uris --from-list list < c | dragpipe receive -o -
      dash
      $ for bad in 'http://example.org/a' 'file://elsewhere/a' '\377'; do
      >   printf "$bad\n" | dragpipe send --uris --from-list - > x; echo $?; done
      dragpipe: standard input: line 1 is not a file: URI of this machine
      65
      dragpipe: standard input: line 1 is not a file: URI of this machine
      65
      dragpipe: standard input: name 1 is not UTF-8
      65
      $ printf 'a\0' | dragpipe send --from-list - > x
      dragpipe: standard input: name 1 contains a zero byte; use --null for such lists
      [65]
      $ printf 'a\0' | dragpipe send --from-list - --to "$RECEIVER in"
      dragpipe: standard input: name 1 contains a zero byte; use --null for such lists
      [65]
      $ dragpipe send --from-list /dev/null | dragpipe receive new/; ls -d new
      new
      """#)
  }

  // MARK: Names and content that cannot be sent

  @Test func badNameIsFoundBeforeAnythingIsSent() async throws {
    try await transcript(
      #"""
      $ mkdir d in; echo 1 > d/a; echo 3 > d/z; echo 1 > a
      $ for name in $'b\tc' $'b\xffc'; do
      >   echo 2 > "d/$name"; dragpipe send d/* > stream; echo $? $(stat -c %s stream)
      >   dragpipe send d/* --to new.drop; echo $?; ls new.drop; (cd d; ls | dragpipe send --from-list -) > stream; echo $? $(stat -c %s stream)
      >   dragpipe send -k d/* | dragpipe receive in/; echo ${PIPESTATUS[*]} $(ls in); rm in/*
      >   ls d/* | dragpipe send -k --from-list - | dragpipe receive in; echo ${PIPESTATUS[*]} $(ls in); rm in/* "d/$name"
      > done > codes 2> errors; sort codes errors | uniq -c
            2 0 2 0 a z
            2 2 0 a z
            2 77
            4 77 0
            1 dragpipe: cannot send "b\u{9}c": receivers refuse the name: it has the control character U+9
            1 dragpipe: cannot send "b\xFFc": receivers refuse the name: it is not UTF-8
            2 dragpipe: cannot send "d/b\u{9}c": receivers refuse the name: it has the control character U+9
            2 dragpipe: cannot send "d/b\xFFc": receivers refuse the name: it is not UTF-8
            2 dragpipe: left out: cannot send "d/b\u{9}c": receivers refuse the name: it has the control character U+9
            2 dragpipe: left out: cannot send "d/b\xFFc": receivers refuse the name: it is not UTF-8
            2 dragpipe: some content failed to load: cannot send "d/b\u{9}c": receivers refuse the name: it has the control character U+9
            2 dragpipe: some content failed to load: cannot send "d/b\xFFc": receivers refuse the name: it is not UTF-8
            2 ls: cannot access 'new.drop': No such file or directory
      $ echo 2 > $'d/b\tc'; dragpipe send --to "$RECEIVER in" d/*
      dragpipe: cannot send "d/b\u{9}c": receivers refuse the name: it has the control character U+9
      [77]
      $ ls in; dragpipe send -k --to "$RECEIVER in" d/*
      dragpipe: left out: cannot send "d/b\u{9}c": receivers refuse the name: it has the control character U+9
      dragpipe: some content failed to load: cannot send "d/b\u{9}c": receivers refuse the name: it has the control character U+9
      [2]
      $ ls in
      a
      z
      $ mkdir -p f/e; echo 2 > f/e/$'b\xff\t'; dragpipe send a f > stream; echo $? $(stat -c %s stream)
      dragpipe: cannot send the folder f: "f/e/b\xFF\x09": a name is not UTF-8
      77 0
      $ dragpipe send --to exec:cat f
      dragpipe: cannot send the folder f: "f/e/b\xFF\x09": a name is not UTF-8
      [77]
      $ dragpipe send -k a f | dragpipe receive --overwrite in; echo ${PIPESTATUS[*]} $(ls in)
      dragpipe: left out: cannot send the folder f: "f/e/b\xFF\x09": a name is not UTF-8
      dragpipe: some content failed to load: cannot send the folder f: "f/e/b\xFF\x09": a name is not UTF-8
      2 0 a z
      """#)
  }

  @Test func endOfALongPathAndTheReasonAreShown() async throws {
    try await transcript(
      #"""
      $ name=$(printf 'd%.0s' {1..100}); mkdir -p top/$name/$name/$name/e; touch top/$name/$name/$name/e/$'x\ty'
      $ dragpipe send top | wc -c; dragpipe send / | wc -c; dragpipe send --name root --to "$RECEIVER" /
      dragpipe: cannot send the folder top: "…ddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd/dddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd/e/x\u{9}y": a name has the control character U+9
      0
      dragpipe: cannot send "/": receivers refuse the name: the folder has none
      0
      dragpipe: cannot send "/": receivers refuse the name: the folder has none
      [77]
      """#)
  }

  @Test func badNameOfARepresentationIsFoundBeforeAnythingIsSent() async throws {
    try await transcript(
      #"""
      $ mkdir d in; echo 1 > a; echo 2 > $'b\tc'; echo 3 > $'d/e\tf'
      $ for file in $'b\tc' d; do
      >   dragpipe send --type public.data="$file" > stream; echo $? $(stat -c %s stream)
      >   dragpipe send --type public.data=a --lazy 'public.json=touch started' --type public.png="$file" --to x.drop
      >   echo $? $(ls x.drop started 2> /dev/null); rm -f x.drop started
      > done
      dragpipe: cannot send "b\u{9}c": receivers refuse the name: it has the control character U+9
      77 0
      0 started x.drop
      dragpipe: cannot send the folder d: "d/e\u{9}f": a name has the control character U+9
      77 0
      dragpipe: cannot send the folder d: "d/e\u{9}f": a name has the control character U+9
      77
      $ dragpipe send -n ok --type public.data=$'b\tc' | dragpipe receive in; echo ${PIPESTATUS[*]} $(ls in)
      0 0 ok
      $ cp "$SAMPLES/heroes.json" $'h\xff.json'; cp "$SAMPLES/heroes.json" z.json
      $ dragpipe send --as hero h*.json > stream
      dragpipe: cannot open "h\xFF.json": the name is not UTF-8
      [77]
      $ stat -c %s stream; dragpipe send -k --as hero h*.json z.json > stream
      0
      dragpipe: left out: cannot open "h\xFF.json": the name is not UTF-8
      dragpipe: some content failed to load: cannot open "h\xFF.json": the name is not UTF-8
      [2]
      $ dragpipe inspect --verify stream
      """#)
  }

  @Test func failedLoadsDecideTheExitCode() async throws {
    try await transcript(
      #"""
      $ mkdir in; echo x > a; echo z > c
      $ dragpipe send --keep-going a missing c 2> sent | dragpipe receive in; echo ${PIPESTATUS[*]} $(ls in); cat sent
      dragpipe: the sender failed to load missing: the representation public.data could not be created: cannot open missing: No such file or directory
      2 2 a c
      dragpipe: some content failed to load: cannot open missing: No such file or directory
      $ dragpipe send --lazy 'public.png=echo {}; exit 3' --type public.plain-text=a -k 2> sent |
      >   dragpipe receive -a public.text -o -; echo ${PIPESTATUS[*]}; cat sent
      x
      2 0
      dragpipe: some content failed to load: the representation public.png could not be created: the command echo {}; exit 3 failed: status 3
      $ dragpipe send --lazy 'public.png=exit 3' --name lost.png -k 2> sent | dragpipe receive -o -; echo ${PIPESTATUS[*]}
      dragpipe: the sender failed to load lost.png: the representation public.png could not be created: the command exit 3 failed: status 3
      2 2
      $ rm in/*; dragpipe send --keep-going --to "$RECEIVER in 2> errors; true" a missing
      dragpipe: left out: cannot open missing: No such file or directory
      dragpipe: some content failed to load: cannot open missing: No such file or directory
      [2]
      $ ls in; dragpipe send --to "$RECEIVER -o o 2> errors" --lazy 'public.json=echo no >&2; exit 3'
      a
      no
      dragpipe: some content failed to load: the representation public.json could not be created: the command echo no >&2; exit 3 failed: status 3
      [1]
      $ dragpipe receive --from "$SENDER --lazy 'public.html=echo x; exit 3' 2> errors" in
      dragpipe: the sender failed to load item-1.html: the representation public.html could not be created: the command echo x; exit 3 failed: status 3
      [2]
      # One success of several receivers, and the failures of all, count for the exit code.
      $ "$TOOL" send --to unix:s --once --lazy 'public.html=exit 3' --type public.plain-text=a 2> sent & await '[ -S s ]'
      $ dragpipe receive --from unix:s --accept public.html other/ 2> errors
      [2]
      $ dragpipe receive --from unix:s --accept public.plain-text more/
      $ wait $!
      [2]
      $ "$TOOL" send --keep-going --to unix:s --once a missing 2> sent & await '[ -S s ]'
      $ dragpipe receive --from unix:s part/ 2> errors; wait $!
      [2]
      """#)
  }

  // MARK: Commands

  /// Each command writes its number to a file.
  @Test func timeoutsAndLostReadersEndCommands() async throws {
    try await transcript(
      #"""
      # On a busy machine, a timeout may end a command before it has written a file, or a session before its handshake.
      $ gone() { for file; do [ ! -s $file ] || await "! kill -0 $(cat $file)"; rm -f $file; done; }; echo x > a; mkdir in
      $ make='public.json=touch started; (sleep 600; touch late) & echo $! > child; sleep 600 & echo $! > other; wait'
      $ dragpipe send --timeout 1 --lazy "$make" > /dev/null
      dragpipe: the representation public.json could not be created: no byte was transferred within 1.0 seconds
      [75]
      $ gone child other; dragpipe send --timeout 0.3 --to "$RECEIVER in 2> errors" --lazy "$make" 2> sent
      [75]
      $ gone child other; mkfifo silent; exec 9<> silent
      $ dragpipe send --timeout 0.3 silent 2>&1 > /dev/null | sed "s:$PWD/::"; (exit ${PIPESTATUS[0]})
      dragpipe: silent: no byte was transferred within 0.3 seconds
      [75]
      $ dragpipe send --timeout 0.3 - < silent > /dev/null
      dragpipe: the representation public.data could not be created: standard input: no byte was transferred within 0.3 seconds
      [75]
      $ dragpipe send --timeout 0.3 --to "$RECEIVER in 2> errors" silent 2> sent
      [75]
      $ dragpipe send --timeout 0.3 --keep-going silent a 2> errors | dragpipe receive in 2> errors; echo ${PIPESTATUS[0]}
      2
      $ dragpipe send --lazy 'public.data=echo $$ > child; head -c 3000000 /dev/zero; exec sleep 600' | head -c 10 > x
      dragpipe: the receiver is gone
      $ gone child; dragpipe send --timeout 0.3 --lazy 'public.data=echo $$ > child; trap "" TERM; exec sleep 600' > x
      dragpipe: the representation public.data could not be created: no byte was transferred within 0.3 seconds
      [75]
      $ gone child; dragpipe send --timeout 2 --lazy 'public.data=echo $$ > child; echo a; exec >&- sleep 600' > x
      dragpipe: the representation public.data could not be created: no data within 2.0 seconds
      [75]
      $ gone child; ls late started
      ls: cannot access 'late': No such file or directory
      started
      [2]
      """#)
  }

  @Test func commandMayUseTheTerminal() async throws {
    try await transcript(
      #"""
      $ export LAZY='public.text=touch asked; read x < /dev/tty; echo got $x'
      $ { await '[ -e asked ]'; echo secret; } | script -qec '"$TOOL" send --lazy "$LAZY" > x.drop' /dev/null > /dev/null
      $ dragpipe receive --from x.drop -o -
      got secret
      """#)
  }
}
