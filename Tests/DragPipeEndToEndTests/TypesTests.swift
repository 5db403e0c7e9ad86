// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// The commands `types` and `completions`.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct TypesTests {
  @Test func fileOfTheDatabaseThatIsTooLongIsReportedOnce() async throws {
    try await transcript(
      #"""
      $ mkdir -p home/mime; truncate -s 4194305 home/mime/mime.cache; export XDG_DATA_HOME=$PWD/home; echo x > a; echo y > b
      $ dragpipe types of a b 2>&1 | sed "s:$PWD/::"
      a	public.utf8-plain-text
      b	public.utf8-plain-text
      dragpipe: home/mime/mime.cache: the file has more than 4194304 bytes; it is ignored
      $ dragpipe types of --json a b 2>&1 > output | sed "s:$PWD/::"
      dragpipe: home/mime/mime.cache: the file has more than 4194304 bytes; it is ignored
      $ printf '\0\1\0\1' > home/mime/mime.cache; dragpipe types of a 2>&1 > output | sed "s:$PWD/::"
      dragpipe: home/mime/mime.cache: byte 0: this is not a cache of version 1.2; it is ignored
      $ rm home/mime/mime.cache; dragpipe types of a 2>&1 > output | sed "s:$PWD/::"
      dragpipe: home/mime/mime.cache: the file is missing; update-mime-database writes it
      # An import reports no fault of the database.
      $ echo '<plist><dict/></plist>' > list.plist; dragpipe types import list.plist
      $ for command in 'list --conforms-to public.png' 'info public.png'; do dragpipe types $command 2>&1 > output | sed "s:$PWD/::"; done
      dragpipe: home/mime/mime.cache: the file is missing; update-mime-database writes it
      dragpipe: home/mime/mime.cache: the file is missing; update-mime-database writes it
      """#)
  }

  @Test func contentDecidesTheTypeWhereTheNameDoesNot() async throws {
    try await transcript(
      #"""
      $ printf '\x89PNG\r\n\x1a\n\0\0\0\rIHDR' > photo; cp photo a.unheard-of; echo 'plain words' > b.unheard-of; : > empty
      $ type() { dragpipe receive --list | cut -f2-3; }; cat photo | dragpipe send - | type; dragpipe send - < photo | type
      	public.png
      	public.png
      $ echo hi | dragpipe send - | type; dragpipe send <(echo hi) | type; dragpipe send --name a.swift - < photo | type
      	public.utf8-plain-text
      	public.utf8-plain-text
      a.swift	public.swift-source
      $ dragpipe send photo a.unheard-of b.unheard-of empty | type | sed 's/dyn[^	]*/dynamic/'
      photo	public.png
      a.unheard-of	public.png
      b.unheard-of	dynamic
      empty	public.data
      $ dragpipe send b.unheard-of | dragpipe receive --accept text -o -
      plain words
      $ mkdir in; cat photo | dragpipe send --to "$RECEIVER in" -; ls in
      item-1.png
      # The bytes that decided the type stay unread.
      $ head -c 200000 /dev/zero > zeros; (cat photo; sleep 0.1; cat zeros) | dragpipe send - | dragpipe receive -o all
      $ cat photo zeros | cmp - all
      """#)
  }

  @Test func extensionsNameTheirDeclaredTypeEverywhere() async throws {
    try await transcript(
      #"""
      $ printf 'OTTO\0\1\0\0' > a.otf; tar -czf b.tar.gz a.otf; echo '// a' > c.swift; dragpipe send --to d.drop a.otf b.tar.gz c.swift
      $ dragpipe types of --name-only a.otf b.tar.gz c.swift > names; dragpipe types of a.otf b.tar.gz c.swift | tee files | cmp - names
      $ dragpipe receive --from d.drop --list | cut -f2,3 | cmp - files; cat files
      a.otf	public.opentype-font
      b.tar.gz	org.gnu.gnu-zip-tar-archive
      c.swift	public.swift-source
      $ mkdir in; dragpipe receive --from d.drop --accept font in 2> errors; dragpipe receive --from d.drop --accept .tar.gz in 2> errors
      $ ls in; dragpipe extract d.drop b.tar.gz .tar.gz | cmp - b.tar.gz
      a.otf
      b.tar.gz
      """#)
  }

  @Test func bashCompletesCommandsAndTypes() async throws {
    try await transcript(
      #"""
      $ mkdir bin; ln -s "$TOOL" bin/dragpipe; PATH=$PWD/bin:$PATH; unset -f dragpipe; source <(dragpipe completions bash)
      $ try() {
      >   COMP_LINE="$*" COMP_POINT=${#COMP_LINE} COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
      >   _dragpipe "$1" && echo "${COMPREPLY[@]}"
      > }
      $ try dragpipe rec; try dragpipe types list --conforms-to public.htm; try ./bin/dragpipe types info image/pn
      receive
      public.html
      image/png
      """#)
  }
}
