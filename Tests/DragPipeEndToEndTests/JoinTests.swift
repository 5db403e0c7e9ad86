// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// Drops that are joined, and drops to which items are appended.
@Suite(.serialized, .limited, .timeLimit(minutes: 10)) struct JoinTests {
  @Test func joinedDropHasAllItemsAndAnIndex() async throws {
    try await transcript(
      #"""
      $ echo a > a; head -c 3M /dev/urandom > big; touch -d '2001-02-03' a; mkdir in; dragpipe send a --to a.drop
      $ dragpipe send --type public.png=big --type .txt=a --alias public.image=public.png --name two --to b.drop
      $ dragpipe send big > stream; dragpipe join a.drop stream b.drop - < a.drop --to c.drop
      $ names() { dragpipe inspect --json $1 | grep -o '"name":"[^"]*"' | cut -d '"' -f 4 | paste -sd ' '; }
      $ names c.drop; dragpipe inspect --verify --json c.drop | grep -c '"hasIndex":true'
      a big two a
      1
      $ dragpipe extract c.drop 3 .png | cmp - big; dragpipe extract c.drop 3 public.image | cmp - big; dragpipe extract c.drop 2 | cmp - big
      $ dragpipe receive --from c.drop --rename -p in; stat -c '%y %n' in/a in/a-2 | cut -c 1-10,36-
      2001-02-03 in/a
      2001-02-03 in/a-2
      # An input may be replaced, a pipe gets an index on request, and standard output takes no input file.
      $ dragpipe join a.drop b.drop --to a.drop; dragpipe join -f a.drop b.drop --to a.drop; names a.drop
      dragpipe: a.drop is there already
      a two
      $ dragpipe join --indexed b.drop | dragpipe join - b.drop > d.drop; names d.drop; dragpipe join b.drop >> b.drop
      two two
      dragpipe: b.drop is both input and output; choose another output file (see dragpipe join --help)
      [64]
      $ dragpipe join - < b.drop >> b.drop; dragpipe send - < b.drop >> b.drop; dragpipe inspect --verify b.drop
      dragpipe: standard input is both input and output; choose another output file (see dragpipe join --help)
      dragpipe: standard input is both input and output; choose another output file (see dragpipe send --help)
      # Pipes are read in order.
      $ dragpipe join <("$TOOL" send a) <("$TOOL" send big) | dragpipe inspect --json | grep -o '"items":[0-9][0-9]*'
      "items":2
      """#)
  }

  @Test func damagedOrMissingDropLeavesNoJoinedDrop() async throws {
    try await transcript(
      #"""
      # The damage changes a byte for certain.
      $ head -c 3M /dev/zero | tr '\0' a > big; dragpipe send big --to a.drop; head -c -100 a.drop > cut; dragpipe send big > stream
      $ head -c -100 stream > short; cp a.drop bad; printf X | dd of=bad bs=1 seek=1000000 conv=notrunc status=none; echo x > text
      $ for drop in cut short bad text none; do dragpipe join a.drop $drop --to c.drop 2> errors; echo $? $(grep -c $drop errors); done; ls *.drop
      65 1
      65 1
      65 1
      65 1
      66 1
      a.drop
      $ ls -A | grep -c dragpipe-
      0
      [1]
      $ cp bad b.drop; dragpipe extract --items 1 -o c.drop b.drop 2> errors
      [65]
      $ ls c.drop 2> errors
      [2]
      # A failure of the original sender is copied.
      $ dragpipe send -k --lazy 'public.png=exit 3' --type .txt=text --to part.drop 2> errors
      [2]
      $ dragpipe join part.drop --to c.drop; dragpipe receive --from c.drop --all in/ 2> errors
      dragpipe: part.drop: item 1: the representation public.png could not be created: the sender could not load the representation: the representation public.png could not be created: the command exit 3 failed: status 3
      [2]
      $ ls in
      text.txt
      """#)
  }

  @Test func itemsAreAppendedToADrop() async throws {
    try await transcript(
      #"""
      $ for name in 0 1 2 3 4 5 6 7 8 9; do echo $name > $name; done; names() { dragpipe inspect --json $1 | grep -o '"name":"[^"]*"' | cut -d '"' -f 4 | paste -sd ' '; }
      $ dragpipe send --append 0 --to a.drop; dragpipe send --append 1 2 --to a.drop; names a.drop; dragpipe inspect --verify a.drop
      0 1 2
      $ dragpipe send --append missing --to a.drop 2> errors
      [66]
      $ dragpipe send 3 > stream; dragpipe send --append 4 --to stream; names stream
      3 4
      $ chmod 600 a.drop stream; dragpipe send --append 3 --to stream; dragpipe join -f a.drop --to a.drop; stat -c %a a.drop stream
      600
      600
      # No item of several processes is lost; on a busy machine, some report that they wait.
      $ for name in 3 4 5 6 7 8 9; do "$TOOL" send --append $name --to a.drop 2> waits & done; wait; names a.drop | tr ' ' '\n' | sort | paste -sd ' '
      0 1 2 3 4 5 6 7 8 9
      $ echo text > b.drop; dragpipe send --append 1 --to b.drop 2> errors; echo $?; cat b.drop; dragpipe send --append 1 | cat
      65
      text
      dragpipe: --append needs a file to append to; use --to FILE (see dragpipe send --help)
      $ dragpipe send --append --to /dev/null 1
      dragpipe: --append needs a regular file, which /dev/null is not (see dragpipe send --help)
      [64]
      $ exec 8< a.drop; flock 8; dragpipe send --append --timeout 0.2 --to a.drop 1
      dragpipe: another process still appends to a.drop
      [75]
      $ exec 8<&-; dragpipe send --append --timeout 0.2 --to a.drop 1
      """#)
  }
}
