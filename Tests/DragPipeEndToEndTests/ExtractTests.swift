// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropTransport
import Foundation
import ItemTransfer
import TestSupport
import Testing
import UniformTypes

@Suite("extract in a shell", .serialized, .limited, .timeLimit(.minutes(5)))
struct ExtractTests {
  /// Writes `a.drop` with two items: a picture of 1,000,000 bytes with text, and text with control characters.
  private func drop(_ shell: Shell) async throws {
    let path = shell.directory.appendingPathComponent("a.drop").path
    try await DropStream.withWriter(to: .file(path)) { writer in
      let item = ItemProvider(suggestedName: "Atalanta")
      item.register(.png) { _ in Data(repeating: 7, count: 1_000_000) }
      item.register(.plainText) { _ in Data("runs\n".utf8) }
      try await writer.write(item)
      let other = ItemProvider(suggestedName: "Circe")
      other.register(.plainText) { _ in Data("\u{1B}[2Jspell\n".utf8) }
      try await writer.write(other)
    }
  }

  @Test("a pipe or a file gets all bytes or none")
  func writesAllBytesOrNone() async throws {
    try await withShell { shell in
      try await drop(shell)
      let result = try await shell.run(
        """
        umask 022; dragpipe extract a.drop Atalanta .png | wc -c
        dragpipe extract --output b a.drop 1 image/png; wc -c < b; stat -c %a b
        dragpipe extract a.drop 1 .png | head -c 1 | wc -c; echo ${PIPESTATUS[0]}
        dragpipe extract a.drop 1 .png > /dev/full; echo $?
        dragpipe extract a.drop 1 public.audio; echo $?
        dragpipe extract a.drop 1 .png >&-; echo $?
        dragpipe extract a.drop 1 .png >> a.drop; echo $?
        """)
      #expect(try shell.names(in: ".") == ["a.drop", "b"])
      #expect(
        result.output.hasPrefix("1000000\n1000000\n644\n1\n141\n74\n3\n74\n73\n"), "\(result.output)\(result.errors)")
      #expect(result.errorLines.count == 4, "\(result.errors)")
    }
  }

  @Test("a terminal gets text without control characters, unless -o - is given")
  func terminalGetsTextWithoutControls() async throws {
    try await withShell { shell in
      try await drop(shell)
      let result = try await shell.run(
        """
        for words in '1 public.plain-text' '1 public.png' '2 public.text' '2 public.text --output -'; do
          script -qec "'$TOOL' extract a.drop $words" /dev/null > seen; echo "$? $(tr -d '\\r' < seen | head -c 40 | od -An -c -w40)"
        done
        """)
      let lines = result.output.split(separator: "\n").map { $0.split(separator: " ", omittingEmptySubsequences: true) }
      try #require(lines.count == 4, "\(result.output)")
      #expect(lines.map { $0[0] } == ["0", "64", "64", "0"])
      #expect(lines[0].dropFirst().joined() == #"runs\n"#)
      #expect(lines[1].dropFirst().joined().hasPrefix("dragpipe:standardoutputisater"))
      #expect(lines[3].dropFirst().joined().hasPrefix("033[2Jspell"))
    }
  }
}
