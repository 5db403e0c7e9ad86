// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// The demos, whose processes send items to each other.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct DemoTests {
  @Test func reportIsATextOrADocument() async throws {
    try await transcript(
      #"""
      $ dragpipe demo > text; head -2 text | grep -o '[0-9]*' | uniq | wc -l; sed -E 's/process [0-9]+/process N/' text | tee other
      2
      source       process N offers heroes and cards
      destination  process N receives them through a pipe
        hero  Odysseus
              as org.dragpipe.hero.cbor, org.dragpipe.hero, public.utf8-plain-text, public.url
        hero  Mulan
              as org.dragpipe.hero.cbor, org.dragpipe.hero, public.utf8-plain-text, public.url
        hero  Anansi
              as org.dragpipe.hero.cbor, org.dragpipe.hero, public.utf8-plain-text, public.url
        hero  Gilgamesh
              as org.dragpipe.hero.cbor, org.dragpipe.hero, public.utf8-plain-text, public.url
        hero  Scáthach
              as org.dragpipe.hero.cbor, org.dragpipe.hero, public.utf8-plain-text, public.url
        hero  Yennenga
              as org.dragpipe.hero.cbor, org.dragpipe.hero, public.utf8-plain-text, public.url
        card  Ask Circe for the safest course past the Sirens
              as org.dragpipe.card.cbor, org.dragpipe.card, public.utf8-plain-text
        card  Caulk the second ship with pitch from the Colchis yard
              as org.dragpipe.card.cbor, org.dragpipe.card, public.utf8-plain-text
        card  Second opinion on the wooden horse: is the trapdoor too squeaky?
              as org.dragpipe.card.cbor, org.dragpipe.card, public.utf8-plain-text
      complete and verified
      favourites   Anansi, Gilgamesh, Mulan, Odysseus, Scáthach, Yennenga
      columns      To do (1), In progress (1), Review (1)
      # The text is the same on a terminal.
      $ script -qec "'$TOOL' demo" /dev/null < /dev/null | tr -d '\r' | sed -E 's/process [0-9]+/process N/' | cmp - other
      $ dragpipe demo --json | sed -E 's/"(source|destination)":[0-9]+/"\1":N/g; s/,\{"kind":"hero".*"kind":"card"/,…/; s/("favour|"item|"proc)/\n\1/g'
      {"columns":[{"cards":1,"title":"To do"},{"cards":1,"title":"In progress"},{"cards":1,"title":"Review"}],
      "favourites":["Anansi","Gilgamesh","Mulan","Odysseus","Scáthach","Yennenga"],
      "items":[{"kind":"hero","name":"Odysseus","types":["org.dragpipe.hero.cbor","org.dragpipe.hero","public.utf8-plain-text","public.url"]},…,"name":"Second opinion on the wooden horse: is the trapdoor too squeaky?","types":["org.dragpipe.card.cbor","org.dragpipe.card","public.utf8-plain-text"]}],
      "processes":{"destination":N,"source":N},"verified":true}
      """#)
  }

  /// Both processes keep a fraction of the item in memory, and none of it on disk.
  @Test func largeItemIsTransferredThenCancelledWithLittleMemory() async throws {
    try await transcript(
      #"""
      $ dragpipe demo --large --size 4M --json | grep -o '"left":{[^}]*}\|"verified":true'
      "left":{"descriptors":0,"files":0}
      "verified":true
      $ ulimit -f 64; "$TOOL" demo --large --size 300M --progress json > text 2> records & demo=$!
      $ await 'grep -q destination text'; children=$(sed -n 's/.*process \([0-9]*\).*/\1/p' text)
      $ while kill -0 $demo 2> ended; do
      >   for child in $demo $children; do sed -n 's/^VmHWM:[^0-9]*\([0-9]*\).*/\1/p' /proc/$child/status; done 2> ended > peaks
      >   for peak in $(cat peaks); do sampled=1; [ $peak -lt 153600 ] || echo $peak KiB; done; sleep 0.05
      > done; wait $demo || echo $?; [ $sampled ] || echo no sample; ls -A .temporary
      $ grep -o '"ending":"[a-z]*"' records; sed -E 's/[0-9.]+ s/N s/; s:[0-9.]+ [kMG]?B/s:N MB/s:; s/[0-9]+/N/g' text | tail -5
      "ending":"finished"
      "ending":"cancelled"
      complete and verified
      transferred  N bytes in N s, N MB/s
      cancelled    after N bytes; error at the source: cancelled half way
      stopped      after the source had generated N bytes
      remaining    nothing
      $ grep -c '^transferred  314572800 bytes in ' text
      1
      """#)
  }

  @Test func interruptOrDeathOfOneProcessEndsAllThree() async throws {
    try await transcript(
      #"""
      $ start() {
      >   rm -f told said; alone "$TOOL" demo --large --size 900G --progress json > told 2> said & demo=$!; await 'grep -q transferring said'
      >   children=($(sed -n 's/.*process \([0-9]*\).*/\1/p' told)); [ ${#children[*]} = 2 ] || echo ${children[*]}
      > }
      $ finish() {
      >   wait $demo; echo $?; for child in ${children[*]}; do kill -0 $child 2> gone && echo $child lives; done
      >   grep -v '^{' said | sed -E 's/.*\b([a-z]+ process: signal 9).*/\1/'; ls -A .temporary
      > }
      $ start; kill -INT $demo; finish; grep -o '"ending":"cancelled"' said
      130
      dragpipe: cancelled
      "ending":"cancelled"
      $ start; kill -INT -- -$demo; finish; grep -o '"ending":"cancelled"' said
      130
      dragpipe: cancelled
      "ending":"cancelled"
      $ start; kill -TERM $demo; finish; grep -o '"ending":"cancelled"' said
      143
      dragpipe: cancelled
      "ending":"cancelled"
      $ start; kill -KILL ${children[0]}; finish
      1
      source process: signal 9
      $ start; kill -KILL ${children[1]}; finish
      1
      destination process: signal 9
      $ dragpipe demo --large --size 900G | true; echo ${PIPESTATUS[0]}; ls -A .temporary
      141
      """#)
  }
}
