// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DisplayWire
import TestSupport
import Testing

/// The clipboard commands on a virtual display, between two processes of the tool and with other programs.
@Suite(.serialized, .limited, .timeLimit(minutes: 10), .peers("Xvfb"), .virtualDisplay)
struct ClipboardCommandTests {
  private func expect(_ expected: String, _ sourceLocation: SourceLocation = #_sourceLocation) async throws {
    try await transcript(display: "\(VirtualDisplay.current.address)", expected, sourceLocation: sourceLocation)
  }

  @Test func copiedFilesAndTextArePasted() async throws {
    try await expect(
      #"""
      $ mkdir -p f/g in; echo hail > a.txt; echo deep > f/g/deep.txt; dragpipe copy --detach a.txt f
      $ dragpipe paste in; ls in; cat in/a.txt in/f/g/deep.txt
      a.txt
      f
      hail
      deep
      $ printf 'Hail\n' | dragpipe copy -d -; dragpipe paste; dragpipe paste -o -; dragpipe paste --list | cut -f 3
      Hail
      Hail
      public.utf8-plain-text
      $ printf '\x89PNG\r\n\x1a\n\0\0\0\rIHDR' | dragpipe copy -d -; dragpipe paste --list | cut -f 3
      public.png
      $ echo '{}' > a.json; dragpipe copy -d --type .json=a.json --lazy '.txt=echo made'; dragpipe paste -a .json
      {}
      $ dragpipe paste -a .png 2> errors
      [3]
      $ dragpipe copy --clear; dragpipe paste 2> errors
      [66]
      $ dragpipe paste --list 2> errors
      [66]
      """#)
  }

  @Test func limitsOfCopiedItemsAreExact() async throws {
    try await expect(
      #"""
      $ mkdir in; head -c 990 /dev/zero > a; dragpipe copy -d a; for limit in '--max-bytes 990' '--max-bytes 989' '--max-items 0'; do
      >   dragpipe receive --from clipboard: $limit in; echo $? $(ls in); rm -f in/*; done
      0 a
      dragpipe: the content has more than 989 bytes (see --max-bytes)
      77
      dragpipe: the source has more than 0 items at byte 16 (see --max-items)
      77
      $ echo '[{"id": 1, "name": "Anansi"}]' > hero.json; "$TOOL" send --to clipboard: --as hero hero.json & sender=$!
      $ await 'dragpipe receive --from clipboard: --list | grep org.dragpipe.hero'
      $ size=$(dragpipe receive --from clipboard: --list | grep hero.cbor | cut -f 4)
      $ for limit in $size $((size - 1)); do dragpipe receive --from clipboard: --as hero --into - --max-bytes $limit > list; echo $?; done
      0
      dragpipe: the content has more than 281 bytes (see --max-bytes)
      77
      $ kill $sender; wait $sender 2> ended; dragpipe copy --clear
      dragpipe: cancelled
      """#)
  }

  @Test func describedRepresentationsAreAFileOnlyWithAName() async throws {
    try await expect(
      #"""
      $ echo '<b>Hail</b>' > a.html; echo Hail > a.txt; mkdir -p in
      $ dragpipe copy -d --type .html=a.html --type .txt=a.txt; dragpipe paste --print path 2> errors
      [3]
      $ dragpipe copy -d --type .html=a.html --type .txt=a.txt --name hail.html; dragpipe paste in; ls in
      hail.html
      $ dragpipe copy --clear
      """#)
  }

  @Test func addressesArePrintedForScripts() async throws {
    try await expect(
      #"""
      $ mkdir -p x; echo 1 > 'x/c d'; dragpipe copy -d 'x/c d'; dragpipe paste --print path | sed "s:$PWD::"
      /x/c d
      $ dragpipe paste --print uri | sed "s:$PWD::"
      file:///x/c%20d
      $ dragpipe paste --print path -0 | tr '\0' '\n' | sed "s:$PWD::"; dragpipe copy --clear
      /x/c d
      """#)
  }

  @Test func anOutputThatCannotBeWrittenIsAnError() async throws {
    try await expect(
      #"""
      $ echo hail > a.txt; dragpipe copy -d a.txt
      $ for options in '-o -' --list '--print uri' '--print path -0'; do dragpipe paste $options > /dev/full; echo $?; done
      dragpipe: cannot write: No space left on device
      74
      dragpipe: cannot write: No space left on device
      74
      dragpipe: cannot write: No space left on device
      74
      dragpipe: cannot write: No space left on device
      74
      $ dragpipe copy --clear
      """#)
  }

  @Test func aTerminatedPasteLeavesNoTemporaryFiles() async throws {
    try await expect(
      #"""
      $ dragpipe copy -d --lazy '.txt=head -c 9000000 /dev/zero; echo $$ > started; exec sleep 600'
      $ "$TOOL" paste -o b & paste=$!; await '[ -s started ]'; kill $paste; wait $paste; echo $?; ls -A .temporary; ls b
      dragpipe: cancelled
      143
      ls: cannot access 'b': No such file or directory
      [2]
      # The copying process ends the command for which no program waits.
      $ await '! kill -0 $(cat started)'; dragpipe copy --clear
      """#)
  }

  @Test func endpointsNameTheClipboardAndThePrimarySelection() async throws {
    try await expect(
      #"""
      $ echo hero > a.txt; echo other > b.txt; mkdir in
      $ "$TOOL" send --to clipboard: a.txt & one=$!; "$TOOL" send --to primary: --once b.txt & two=$!
      $ await dragpipe receive --from clipboard: in; cat in/a.txt; await dragpipe paste --primary --overwrite -o b; cat b
      hero
      other
      $ wait $two || echo $?; kill $one; wait $one
      dragpipe: cancelled
      [143]
      """#)
  }

  @Test func watchingRunsTheCommandForEachChange() async throws {
    try await expect(
      #"""
      $ : > seen; "$TOOL" paste --watch --exec 'echo "$(cat)" >> seen' & watch=$!
      $ for word in one two; do await "printf $word | dragpipe copy -d -; sleep 0.2; grep -q $word seen"; done; uniq seen
      one
      two
      $ kill $watch; wait $watch; dragpipe copy --clear
      dragpipe: cancelled
      """#)
  }

  // MARK: Other programs

  @Test(.peers("xclip", "xsel")) func xclipAndXselReadAndOfferText() async throws {
    try await expect(
      #"""
      $ for count in 0 1 65535 300000 20000000; do
      >   head -c $count /dev/zero | tr '\0' 'h' > a.txt; dragpipe copy -d a.txt
      >   xclip -o -selection clipboard -t UTF8_STRING | cmp - a.txt; xsel -b -o | cmp - a.txt; [ $count = 0 ] && continue
      >   xclip -i -selection clipboard a.txt; dragpipe paste | cmp - a.txt
      >   xsel -b -i < a.txt; dragpipe paste | cmp - a.txt
      > done; dragpipe copy --clear
      """#)
  }

  /// xclip serves no other request before the last byte was read.
  @Test(.peers("xclip")) func aPasteThatIsBrokenOffLeavesTheClipboard() async throws {
    try await expect(
      #"""
      $ head -c 70000000 /dev/zero | tr '\0' 'h' > a.txt; xclip -i -selection clipboard a.txt; dragpipe paste | cmp - a.txt
      $ dragpipe paste | head -c 4; timeout 20 xclip -o -selection clipboard -t TARGETS
      hhhhTARGETS
      UTF8_STRING
      $ dragpipe paste --max-bytes 10M -o b; timeout 20 xclip -o -selection clipboard -t TARGETS
      dragpipe: the content has more than 10485760 bytes (see --max-bytes)
      TARGETS
      UTF8_STRING
      $ dragpipe copy --clear
      """#)
  }

  @Test(.peers("xclip")) func aStreamThatIsNotVerifiedLeavesNoOutput() async throws {
    try await expect(
      #"""
      $ mkdir in; head -c 3000000 /dev/zero | tr '\0' 'h' > a.txt; dragpipe send a.txt > complete
      $ head -c 2999999 complete > truncated; cat complete complete > followed
      $ (head -c 2999999 complete; echo x; tail -c +3000002 complete) > corrupt
      $ for stream in truncated followed corrupt complete; do for destination in '-o -' in; do
      >   xclip -i -selection clipboard -t application/vnd.dragpipe.drop $stream 2> xclip.errors
      >   dragpipe paste $destination > out 2> errors; echo $stream $? $(wc -c < out) $(ls -A in) $(ls -A .temporary)
      > done; done
      truncated 65 0
      truncated 65 0
      followed 65 0
      followed 65 0
      corrupt 65 0
      corrupt 65 0
      complete 0 3000000
      complete 0 0 a.txt
      $ cmp in/a.txt a.txt; dragpipe copy --clear
      """#)
  }

  @Test(.peers("xclip")) func aTerminatedCopyLeavesNoPromisedFiles() async throws {
    try await expect(
      #"""
      $ echo hail > a.txt; "$TOOL" copy --type .txt=a.txt --name a.txt & copy=$!
      $ await 'xclip -o -selection clipboard -t text/uri-list | grep a.txt'; ls .temporary | wc -l; kill $copy; wait $copy
      1
      dragpipe: cancelled
      [143]
      $ ls -A .temporary
      """#)
  }

  @Test(.peers("xclip")) func filesOfXclipAreCheckedBeforeTheyAreReceived() async throws {
    try await expect(
      #"""
      $ echo hail > a.txt; ln -s a.txt link; mkdir in
      $ for file in "$PWD/a.txt" "$PWD/link" elsewhere.example/a.txt "$PWD/missing"; do
      >   printf "file://$file\r\n" | xclip -i -selection clipboard -t text/uri-list; dragpipe paste in 2> errors; echo $?
      > done; cat in/a.txt; dragpipe copy --clear
      0
      65
      65
      66
      hail
      """#)
  }
}
