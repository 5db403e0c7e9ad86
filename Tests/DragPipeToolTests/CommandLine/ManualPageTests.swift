// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import DragPipeTool

@Suite("The manual page", .serialized, .limited, .timeLimit(.minutes(5)))
struct ManualPageTests {
  @Test(
    "nothing in a text means anything to troff",
    arguments: [
      (".TH x", "\\&.TH x"), ("'so /etc/passwd", "\\(aqso /etc/passwd"), ("a\\fBb", "a\\(rsfBb"),
      ("--name", "\\-\\-name"), ("say \"x\"", "say \\(dqx\\(dq"), ("`~^", "\\(ga\\(ti\\(ha"), ("FILE…", "FILE..."),
      ("a\n.b", "a .b"), ("Ægir", "\\[u00C6]gir"), ("𝄞", "\\[u1D11E]"), ("plain text.", "plain text."),
    ])
  func escapesTroff(_ text: String, _ expected: String) {
    #expect(Troff.escaped(text) == expected)
  }

  @Test(
    "in a synopsis, options are bold and placeholders italic",
    arguments: [
      ("[-o FILE]", "[\\fB\\-o\\fR \\fIFILE\\fR]"), ("--as hero|card", "\\fB\\-\\-as\\fR hero|card"),
      ("[FILE|-]", "[\\fIFILE\\fR|\\-]"), ("--name-only", "\\fB\\-\\-name\\-only\\fR"), (".drop", "\\&.drop"),
      ("unix:PATH", "unix:\\fIPATH\\fR"), ("TYPE…", "\\fITYPE\\fR..."), ("two-way", "two\\-way"),
    ])
  func marksUpSynopses(_ form: String, _ expected: String) {
    #expect(Troff.form(form) == expected)
  }

  @Test("the page is ASCII, and only intended lines are requests")
  func containsOnlyIntendedRequests() {
    let text = ManualPage.text(for: Tool.commands + CompletionShell.sampleCommands)
    #expect(text.utf8.allSatisfy { $0 == 0x0A || (0x20..<0x7F).contains($0) })
    let known: Set = ["TH", "SH", "SS", "PP", "TP", "RS", "RE", "nf", "fi", "br", "nh", "ad"]
    for line in text.split(separator: "\n") where line.hasPrefix(".") || line.hasPrefix("'") {
      #expect(known.contains(String(line.dropFirst().prefix { $0 != " " })), "\(line)")
    }
  }

  @Test("endpoints are explained if a command has any")
  func explainsEndpointsIfUsed() {
    let page = ManualPage.text(for: CompletionShell.sampleCommands)
    #expect(page.contains("\n.SH ENDPOINTS\n"))
    for (form, meaning) in ManualReference.endpoints {
      #expect(page.contains(".TP\n\(Troff.form(form))\n\(Troff.escaped(meaning))"))
    }
    #expect(!ManualPage.text(for: [FolderCommand.self]).contains("ENDPOINTS"))
  }

  @Test("every variable that the tool reads and every exit code is explained")
  func variablesAndCodes() throws {
    let page = ManualPage.text()
    let environment = try #require(page.components(separatedBy: "\n.SH ENVIRONMENT\n").last)
    for name in ["NO_COLOR", "TERM", "COLUMNS", "HOME", "XDG_DATA_HOME", "XDG_DATA_DIRS", "TMPDIR"] {
      #expect(environment.contains(".TP\n\\fB\(name)\\fR\n"), "\(name)")
    }
    for (code, meaning) in ToolExitCode.meanings {
      #expect(page.contains(".TP\n\\fB\(code)\\fR\n\(Troff.escaped(meaning))\n"), "\(code)")
    }
  }

  @Test("the article and the manual page explain each exit code with the same words")
  func articleListsTheSameExitCodes() throws {
    let root = (0..<4).reduce(URL(fileURLWithPath: #filePath)) { url, _ in url.deletingLastPathComponent() }
    let file = root.appendingPathComponent("Sources/DragPipe/DragPipe.docc/ShellManual.md")
    let article = try String(contentsOf: file, encoding: .utf8)
    let section = try #require(article.components(separatedBy: "\n## Exit codes\n").last)
    let rows = section.split(separator: "\n").drop { !$0.hasPrefix("|---") }.dropFirst().prefix { $0.hasPrefix("|") }
    #expect(rows.map(String.init) == ToolExitCode.meanings.map { "| \($0.code) | \($0.meaning) |" })
  }

  @Test("no example appears twice")
  func examplesAreUnique() {
    let examples = ToolHelp.examples + CommandEntry.all().flatMap { $0.command.examples }
    #expect(Set(examples).count == examples.count)
  }

  @Test(
    "groff reports no warnings, and examples can be copied into a shell",
    .enabled(if: installedProgram("groff") != nil))
  func groffReportsNoWarnings() async throws {
    try await withTemporaryDirectory { directory in
      let text = ManualPage.text(for: Tool.commands + CompletionShell.sampleCommands)
      try Data(text.utf8).write(to: directory.appendingPathComponent("dragpipe.1"))
      let run = try await ScriptRun("groff -man -Tascii -P-cbou -ww -rLL=200n dragpipe.1 2>&1 > seen", in: directory)
      #expect(run.output.isEmpty, "\(run.output)")
      let page = try String(contentsOf: directory.appendingPathComponent("seen"), encoding: .utf8)
      #expect(page.contains("DRAGPIPE(1)") && page.contains("\n       dragpipe carry FILE...\n"))
      for example in ToolHelp.examples { #expect(page.contains("    \(example)\n")) }
      for section in ["NAME", "SYNOPSIS", "EXIT STATUS", "ENVIRONMENT", "FILES", "EXAMPLES"] {
        #expect(page.contains("\n\(section)\n"))
      }
    }
  }
}
