// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// The demo, whose processes send items to each other.
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
}
