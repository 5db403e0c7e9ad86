// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// The commands `inspect` and `extract`.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct InspectTests {
  @Test func tableIsAsWideAsTheTerminal() async throws {
    try await transcript(
      #"""
      $ echo x > a; dragpipe send --name "$(printf 'Bellerophon%.0s' {1..20})" a > stream
      $ for columns in 70 90; do
      >   COLUMNS=$columns script -qec "'$TOOL' inspect stream" /dev/null < /dev/null | tr -d '\r' | head -2 | wc -L; done
      70
      90
      $ dragpipe inspect stream | head -2 | wc -L
      269
      """#)
  }

  @Test func entriesOfFoldersAreListed() async throws {
    try await transcript(
      #"""
      $ mkdir -p T/sub; echo a > T/a; ln T/a T/h; ln -s a T/l; truncate -s 1M T/sub/hole; echo x > x; dragpipe send --to s.drop T x
      $ dragpipe inspect --entries s.drop | grep -v public; dragpipe inspect -e --tree s.drop | grep hole
      ITEM  NAME  TYPE                    BYTES  CRC32C    REMARKS
            T/
            T/a  2 bytes
            T/h = T/a
            T/l -> a
            T/sub/
            T/sub/hole  1048576 bytes
      2 items, 3 representations, 11266 bytes: complete and verified
      │    T/sub/hole  1048576 bytes
      $ dragpipe inspect -ej - < s.drop | grep -o '{[^{}]*"kind"[^{}]*}'
      {"kind":"folder","path":"T"}
      {"bytes":2,"kind":"file","path":"T/a"}
      {"kind":"hardLink","path":"T/h","target":"T/a"}
      {"kind":"symbolicLink","path":"T/l","target":"a"}
      {"kind":"folder","path":"T/sub"}
      {"bytes":1048576,"kind":"file","path":"T/sub/hole"}
      # The stream is valid although the folder in it is malformed.
      $ printf 'T/' > bad; dragpipe send --type public.folder=bad > stream; dragpipe inspect -e stream | tail -2; dragpipe inspect -ej stream | grep -o '"entriesError":"[a-z ]*'
            malformed: the archive is truncated at byte 2
      1 item, 1 representation, 2 bytes: complete and verified
      "entriesError":"the archive is truncated at byte 
      $ dragpipe inspect --entries --verify stream
      dragpipe: --verify lists no items, so it may be combined with --json only (see dragpipe inspect --help)
      [64]
      """#)
  }

  @Test func outputThatIsClosedOrFullEndsEachCommand() async throws {
    try await transcript(
      #"""
      $ echo '{"name": "Pele"}' | dragpipe send --as hero --to a.drop -; head -c 100000 /dev/zero > a.cbor
      $ for command in 'inspect a.drop' 'inspect --tree a.drop' 'inspect --json a.drop' 'inspect --content a.drop' \
      >   'inspect --verify --json a.drop' 'inspect --diagnostic a.cbor' 'extract a.drop 1 public.json' 'types list' man 'completions bash'; do
      >   dragpipe $command > /dev/full; echo $?
      > done 2>&1 | sort | uniq -c
           10 74
           10 dragpipe: cannot write: No space left on device
      $ dragpipe extract a.drop 1 public.json >&-
      dragpipe: cannot write: Bad file descriptor
      [74]
      $ dragpipe inspect --verify a.drop > /dev/full
      # A reader that leaves early is not an error that needs a message.
      $ name=$(printf 'Bellerophon%.0s' {1..20}); echo x > $name; yes $name | head -3000 | dragpipe send --from-list - > stream
      $ for command in 'inspect stream' 'inspect --tree stream' 'inspect --json stream' 'inspect a.cbor'; do
      >   dragpipe $command | head -1 > first; echo ${PIPESTATUS[0]}; done | uniq -c
            4 141
      $ dragpipe types list | head -1 > first; code=${PIPESTATUS[0]}; [ $code = 0 ] || [ $code = 141 ]
      $ dragpipe man | head -1 | cut -c 1-14
      .TH DRAGPIPE 1
      """#)
  }

  /// The first items are shown before the last have arrived.
  @Test func manyItemsNeedNoMoreMemory() async throws {
    let count = isFullRun ? 8000 : 2000
    try await withShell { shell in
      let run = try await shell.run(
        """
        echo text > a; yes a | head -\(count) > list; dragpipe send --from-list list > many
        head -400 list | dragpipe send --from-list - > few
        # Prints the peak memory in KiB when all threads wait for the last byte.
        memory() {
          "$TOOL" inspect wire > output & exec 3> wire; head -c -1 $1 >&3
          for check in 1 2 3; do await '! grep -h ^State: /proc/$!/task/*/status | grep -v "S (sleeping)"'; done
          sed -n 's/^VmHWM:[^0-9]*\\([0-9]*\\).*/\\1/p' /proc/$!/status; tail -c 1 $1 >&3; exec 3>&-; wait $! || echo failed
        }
        mkfifo wire
        few=$(memory few); many=$(memory many); [ $((many - few)) -lt \(count) ] || echo $few $many
        (head -c 200000 many; await '[ -e seen ]'; tail -c +200001 many) | dragpipe inspect - | (head -1 > first; touch seen; tail -1)
        """)
      #expect(
        run.output == "\(count) items, \(count) representations, \(5 * count) bytes: complete and verified\n",
        "\(run.errors)")
    }
  }

  // MARK: CBOR

  @Test func filesOfCBORAreShownWithOneItemALine() async throws {
    try await transcript(
      #"""
      $ printf '\x01\x82\x02\x03\xf5\x63\xe6\xb0\xb4' > a.CBOR; cp a.CBOR b; dragpipe inspect a.CBOR
      1
      [2, 3]
      true
      "水"
      $ dragpipe inspect --diagnostic b | tail -1; dragpipe inspect --json a.CBOR
      "水"
      {"items": [
      "1",
      "[2, 3]",
      "true",
      "\"水\""
      ], "verified": true}
      # An empty file is a CBOR sequence only by its name, and a stream may have any name.
      $ : > a.cbor; dragpipe inspect -c a.cbor; dragpipe inspect --json a.cbor
      {"items": [
      ], "verified": true}
      $ : > a.drop; dragpipe inspect --content a.drop
      dragpipe: a.drop: the input is empty at byte 0
      [65]
      $ echo x > a.txt; dragpipe send a.txt > stream.cbor; dragpipe inspect stream.cbor | tail -1
      1 item, 1 representation, 2 bytes: complete and verified
      $ dragpipe inspect b
      dragpipe: not a drop stream: the signature is missing at byte 0
      [65]
      $ mkdir d.cbor; dragpipe inspect d.cbor
      dragpipe: cannot open d.cbor: Is a directory
      [66]
      # Malformed content is shown up to the error.
      $ for bytes in '\x01\x02\x82\x02\x1c' '\x01\x02\x82\x02' '\x01\x02\x62\xc3\x28' '\x01\x02\xff'; do
      >   printf "$bytes" > a.cbor; dragpipe inspect a.cbor 2> errors > seen; echo $? $(cat seen errors); done
      65 1 2 dragpipe: a.cbor: at byte 4: reserved initial byte 0x1c
      65 1 2 dragpipe: a.cbor: at byte 4: the sequence ends within the item that begins at byte 2
      65 1 2 dragpipe: a.cbor: at byte 3: text that is not valid UTF-8
      65 1 2 dragpipe: a.cbor: at byte 2: a break in place of an item
      $ dragpipe inspect --json a.cbor
      {"items": [
      "1",
      "2"
      ], "verified": false, "error": "a.cbor: at byte 2: a break in place of an item"}
      dragpipe: a.cbor: at byte 2: a break in place of an item
      [65]
      """#)
  }

  // MARK: extract

  @Test func extractWritesAllBytesOrNone() async throws {
    try await transcript(
      #"""
      $ head -c 3000000 /dev/urandom > a.png; umask 022; dragpipe send --type .png=a.png --name Atalanta --to a.drop
      $ dragpipe extract --output b a.drop 1 image/png; cmp b a.png; stat -c %a b
      644
      $ dragpipe extract a.drop 1 .png | head -c 1 > first; echo ${PIPESTATUS[0]}
      141
      $ dragpipe extract a.drop 1 .png >> a.drop
      dragpipe: standard output is the input file; choose another output file
      [73]
      """#)
  }
}
