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
      a	public.plain-text
      b	public.plain-text
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
