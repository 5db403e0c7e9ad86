// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// The destinations of a receiver, and its choice of representations.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct ReceiveTests {
  @Test func filesArriveByteIdentical() async throws {
    try await transcript(
      #"""
      $ head -c 300000 /dev/urandom > a.png; head -c 65536 /dev/urandom > b.pdf; : > empty; printf x > 'Καλημέρα κόσμε.txt'; mkdir out in
      $ truncate -s 9M sparse.iso; echo end >> sparse.iso; umask 027
      $ dragpipe send a.png b.pdf empty 'Καλημέρα κόσμε.txt' sparse.iso | dragpipe receive out
      $ for file in out/*; do cmp "$file" "${file#out/}"; stat -c '%a %n' "$file"; done
      640 out/a.png
      640 out/b.pdf
      640 out/empty
      640 out/sparse.iso
      640 out/Καλημέρα κόσμε.txt
      # A hole of a file stays a hole.
      $ truncate -s 8G hole; dragpipe send hole > stream; [ $(stat -c %s stream) -lt 1000 ]
      $ dragpipe receive in < stream; stat -c '%s %b' in/hole
      8589934592 0
      """#)
  }

  @Test func exampleOfTheFormatIsWhatTheToolWrites() async throws {
    try await withShell { shell in
      try await shell.expect(
        #"""
        $ printf 'Hail, Odysseus' > greeting.txt; chmod 644 greeting.txt; touch -d '2026-01-01 00:00 UTC' greeting.txt
        $ dragpipe send greeting.txt > stream
        """#)
      #expect(try shell.data(of: "stream").hex == Data(try FormatArticle.exampleBytes()).hex)
    }
  }

  /// Samples the peak memory of both processes repeatedly.
  @Test func longFilesNeedLittleMemory() async throws {
    try await transcript(
      #"""
      $ head -c 80M /dev/urandom > big.iso; mkdir out; mkfifo wire
      $ "$TOOL" send big.iso > wire & source=$!; "$TOOL" receive out < wire & destination=$!
      $ while kill -0 $destination 2> /dev/null; do
      >   grep -hs VmHWM /proc/$source/status /proc/$destination/status >> peaks; sleep 0.01
      > done
      $ wait $source && wait $destination
      $ cmp big.iso out/big.iso; peak=$(grep -o '[0-9]*' peaks | sort -n | tail -1)
      $ [ $peak -gt 1024 ] && [ $peak -lt 65536 ] || echo $peak KiB
      """#)
  }

  // MARK: Names

  @Test func dropsThatFollowEachOtherAreReceivedOneByOne() async throws {
    try await transcript(
      #"""
      $ mkdir in; echo a > a; echo b > b; head -c 3M /dev/urandom > big; echo '[]' > none
      $ (dragpipe send a; dragpipe send big b; dragpipe send --as hero none) | dragpipe receive --print in; cmp big in/big
      in/a
      in/big
      in/b
      $ dragpipe send a > one; dragpipe send --indexed big b > two; cat one two one > three
      $ dragpipe receive --from three --rename --print --json in | grep -e item -e path
            "item" : 1,
            "path" : "in/a-2",
            "item" : 2,
            "path" : "in/big-2",
            "item" : 3,
            "path" : "in/b-2",
            "item" : 4,
            "path" : "in/a-3",
      # Each drop is complete or leaves nothing.
      $ rm in/*; head -c -1 three | dragpipe receive --rename in 2>&1 | sed 's/ at byte.*//'; ls -A in
      dragpipe: kept 3 files of complete drops before the failed one
      dragpipe: the stream is truncated: it ends after 1 complete item
      a
      b
      big
      $ rm in/*; cat one two <(printf '\327DRP') | dragpipe receive in 2>&1 | sed 's/ at byte.*//'; ls -A in
      dragpipe: kept 1 file of complete drops before the failed one
      dragpipe: bytes follow the end of the stream
      a
      # The limits are for all drops.
      $ rm in/*; size=$((3 * 1024 * 1024 + 6)); for limit in --max-items\ 4 --max-items\ 3 --max-bytes\ $size --max-bytes\ $((size - 1)); do
      >   dragpipe receive --rename --quiet $limit in < three > /dev/null 2> errors; echo $? $(ls in | wc -l); rm in/*; done
      0 4
      77 3
      0 4
      77 3
      # A drop without items counts as one.
      $ echo '[]' | dragpipe send --as hero - > empty; cat empty empty empty one | dragpipe receive --max-items 3 in 2>&1 | sed 's/ at byte.*//'; ls in
      dragpipe: the source has more than 3 items (see --max-items)
      # Other destinations take one drop.
      $ for options in -oall --list '--exec cat'; do dragpipe receive $options < three > /dev/null; done 2>&1 | sed 's/ at byte.*//'
      dragpipe: another drop follows the end of the stream
      dragpipe: another drop follows the end of the stream
      dragpipe: another drop follows the end of the stream
      $ dragpipe inspect --verify three 2> errors
      [65]
      """#)
  }

  @Test func printShowsTheFinalNames() async throws {
    try await transcript(
      #"""
      $ mkdir in Tales; echo a > Tales/a; echo new > a.txt; echo old > in/a.txt; dragpipe send a.txt Tales > stream
      $ dragpipe receive --print --rename in < stream; dragpipe receive --print other/ < stream; ls in
      in/a-2.txt
      in/Tales
      other/a.txt
      other/Tales
      Tales
      a-2.txt
      a.txt
      $ dragpipe receive --print -0 --rename in < stream | tr '\0' '|'; (cd other; dragpipe receive --print -f . < ../stream)
      in/a-3.txt|in/Tales-2|a.txt
      Tales
      $ dragpipe receive --print --json --skip-existing other < stream; rm -r other/Tales
      {
        "files" : [

        ]
      }
      dragpipe: left out "a.txt": the name exists
      dragpipe: left out "Tales": the name exists
      $ dragpipe send a.txt | dragpipe receive --print --json --rename other
      {
        "files" : [
          {
            "byteCount" : 4,
            "item" : 1,
            "name" : "a.txt",
            "path" : "other/a-2.txt",
            "type" : "public.plain-text"
          }
        ]
      }
      $ mkdir -- -d opt; echo x > ./-rf; dragpipe send ./-rf > dash; (cd opt; dragpipe receive --print . < ../dash); dragpipe receive --print -- -d < dash
      ./-rf
      ./-d/-rf
      # Nothing is kept, and nothing is printed.
      $ head -c 300 stream | dragpipe receive --print --overwrite other
      dragpipe: the stream is truncated: it ends inside item 2 at byte 300
      [65]
      """#)
  }

  @Test func existingNamesFollowTheOption() async throws {
    try await transcript(
      #"""
      $ mkdir in; echo new > a.txt; echo b > b.txt; echo old > in/a.txt
      $ dragpipe send b.txt a.txt > stream; dragpipe receive in < stream
      dragpipe: "a.txt" is in in already
      [73]
      $ ls -A in; dragpipe receive --skip-existing in < stream
      a.txt
      dragpipe: left out "a.txt": the name exists
      $ cat in/*; dragpipe send a.txt a.txt | dragpipe receive --rename in
      old
      b
      $ ls -A in; cat in/a.txt in/a-3.txt; dragpipe send a.txt | dragpipe receive --overwrite in
      a-2.txt
      a-3.txt
      a.txt
      b.txt
      old
      new
      $ ls -A in; cat in/a.txt
      a-2.txt
      a-3.txt
      a.txt
      b.txt
      new
      """#)
  }

  @Test func selectedItemsAreReceived() async throws {
    try await transcript(
      #"""
      $ mkdir d in; echo a > d/a; echo b > b.txt; echo 2 > 2; printf '\x89PNG\r\n\x1a\n' > c.png; printf 'd/a\n2\nb.txt\n' > list
      $ dragpipe send c.png --from-list list > s.drop; dragpipe receive --only b.txt in < s.drop; ls in; dragpipe receive -f --only 3 in < s.drop; ls in
      b.txt
      2
      b.txt
      $ rm -r in/*; dragpipe receive --only d/a --only image in < s.drop; find in -type f | sort; dragpipe receive --only a -o - < s.drop
      in/c.png
      in/d/a
      a
      $ rm -r in/*; dragpipe receive --only b.txt --only missing in < s.drop; ls in; dragpipe receive --only missing --only 9 in < s.drop
      dragpipe: no item matches --only missing
      b.txt
      dragpipe: none of 4 items matches --only missing or 9
      [3]
      $ dragpipe receive -f --only b.txt --only c.png --accept image in < s.drop; dragpipe receive --only b.txt --accept image in < s.drop
      dragpipe: no item of an accepted type matches --only b.txt
      dragpipe: none of 4 items matches --only b.txt and has an accepted type
      [3]
      # Numbers count through drops that follow each other.
      $ rm -r in/*; (dragpipe send b.txt 2; dragpipe send c.png d/a) | dragpipe receive --only 3 in; ls in
      c.png
      # A session loads only the selected items, and an item that is selected by type is received in that type.
      $ dragpipe send --to "$RECEIVER --only .png -o out" --lazy 'public.json=touch made; echo {}' --type public.png=c.png --name x; cmp out c.png; ls made
      ls: cannot access 'made': No such file or directory
      [2]
      $ dragpipe send --to "$RECEIVER --only x --accept .png -o out2" --lazy 'public.json=touch made; echo {}' --type public.png=c.png --name x; cmp out2 c.png
      $ dragpipe send --to "$RECEIVER --only .png --accept public.json in" --type public.png=c.png --type public.json=b.txt; dragpipe receive --only '' in < s.drop
      dragpipe: none of 1 item matches --only .png and has an accepted type
      dragpipe: the destination refused the items: none of 1 item matches --only .png and has an accepted type
      dragpipe: --only: an empty word (see dragpipe receive --help)
      [64]
      $ dragpipe receive --only 1 --exec 'cat; echo $DRAGPIPE_NAME' < s.drop | tail -1; dragpipe receive --only 1 --list < s.drop
      c.png
      dragpipe: --only cannot be combined with --list (see dragpipe receive --help)
      [64]
      """#)
  }

  @Test func unsafeAndHiddenNamesAreRefused() async throws {
    try await transcript(
      #"""
      $ echo x > .rc; mkdir out
      $ dragpipe send .rc > stream; dragpipe receive out < stream
      dragpipe: refused the name ".rc": it starts with a period (see --hidden)
      [77]
      $ dragpipe receive --hidden out < stream; ls -A out
      .rc
      $ dragpipe send --name '../../x' .rc > stream; dragpipe receive --hidden out < stream
      dragpipe: refused the name "../../x": it contains a slash
      [77]
      $ dragpipe send --name $'\e[2J' .rc > stream; dragpipe receive --hidden out < stream
      dragpipe: refused the name "\u{1b}[2J": it has the control character U+1B
      [77]
      # Hidden files do not prevent that others are kept, except with -q they have messages, and the sender learns what was kept.
      $ echo y > a; rm out/.rc; dragpipe send .rc a | dragpipe receive out; ls -A out; dragpipe send --to "$RECEIVER -qf out" a .rc
      dragpipe: left out ".rc": its name or its folder is hidden (see --hidden)
      a
      dragpipe: left out 1 item with hidden names (see --hidden)
      $ dragpipe send a .rc | head -c 150 | dragpipe receive -f out
      dragpipe: the stream is truncated: it ends inside item 1 at byte 150
      [65]
      $ dragpipe send --type public.png=.rc --type public.data=.rc | dragpipe receive --accept public.data out
      dragpipe: refused the name ".rc": it starts with a period (see --hidden)
      [77]
      # An empty name is no name.
      # Without a database, since some give this extension a type.
      $ XDG_DATA_DIRS=$PWD XDG_DATA_HOME=$PWD dragpipe send --name '' .rc | dragpipe receive out; ls out
      a
      item-1.txt
      """#)
  }

  private static let receivers = isFullRun ? 20 : 6

  @Test(arguments: [
    ("", "1 0 \(receivers - 1) 73", 3), ("--overwrite", "\(receivers) 0", 3),
    ("--rename", "\(receivers) 0", 3 * receivers), ("--skip-existing", "\(receivers) 0", 3),
  ])
  func eachFileIsFromOneOfManyReceivers(_ option: String, _ codes: String, _ count: Int) async throws {
    try await withShell { shell in
      let last = 9 + Self.receivers
      let run = try await shell.run(
        """
        mkdir in
        for n in {10..\(last)}; do
          for name in p q r; do yes $n | head -c 30000 > $name; done; dragpipe send p q r > stream.$n
        done
        for n in {10..\(last)}; do
          (dragpipe receive -q \(option) in < stream.$n 2> /dev/null; echo $? >> codes) & pids="$pids $!"
        done; wait $pids
        echo $(sort -n codes | uniq -c); ls -A in | wc -l; stat -c %s in/* | sort -u
        for file in in/*; do sort -u $file | wc -l; done | sort -u
        ls in | grep -vxE '[pqr](-[0-9]+)?'
        # Of each receiver that numbers its files, all three arrive.
        [ "\(option)" != --rename ] || for file in in/*; do head -n 1 $file; done | sort | uniq -c | grep -v '^ *3 '
        """)
      // If there is no message, the receivers may have blocked each other for a moment.
      let isStalled = option.isEmpty && run.output.hasPrefix("\(Self.receivers) 73\n0\n")
      #expect(isStalled || run.output == "\(codes)\n\(count)\n30000\n1\n", "\(run.errors)")
    }
  }

  // MARK: Directories

  @Test func newDirectoryIsRemovedIfItStaysEmpty() async throws {
    try await transcript(
      #"""
      $ mkdir folder; echo x > folder/x; echo x > a; dragpipe send a folder > stream
      $ for n in 0 20 100 200 $(($(stat -c %s stream) - 1)); do
      >   head -c $n stream | dragpipe receive in/ 2> error; echo $? $(ls -d in 2>&1); done | sort -u
      65 ls: cannot access 'in': No such file or directory
      $ dragpipe receive --accept public.image in/ < stream
      dragpipe: no item has the type public.image; the offered types are public.utf8-plain-text, public.folder, public.tar-archive
      [3]
      $ dragpipe receive --max-items 1 in/ < stream
      dragpipe: the source has more than 1 item at byte 187 (see --max-items)
      [77]
      $ dragpipe send --keep-going --lazy 'public.html=exit 3' 2> errors | dragpipe receive in/ 2>> errors
      [2]
      $ mkfifo wire; (head -c 200 stream; exec sleep 60) > wire & feeder=$!
      $ "$TOOL" receive in/ < wire & await 'ls -A in | grep .'; kill $!; wait $!
      dragpipe: cancelled
      [143]
      $ kill $feeder; ls -d in
      ls: cannot access 'in': No such file or directory
      [2]
      $ mkdir in; head -c 200 stream | dragpipe receive in/
      dragpipe: the stream is truncated: it ends after 1 complete item at byte 200
      [65]
      $ ls -d in; dragpipe receive in/ < stream; ls in
      in
      a
      folder
      """#)
  }

  @Test func receiverWritesToTheDirectoryThatItOpened() async throws {
    try await transcript(
      #"""
      $ mkdir in evil; echo x > a; dragpipe send a > stream; mkfifo wire; ln -s in link
      $ "$TOOL" receive link < wire & exec 3> wire; head -c -1 stream >&3; await 'ls in/.dragpipe-*/0'
      $ mv in moved; ln -s evil in; rm link; ln -s evil link; tail -c 1 stream >&3; exec 3>&-
      $ wait $!
      $ ls -A moved evil
      evil:

      moved:
      a
      """#)
  }

  // MARK: One file, standard output, commands

  @Test func outputIsOneFileWithTheGivenName() async throws {
    try await transcript(
      #"""
      $ echo x > a; echo y > b; mkdir -p Tales tmp; echo once > Tales/a; dragpipe send a > stream
      $ dragpipe receive -o .hidden < stream; cat .hidden
      x
      $ dragpipe send b > other; dragpipe receive -o .hidden < other
      dragpipe: ".hidden" is in . already
      [73]
      $ head -c 50 stream | dragpipe receive -f -o .hidden
      dragpipe: the stream is truncated: it ends after 0 complete items at byte 50
      [65]
      $ cat .hidden; dragpipe receive --overwrite --output=.hidden < other; cat .hidden
      x
      y
      $ dragpipe send a b > both; dragpipe receive -o two < both
      dragpipe: the stream has more than one item, but -o takes one; use a directory
      [77]
      $ ls two; dragpipe receive -o - < both
      ls: cannot access 'two': No such file or directory
      x
      y
      $ dragpipe send Tales | dragpipe receive -o Copy; diff -r Tales Copy
      $ export TMPDIR=$PWD/tmp; dragpipe send a Tales > both; dragpipe receive -o - < both
      dragpipe: Tales is a folder, which -o - cannot write; use a directory, or --archives for a tar archive
      [77]
      $ dragpipe receive --from "$SENDER Tales 2> errors" -o -
      dragpipe: Tales is a folder, which -o - cannot write; use a directory, or --archives for a tar archive
      [77]
      $ dragpipe send Tales | dragpipe receive --archives -o - | tar tf -; ls -A tmp
      Tales/
      Tales/a
      """#)
  }

  @Test func commandGetsEachItemWithItsProperties() async throws {
    try await transcript(
      #"""
      $ printf '\x89PNG\r\n\x1a\n' > a.png; printf 'Hail, Odysseus' > a.txt; mkdir Tales tmp; export TMPDIR=$PWD/tmp
      $ cat > show << 'END'
      > printf '%s|' "$DRAGPIPE_INDEX/$DRAGPIPE_COUNT" "$DRAGPIPE_NAME" "$DRAGPIPE_TYPE" "$DRAGPIPE_MIME_TYPE" "$DRAGPIPE_SIZE"
      > cmp - "$DRAGPIPE_FILE" && stat -c %a "$(dirname "$DRAGPIPE_FILE")"
      > END
      $ dragpipe send a.txt a.png > stream; dragpipe receive --exec 'sh ./show' < stream; ls tmp
      1/2|a.txt|public.plain-text|text/plain|14|700
      2/2|a.png|public.png|image/png|8|700
      $ head -c 100 stream | dragpipe receive --exec 'touch ran'
      dragpipe: the stream is truncated: it ends after 0 complete items at byte 100
      [65]
      $ dragpipe receive -x 'exit 9' < stream
      dragpipe: the command exit 9 failed: status 9
      [1]
      $ ls ran; echo once > Tales/a; dragpipe send Tales | dragpipe receive --exec 'ls "$DRAGPIPE_FILE"'
      ls: cannot access 'ran': No such file or directory
      a
      $ unset ${!DRAGPIPE_*}; dragpipe man | sed '1,/^.SH ENVIRONMENT/d' > page
      $ dragpipe send a.txt | dragpipe receive --exec 'env | sed -n "s/^\(DRAGPIPE_[A-Z_]*\)=.*/\1/p"' > variables
      $ wc -l < variables; while read -r name; do grep -q "$name" page || echo $name; done < variables
      7
      """#)
  }

  // MARK: Representations

  @Test func receiverGetsTheRepresentationThatItAccepts() async throws {
    try await transcript(
      #"""
      $ printf '\x89PNG\r\n\x1a\n' > a.png; echo 'Hail, Odysseus' > a.txt; mkdir in
      $ dragpipe send --type public.png=a.png --type public.plain-text=a.txt > both
      $ dragpipe receive --accept public.image -o - < both | cmp - a.png
      $ dragpipe receive -a image/png -o out.png < both; cmp out.png a.png
      $ dragpipe receive --accept public.text -o - < both
      Hail, Odysseus
      $ for place in in '-o -' '-o new' '--exec ls'; do dragpipe receive --accept public.audio $place < both; echo $?; done
      dragpipe: no item has the type public.audio; the offered types are public.png, public.plain-text
      3
      dragpipe: no item has the type public.audio; the offered types are public.png, public.plain-text
      3
      dragpipe: no item has the type public.audio; the offered types are public.png, public.plain-text
      3
      dragpipe: no item has the type public.audio; the offered types are public.png, public.plain-text
      3
      $ ls in new; dragpipe receive --as hero --into f.json < both
      ls: cannot access 'new': No such file or directory
      in:
      dragpipe: item 1 has no type org.dragpipe.hero; its types are public.png, public.plain-text
      [3]
      $ dragpipe send --type text/html=a.txt --type public.png=a.png --name saga.html > saga
      $ dragpipe receive -a public.audio -a public.image -a public.text in < saga; ls in; rm in/*
      saga.png
      $ dragpipe send a.txt a.png | dragpipe receive --accept public.image in; ls in
      dragpipe: left out "a.txt": no accepted type
      a.png
      $ dragpipe send a.txt a.png | dragpipe receive --accept public.image --skip-existing in
      dragpipe: left out "a.txt": no accepted type
      dragpipe: left out "a.png": the name exists
      $ dragpipe receive --from "$SENDER a.txt a.png" --accept public.image --skip-existing in
      dragpipe: left out "a.txt": no accepted type
      dragpipe: left out "a.png": the name exists
      $ dragpipe send --type _SAGA_TEXT=a.txt > unknown; dragpipe receive --list < unknown
      1	a.txt	_SAGA_TEXT	15
      $ dragpipe receive --accept _SAGA_TEXT -o - < unknown
      Hail, Odysseus
      """#)
  }

  @Test func allRepresentationsAreWrittenAndAliasesAreSentOnce() async throws {
    try await transcript(
      #"""
      $ head -c 100000 /dev/urandom > big; echo x > a.txt; mkdir in
      $ dragpipe send -t public.html=big --alias public.text=public.html -n saga.html > stream
      $ [ $(stat -c %s stream) -lt 110000 ] || ls -l stream; dragpipe receive --all in < stream; ls in
      saga.html
      $ dragpipe send --type public.png=big --type public.plain-text=a.txt --name both.png | dragpipe receive --all in; ls in
      both.png
      both.txt
      saga.html
      $ dragpipe receive --accept public.text -o - < stream | cmp - big
      """#)
  }

  @Test func limitsOfItemsAndBytesAreExact() async throws {
    try await transcript(
      #"""
      $ mkdir in; head -c 2048 /dev/zero > a; head -c 1024 /dev/zero > b; dragpipe send a b > stream
      $ for limit in '--max-items 2' '--max-items 1' '--max-bytes 3K' '--max-bytes 3071'; do
      >   dragpipe receive $limit in < stream; echo $? $(ls -A in); rm -f in/*; done
      0 a b
      dragpipe: the source has more than 1 item at byte 2222 (see --max-items)
      77
      0 a b
      dragpipe: the content has more than 3071 bytes at byte 2320 (see --max-bytes)
      77
      $ dragpipe receive --from "$SENDER a b 2> errors" --max-items 1 in
      dragpipe: the source has more than 1 item at byte 171 (see --max-items)
      [77]
      $ dragpipe send --to "$RECEIVER --max-items 1 in 2> errors" a b 2> sent
      [1]
      $ for limit in 3K 3071 0; do
      >   dragpipe receive --from "$SENDER a b 2> sent" --max-bytes $limit in 2> errors; echo $? $(ls -A in) $(wc -l < errors); rm -f in/*; done
      0 a b 0
      77 1
      77 1
      $ dragpipe receive --from "$SENDER --lazy 'public.data=cat a b' 2> errors" --max-bytes 3071 -o all
      dragpipe: the content has more than 3071 bytes (see --max-bytes)
      [77]
      $ ls -A in all
      ls: cannot access 'all': No such file or directory
      in:
      [2]
      """#)
  }
}

/// Files, folders and temporary directories whose permissions deny access to their owner.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct PermissionTests {
  @Test(.enabled(if: geteuid() == 0 && installedProgram("setpriv") != nil, "needs the rights of root"))
  func contentThatItsOwnerMayNotReadArrives() async throws {
    try await transcript(
      #"""
      $ rights=-dac_override,-dac_read_search; umask 022
      $ plain() { if [ $(id -u) = 0 ]; then setpriv --bounding-set=$rights --inh-caps=$rights "$TOOL" "$@"; else dragpipe "$@"; fi; }
      $ mkdir in; echo new > a; touch -d '2001-02-03 04:05:06.5' a
      $ for mode in 0 400 200; do
      >   chmod $mode a; dragpipe send a > stream; chmod 600 a; rm -f in/a; echo old > in/a
      >   plain receive -p --overwrite in < stream; echo $? $(stat -c '%a %.1Y' in/a) $(chmod 600 in/a; cat in/a)
      > done
      0 0 981173106.5 new
      0 400 981173106.5 new
      0 200 981173106.5 new
      $ mkdir -p Tales in/Tales; echo new > Tales/a; chmod 200 Tales/a; dragpipe send Tales > stream
      $ echo old > in/Tales/a; echo b > in/Tales/b; plain receive --overwrite --preserve in < stream
      $ stat -c '%a %n' in/Tales/*; chmod 600 in/Tales/a; cat in/Tales/a
      200 in/Tales/a
      644 in/Tales/b
      new
      # A folder that is closed to its owner arrives as it is, and is taken back as any other.
      $ mkdir late; echo b > b; chmod 500 Tales; dragpipe send Tales b > stream; rm -r in/*; plain receive in < stream
      $ ls in; stat -c %a in/Tales; mkfifo wire; plain receive late < wire & exec 3> wire; head -c -1 stream >&3
      Tales
      b
      500
      $ await 'ls late/.dragpipe-*/1'; echo mine > late/b; tail -c 1 stream >&3; exec 3>&-; wait $!
      dragpipe: "b" is in late already
      [73]
      $ ls -A late; cat late/b; chmod -R u+w .
      b
      mine
      """#)
  }

  @Test(.enabled(if: geteuid() != 0 || installedProgram("setpriv") != nil))
  func readOnlyFolderIsMergedAgain() async throws {
    try await transcript(
      #"""
      $ rights=-dac_override,-dac_read_search; umask 022
      $ plain() { if [ $(id -u) = 0 ]; then setpriv --bounding-set=$rights --inh-caps=$rights "$TOOL" "$@"; else dragpipe "$@"; fi; }
      $ mkdir -p Tales/deep in; echo 1 > Tales/a; echo 1 > Tales/deep/b; chmod 500 Tales/deep Tales; dragpipe send Tales > first
      $ chmod -R u+w Tales; echo 2 > Tales/deep/b; echo 2 > Tales/deep/c; chmod 500 Tales/deep Tales; dragpipe send Tales > second
      $ plain receive in < first; plain receive -f in < second; cat in/Tales/deep/*; stat -c '%a %n' in/Tales in/Tales/deep
      2
      2
      500 in/Tales
      500 in/Tales/deep
      # The rollback needs the rights too.
      $ chmod -R u+w Tales; echo 3 > Tales/a; mv Tales/deep/c Tales/z; mkdir Tales/deep/c; chmod 500 Tales; dragpipe send Tales > third
      $ plain receive --sync -f in < third; cat in/Tales/a in/Tales/deep/*; stat -c '%a %n' in/Tales in/Tales/deep; ls -A in
      dragpipe: "Tales/deep/c" is in in already; only a file replaces a file, and a folder merges with a folder
      1
      2
      2
      500 in/Tales
      500 in/Tales/deep
      Tales
      $ plain receive --sync -f in < second; stat -c '%a %n' in/Tales; chmod -R u+w .
      500 in/Tales
      """#)
  }

  @Test(.enabled(if: geteuid() != 0 || installedProgram("setpriv") != nil))
  func temporaryAndNewDirectoriesAreRemovedOrReported() async throws {
    try await transcript(
      #"""
      $ rights=-dac_override,-dac_read_search
      $ plain() { if [ $(id -u) = 0 ]; then exec setpriv --bounding-set=$rights --inh-caps=$rights "$TOOL" "$@"; else exec "$TOOL" "$@"; fi; }
      $ mkdir -p Tales/deep/er tmp; echo once > Tales/deep/er/a; chmod 500 Tales/deep/er Tales/deep
      $ dragpipe send Tales > open; chmod 500 Tales; dragpipe send Tales > closed; export TMPDIR=$PWD/tmp
      $ for stream in open closed; do
      >   (plain receive --exec 'cat "$DRAGPIPE_FILE/deep/er/a"' < $stream); echo $? $(ls -A tmp)
      >   (plain receive --exec 'exit 1' < $stream) 2> errors; echo $? $(ls -A tmp)
      >   (plain receive -o - < $stream) 2> errors; echo $? $(ls -A tmp)
      >   head -c -1 $stream | (plain receive -o -) 2> errors; echo $? $(ls -A tmp)
      >   plain receive --exec 'touch ran; exec sleep 60' < $stream & await '[ -e ran ]'; kill $!; wait $!; echo $? $(ls -A tmp)
      >   rm ran
      > done
      once
      0
      1
      77
      65
      dragpipe: cancelled
      143
      once
      0
      1
      77
      65
      dragpipe: cancelled
      143
      $ (umask 0400; plain receive in/ < open)
      dragpipe: cannot use the directory in/: Permission denied
      [73]
      $ ls -d in; chmod -R u+w Tales tmp; chmod 500 tmp; touch file
      ls: cannot access 'in': No such file or directory
      $ for place in missing file tmp; do
      >   for mode in '-o -' '--exec cat'; do (TMPDIR=$place; plain receive $mode < open); echo $?; done
      > done 2>&1 | sed "s:$PWD/::" | sort | uniq -c
            6 73
            2 dragpipe: cannot create temporary files in file (see TMPDIR): Not a directory
            2 dragpipe: cannot create temporary files in missing (see TMPDIR): No such file or directory
            2 dragpipe: cannot create temporary files in tmp (see TMPDIR): Permission denied
      $ head -c 40M /dev/zero > long; dragpipe send --type org.dragpipe.hero=long > long.stream
      $ TMPDIR=missing "$TOOL" receive --as hero --into h < long.stream 2>&1 | sed "s:$PWD/::"; (exit ${PIPESTATUS[0]})
      dragpipe: cannot create temporary files in missing (see TMPDIR): No such file or directory
      [73]
      # A sender needs no temporary files.
      $ export TMPDIR=missing; "$TOOL" send Tales | "$TOOL" receive one/; "$TOOL" send Tales --to "$RECEIVER two/"
      $ "$TOOL" send Tales --to items.drop; "$TOOL" receive --from items.drop three/; cat */Tales/deep/er/a
      once
      once
      once
      """#)
  }
}
