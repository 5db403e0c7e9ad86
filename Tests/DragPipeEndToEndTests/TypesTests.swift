// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// The commands `types`, `man`, `completions` and `help`.
@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct TypesTests {
  @Test func filesAndTypesAreIdentified() async throws {
    try await transcript(
      #"""
      $ printf '\x89PNG\r\n\x1a\n\0\0\0\rIHDR' > picture; cat picture | dragpipe types of --mime -
      -	image/png
      $ dragpipe types of --content-only picture
      picture	public.png
      $ mkfifo fifo; dragpipe types of fifo <(sleep 0.1) | cut -f 2
      public.item
      public.item
      $ dragpipe types of Makefile
      dragpipe: Makefile: no such file; type taken from the name
      Makefile	public.make-source
      $ dragpipe types conforms public.image public.png
      public.image does not conform to public.png
      [1]
      $ dragpipe types import missing.plist
      dragpipe: missing.plist: No such file or directory
      [66]
      """#)
  }

  @Test func fileOfTheDatabaseThatIsTooLongIsReportedOnce() async throws {
    try await transcript(
      #"""
      $ mkdir -p home/mime; truncate -s 16777217 home/mime/globs2; export XDG_DATA_HOME=$PWD/home; echo x > a; echo y > b
      $ dragpipe types of a b 2>&1 | sed "s:$PWD/::"
      a	public.plain-text
      b	public.plain-text
      dragpipe: home/mime/globs2: the file has more than 16777216 bytes; it is ignored
      $ dragpipe types of --json a b 2>&1 > output | sed "s:$PWD/::"
      dragpipe: home/mime/globs2: the file has more than 16777216 bytes; it is ignored
      # An import reports no fault of the database.
      $ echo '<plist><dict/></plist>' > list.plist; dragpipe types import list.plist
      $ for command in 'list --conforms-to public.png' 'info public.png'; do dragpipe types $command 2>&1 > output | sed "s:$PWD/::"; done
      dragpipe: home/mime/globs2: the file has more than 16777216 bytes; it is ignored
      dragpipe: home/mime/globs2: the file has more than 16777216 bytes; it is ignored
      """#)
  }

  @Test func signalEndsTheWaitForInput() async throws {
    try await transcript(
      #"""
      $ mkfifo never; exec 3<> never
      $ for command in 'of -' 'import -' 'import never'; do
      >   "$TOOL" types $command < never 2> errors & sleep 0.2; kill -TERM $!; wait $!; echo $?
      > done
      143
      143
      143
      """#)
  }

  // MARK: Completion and manual page

  @Test func bashCompletesCommandsOptionsAndTypes() async throws {
    try await transcript(
      #"""
      $ mkdir bin; ln -s "$TOOL" bin/dragpipe; PATH=$PWD/bin:$PATH; unset -f dragpipe; source <(dragpipe completions bash)
      $ try() {
      >   COMP_LINE="$*" COMP_POINT=${#COMP_LINE} COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
      >   _dragpipe "$1" && echo "${COMPREPLY[@]}"
      > }
      $ try dragpipe rec; try dragpipe receive b; try dragpipe types list --conf; try dragpipe demo --progress al
      receive
      bin
      --conforms-to
      always
      $ try dragpipe types list --conforms-to public.htm; try ./bin/dragpipe types info image/pn
      public.html
      image/png
      $ try dragpipe types li; try dragpipe demo --l; try dragpipe demo --large --s; try dragpipe demo --j
      list
      --large
      --size
      --json
      """#)
  }

  @Test(.peers("fish")) func fishCompletesKnownTypes() async throws {
    try await transcript(
      #"""
      $ mkdir bin; ln -s "$TOOL" bin/dragpipe; export PATH=$PWD/bin:$PATH HOME=$PWD; dragpipe completions fish > dragpipe.fish
      $ for line in 'types info public.htm' rec 'demo --la' 'demo --progress al'; do
      >   fish --no-config -c "source dragpipe.fish; complete -C 'dragpipe $line'" | cut -f 1; done
      public.html
      receive
      --large
      always
      """#)
  }

  @Test(.peers("man", "col")) func manShowsThePageWithoutWarnings() async throws {
    try await transcript(
      #"""
      $ export LC_ALL=C MANWIDTH=120 MANROFFOPT=; dragpipe man > dragpipe.1; man -l --warnings dragpipe.1 | col -b | sed 's/^ *//' > page
      $ head -1 page | grep -o '^DRAGPIPE(1)'; grep -x 'dragpipe types list.*\|dragpipe - sends.*\|130  *ended by SIGINT' page
      DRAGPIPE(1)
      dragpipe - sends typed, verified items from one process to another
      dragpipe types list
      dragpipe types list [--json] [--conforms-to TYPE]
      130    ended by SIGINT
      """#)
  }
}
