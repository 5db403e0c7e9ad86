// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

/// The exit codes, with their messages.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct ExitCodeTests {
  /// Each line has a command line, and after two spaces a part of its message.
  @Test func invalidCommandLinesExitWith64() async throws {
    try await transcript(
      #"""
      $ mkdir in; echo > a
      $ while read -r line; do
      >   command=${line%%  *} message=${line#"$command"}
      >   eval "dragpipe $command" < /dev/null > out 2> errors; code=$?
      >   [ "$code $(wc -l < errors)$(cat out)" = '64 1' ] && grep -qF -- "${message#  }" errors && [ -z "$(ls in)" ] ||
      >     echo "$command: $code: $(cat out errors)"
      > done << 'END'
      > send  (see dragpipe send --help)
      > send --as villain x  villain
      > send --name a x y  --name
      > send --name  --name needs a value
      > send --type public.png
      > send --type =a
      > send --type public.png=a a
      > send --type public.png=a --type public.png=b
      > send --alias public.text=public.html
      > send --type public.png=- --type public.html=-
      > send --type public.data=$'g\xff'
      > send --once a  --once and --until-taken need a receiver that can respond
      > send --until-taken 0 --to unix:s a  --until-taken 0 is out of range
      > send --once --until-taken 2 --to unix:s a  exclude each other
      > send --move a  --move needs a receiver that can respond
      > send --move --to clipboard: a  --move needs a receiver that confirms
      > send --to nowhere:here a  unknown endpoint nowhere:here
      > send --to fd:-1 a
      > send --null a
      > send --from-list a --null --uris
      > send --sync a  dragpipe: --sync needs a file to flush; use --to FILE (see
      > send --sync --to exec:cat a  --sync needs a file
      > send --to exec:cat --indexed a  a session has no index
      > receive  no destination
      > receive a b  more than one destination
      > receive in -o a  more than one destination
      > receive --list in  more than one destination
      > receive ''  dragpipe: DIR is empty
      > receive -  - is not a directory
      > receive $'d\xff/'  dragpipe: argument 2 is not valid UTF-8: d\xFF/ (see dragpipe receive --help)
      > receive --timeout never in  never
      > receive --column x in  --column needs --as card
      > receive --as hero  --as and --into need each other
      > receive --into '' --as hero  dragpipe: --into needs a file name
      > receive --as hero --into a --column x  --column needs --as card
      > receive --accept public.png --as hero --into a  --accept cannot be combined with --as
      > receive --list --accept public.png  --accept cannot be combined with --list
      > receive --json in  --json needs --list or --print
      > receive --null in  --null needs --print
      > receive --print -o a  --print needs a directory
      > receive --print --list  --print cannot be combined with --list
      > receive --print --json --null in  --null and --json exclude each other
      > receive --print --from stdio: in  standard output is used for the session
      > receive --overwrite --rename in  --overwrite and --rename exclude each other
      > receive --all -o a  --all cannot be combined with -o
      > receive -o in/  is not a file name
      > receive -o ''  dragpipe: -o needs a file name
      > receive --output=  dragpipe: -o needs a file name
      > receive --exec ''  --exec needs a command
      > receive --links none in  --links none is unknown; use inside or all
      > receive --max-bytes much in
      > receive --max-items -1 in  --max-items -1 is not a number
      > receive --progress sometimes in
      > receive --move in  --move needs a sender that can respond
      > receive --move --from unix:s --list  --move cannot be combined with --list
      > receive --sync -o -  --sync cannot be combined with -o -
      > receive --sync --exec cat  dragpipe: --sync cannot be combined with --exec (see
      > receive --sync --list  --sync cannot be combined with --list
      > receive --sync --as hero --into -  --sync cannot be combined with --into -
      > receive --resume in  --resume needs a sender that can respond
      > receive --resume --from clipboard: in  --resume needs a sender that can respond
      > receive --resume --from unix:s -o -  --resume cannot be combined with -o -
      > receive --resume --from unix:s --exec cat  --resume cannot be combined with --exec
      > receive --resume --from unix:s --list  --resume cannot be combined with --list
      > receive --resume --from unix:s --as hero --into f  --resume cannot be combined with --as
      > receive --clean --overwrite in  dragpipe: --overwrite cannot be combined with --clean (see
      > receive --clean --resume in  --resume cannot be combined with --clean
      > receive --clean --from - in  --from cannot be combined with --clean
      > receive --clean in in  more than one destination
      > types of $'a\xff.png'  dragpipe: argument 3 is not valid UTF-8: a\xFF.png (see dragpipe types of --help)
      > END
      $ ls
      a
      errors
      in
      out
      """#)
  }

  @Test func messagesAndJSONContainNoControlCharacters() async throws {
    try await transcript(
      #"""
      $ echo x > a; dragpipe send --name $'evil\e[2J\tname' a > stream; dragpipe receive --list < stream
      1	evil\u{1b}[2J\u{9}name	public.utf8-plain-text	2
      $ dragpipe receive --list --json < stream | grep -o '"name" *: *"[^"]*"'
      "name":"evil\u001b[2J\tname"
      """#)
  }

  @Test func itemsForATerminalExitWith64UnlessTheyAreText() async throws {
    try await transcript(
      #"""
      $ on_terminal() { script -qec "'$TOOL' $*" /dev/null < /dev/null | tr -d '\r'; echo ${PIPESTATUS[0]}; }
      $ echo Hail > a.txt; printf 'a\033[2J' > b.txt; head -c 100 /dev/zero > c; mkdir out
      $ for endpoint in 'send a.txt' 'receive out' 'send --to fd:1 a.txt' 'receive --from fd:0 out'; do
      >   on_terminal "$endpoint"; done
      dragpipe: standard output is a terminal; try: dragpipe send … | dragpipe receive DIR (see dragpipe send --help)
      64
      dragpipe: standard input is a terminal; try: dragpipe send FILE… | dragpipe receive … (see dragpipe receive --help)
      64
      dragpipe: the descriptor of --to is a terminal; try: dragpipe send … | dragpipe receive DIR (see dragpipe send --help)
      64
      dragpipe: the descriptor of --from is a terminal; try: dragpipe send FILE… | dragpipe receive … (see dragpipe receive --help)
      64
      $ for items in a.txt 'a.txt b.txt' 'a.txt c'; do
      >   dragpipe send $items > x.drop; on_terminal receive --from x.drop -q -o -; done
      Hail
      0
      dragpipe: standard output is a terminal; text with control characters needs -o FILE (see dragpipe receive --help)
      64
      dragpipe: standard output is a terminal; public.data content needs -o FILE (see dragpipe receive --help)
      64
      $ dragpipe send a.txt --to t.drop; on_terminal extract t.drop 1 public.plain-text
      Hail
      0
      $ dragpipe send -n a --type public.plain-text=b.txt --type public.data=c --to a.drop
      $ on_terminal extract a.drop 1 public.data
      dragpipe: standard output is a terminal; content that is not text needs -o FILE, or -o - to show it (see dragpipe extract --help)
      64
      $ on_terminal extract a.drop 1 public.plain-text
      dragpipe: standard output is a terminal; text with control characters needs -o FILE, or -o - to show it (see dragpipe extract --help)
      64
      $ on_terminal extract a.drop 1 public.plain-text --output - | od -An -c
         a 033   [   2   J   0  \n
      """#)
  }

  @Test func missingInputsAndUnusableOutputsHaveTheirCodes() async throws {
    try await transcript(
      #"""
      $ echo x > a; echo '{"id": 1}' > hero; mkdir out; head -c 99K /dev/urandom > big; dragpipe send a > stream
      $ dragpipe send missing > /dev/null
      dragpipe: cannot open missing: No such file or directory
      [66]
      $ dragpipe send missing > stream 2> errors; dragpipe receive out < stream
      dragpipe: the sender failed: the representation public.data could not be created: cannot open missing: No such file or directory
      [1]
      $ dragpipe receive missing < stream
      dragpipe: directory missing does not exist; use missing/ to create it
      [73]
      $ dragpipe receive --from "$SENDER a 2> /dev/null" ./missing
      dragpipe: directory ./missing does not exist; use ./missing/ to create it
      [73]
      $ dragpipe receive no/dir < stream
      dragpipe: cannot use the directory no/dir: No such file or directory
      [73]
      $ dragpipe receive a < stream
      dragpipe: cannot use the directory a: Not a directory
      [73]
      $ dragpipe send --as hero hero > heroes; dragpipe receive --as hero --into missing/f.json < heroes
      dragpipe: cannot change missing/f.json: No such file or directory
      [73]
      $ dragpipe send big > /dev/full
      dragpipe: cannot write: No space left on device
      [74]
      $ mkfifo silent; sleep 60 > silent & dragpipe receive --timeout 0.2 out < silent; code=$?; kill $!; (exit $code)
      dragpipe: no byte was transferred within 0.2 seconds
      [75]
      $ head -c 9M /dev/urandom > long; dragpipe send long | head -c 1 > /dev/null; echo ${PIPESTATUS[0]}
      dragpipe: the receiver is gone
      69
      $ echo '[]' | dragpipe send --as hero - | dragpipe receive out
      $ ls -A out
      """#)
  }

  @Test func withoutADisplayTheExitCodeIs69() async throws {
    try await transcript(
      #"""
      $ mkdir in; echo a > a
      $ for display in '' :4321 elsewhere:0; do
      >   export DISPLAY=$display; [ $display ] || unset DISPLAY
      >   for command in 'copy a' paste 'copy -d a' 'drag a' 'drop in' 'send --to desktop: a' 'receive --from desktop: in'; do
      >     dragpipe $command; echo $?
      >   done 2>&1 | sort | uniq -c
      > done
            7 69
            7 dragpipe: no display: neither WAYLAND_DISPLAY nor DISPLAY is set
            7 69
            7 dragpipe: no display at :4321: No such file or directory
            7 69
            7 dragpipe: display "elsewhere:0" is on the network; only local displays such as ":0" are allowed
      """#)
  }

  /// Some content failed to load at the sender, and the rest is received.
  @Test func partialDropExitsWith2() async throws {
    try await transcript(
      #"""
      $ echo x > one; mkdir out; dragpipe send -k one two three --to a.drop 2> errors
      [2]
      $ dragpipe receive out < a.drop
      dragpipe: the sender failed to load two and 1 more: the representation public.data could not be created: cannot open two: No such file or directory
      [2]
      $ ls out
      one
      """#)
  }
}
