// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import DragPipeTool

/// The table of commands, compared with the texts that are generated from it.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct CommandTableTests {
  private static let examples = ToolHelp.examples + CommandEntry.all().flatMap { $0.command.examples }

  @Test func entriesAreUniqueAndPlain() {
    let paths = CommandEntry.all().map(\.path)
    #expect(Set(paths).count == paths.count && paths.contains("types of") && paths.contains("completions"))
    for entry in CommandEntry.all() {
      let spellings = entry.options.flatMap(\.spellings)
      #expect(Set(spellings).count == spellings.count, "\(entry.path): \(spellings)")
      let hasHelp = entry.command.options.contains { $0.name == "help" }
      #expect(!hasHelp && entry.options.allSatisfy { $0.value != nil || !$0.isRepeatable })
      for completion in [entry.command.operand] + entry.options.compactMap({ $0.value?.completion }) {
        guard case .words(let words) = completion else { continue }
        #expect(words.allSatisfy { $0.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-._".contains($0)) } })
      }
    }
  }

  @Test func examplesAreUniqueAndParse() throws {
    #expect(Self.examples.count > 5 && Set(Self.examples).count == Self.examples.count)
    for line in Self.examples {
      let commands = line.split { "|&<>()".contains($0) }.map { $0.split(separator: " ").map(String.init) }
      let ours = commands.filter { $0.first == "dragpipe" }
      #expect(!ours.isEmpty, "\(line)")
      for words in ours {
        var rest = words.dropFirst()
        var entry: CommandEntry?
        try CommandEntry.take(from: &rest, found: &entry)
        let found = try #require(entry)
        let parsed = try ParsedArguments(Array(rest), options: found.options)
        #expect(throws: Never.self, "\(line)") { _ = try found.command.init(parsed) }
      }
    }
  }

  @Test func helpPagesListOptionsAndSubcommandsOnce() {
    for entry in CommandEntry.all() {
      let page = ToolHelp.page(for: entry)
      let lines = page.split(separator: "\n", omittingEmptySubsequences: false)
      for option in entry.options {
        let label = (option.short.map { "  -\($0), " } ?? "      ") + "--\(option.name)"
        let end = option.value.map { " \($0.placeholder)" } ?? ""
        #expect(lines.count { "\($0) ".hasPrefix("\(label)\(end) ") } == 1, "\(entry.path) \(option.name)")
      }
      for subcommand in entry.subcommands {
        let forms = subcommand.command.forms.map { "  dragpipe \(subcommand.path) \($0.prefix(20))" }
        let count = lines.count { $0.hasPrefix("  \(subcommand.command.name) ") }
        #expect(count == 1 && forms.allSatisfy(page.contains), "\(page)")
      }
      #expect(lines.allSatisfy { $0.count <= 80 } && !page.contains("\n\n\n"))
      // A page has the options of its own command only.
      if entry.path == "types list" { #expect(!page.contains("--mime")) }
      if entry.path == "inspect" { #expect(["sniffed", "totals", "hasIndex"].allSatisfy(page.contains)) }
    }
  }

  @Test func helpAndManualListEveryTypeFamily() {
    let accepting = CommandEntry.all().filter { ["receive", "extract", "types info"].contains($0.path) }
    #expect(accepting.count == 3)
    let names = TypeFamily.words + TypeFamily.all.compactMap(\.wildcard)
    for entry in accepting { #expect(names.allSatisfy(ToolHelp.page(for: entry).contains), "\(entry.path)") }
    #expect(names.map(Troff.escaped).allSatisfy(ManualPage.text().contains))
  }

  @Test func overviewListsCommandsOptionsAndExitCodes() {
    let lines = ToolHelp.overview.split(separator: "\n")
    let counts =
      Tool.commands.map { command in lines.count { $0.hasPrefix("  \(command.name) ") } }
      + Tool.options.map { option in lines.count { $0.hasPrefix("  ") && $0.contains(" --\(option.name) ") } }
      + ToolExitCode.meanings.map { code, meaning in lines.count { $0.hasSuffix(" \(code)  \(meaning)") } }
    #expect(counts.allSatisfy { $0 == 1 }, "\(counts)")
    #expect(ToolExitCode.meanings.map(\.code).suffix(5) == [129, 130, 131, 141, 143])
  }

  @Test func zshScriptHasEveryOptionInTheFunctionOfItsCommand() throws {
    let script = CompletionShell.zsh.script()
    for entry in CommandEntry.all() {
      let name = "_dragpipe_command_" + entry.path.replacing(" ", with: "_")
      let body = try #require(script.split(separator: "\n\(name)() {\n").last?.split(separator: "\n}\n").first)
      let spellings = entry.options.flatMap { option in
        option.spellings.map { $0 + (option.value == nil ? "[" : $0.hasPrefix("--") ? "=[" : "+[") }
      }
      let parts = spellings + entry.subcommands.map { "  \($0.command.name)) _dragpipe" }
      #expect(body.count < script.count / 2 && parts.filter { !body.contains($0) } == [], "\(entry.path)")
    }
  }
}

@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct ManualPageTests {
  @Test func textsMeanNothingToTroff() {
    for (text, expected) in [
      (".TH x", "\\&.TH x"), ("'so /etc/passwd", "\\(aqso /etc/passwd"), ("a\\fBb", "a\\(rsfBb"),
      ("--name", "\\-\\-name"), ("say \"x\"", "say \\(dqx\\(dq"), ("`~^", "\\(ga\\(ti\\(ha"), ("FILE…", "FILE..."),
      ("a\n.b", "a .b"), ("Ægir", "\\[u00C6]gir"), ("𝄞", "\\[u1D11E]"), ("plain text.", "plain text."),
    ] { #expect(Troff.escaped(text) == expected) }
    // In a synopsis, options are bold and placeholders italic.
    for (form, expected) in [
      ("[-o FILE]", "[\\fB\\-o\\fR \\fIFILE\\fR]"), ("--as hero|card", "\\fB\\-\\-as\\fR hero|card"),
      ("[FILE|-]", "[\\fIFILE\\fR|\\-]"), ("--name-only", "\\fB\\-\\-name\\-only\\fR"), (".drop", "\\&.drop"),
      ("unix:PATH", "unix:\\fIPATH\\fR"), ("TYPE…", "\\fITYPE\\fR..."), ("two-way", "two\\-way"),
    ] { #expect(Troff.form(form) == expected) }
  }

  @Test func pageIsASCIIAndHasOnlyIntendedRequests() {
    let text = ManualPage.text(for: Tool.commands + CompletionShell.sampleCommands)
    #expect(text.utf8.allSatisfy { $0 == 0x0A || (0x20..<0x7F).contains($0) })
    let known: Set = ["TH", "SH", "SS", "PP", "TP", "RS", "RE", "nf", "fi", "br", "nh", "ad"]
    for line in text.split(separator: "\n") where line.hasPrefix(".") || line.hasPrefix("'") {
      #expect(known.contains(String(line.dropFirst().prefix { $0 != " " })), "\(line)")
    }
  }

  @Test func pageHasASectionForEachCommandWithItsOptions() throws {
    let sections = ManualPage.text().split(separator: "\n.SS ").dropFirst().map { $0.split(separator: "\n.SH ")[0] }
    let entries = CommandEntry.all()
    #expect(sections.count == entries.count)
    for (section, entry) in zip(sections, entries) {
      #expect(section.hasPrefix("\"dragpipe \(entry.path)\"\n"))
      let terms = section.split(separator: ".TP\n").dropFirst().map { $0.prefix { $0 != "\n" } }
      try #require(terms.count == entry.command.options.count, "\(entry.path)")
      for (term, option) in zip(terms, entry.command.options) {
        let spellings = option.spellings.map { "\\fB\(Troff.escaped($0))\\fR" }
        let end = option.value.map { " " + Troff.form($0.placeholder) } ?? "\\fR"
        #expect(spellings.allSatisfy(term.contains) && term.hasSuffix(end), "\(term)")
      }
    }
  }

  @Test func pageExplainsEndpointsVariablesAndExitCodes() throws {
    let sample = ManualPage.text(for: CompletionShell.sampleCommands)
    let endpoints = ManualReference.endpoints.map { ".TP\n\(Troff.form($0))\n\(Troff.escaped($1))" }
    #expect((endpoints + ["\n.SH ENDPOINTS\n"]).filter { !sample.contains($0) } == [])
    #expect(!ManualPage.text(for: [FolderCommand.self]).contains("ENDPOINTS"))
    let page = ManualPage.text()
    let environment = try #require(page.components(separatedBy: "\n.SH ENVIRONMENT\n").last)
    let variables = ["NO_COLOR", "TERM", "COLUMNS", "HOME", "XDG_DATA_HOME", "XDG_DATA_DIRS", "TMPDIR"]
    #expect(variables.filter { !environment.contains(".TP\n\\fB\($0)\\fR\n") } == [])
    let codes = ToolExitCode.meanings.map { ".TP\n\\fB\($0)\\fR\n\(Troff.escaped($1))\n" }
    #expect(codes.filter { !page.contains($0) } == [])
    // The article has the same words.
    let root = (0..<4).reduce(URL(fileURLWithPath: #filePath)) { url, _ in url.deletingLastPathComponent() }
    let file = root.appendingPathComponent("Sources/DragPipe/DragPipe.docc/ShellManual.md")
    let article = try String(contentsOf: file, encoding: .utf8)
    let section = try #require(article.components(separatedBy: "\n## Exit codes\n").last)
    let rows = section.split(separator: "\n").drop { !$0.hasPrefix("|---") }.dropFirst().prefix { $0.hasPrefix("|") }
    #expect(rows.map(String.init) == ToolExitCode.meanings.map { "| \($0.code) | \($0.meaning) |" })
  }

  @Test(.peers("groff")) func groffReportsNoWarningsAndExamplesCanBeCopied() async throws {
    let directory = try TemporaryDirectory()
    let text = ManualPage.text(for: Tool.commands + CompletionShell.sampleCommands)
    try directory.write(Data(text.utf8), to: "dragpipe.1")
    let warnings = try await bash("groff -man -Tascii -P-cbou -ww -rLL=200n dragpipe.1 2>&1 > seen", in: directory)
    #expect(warnings.isEmpty)
    let page = try String(contentsOf: directory.file("seen"), encoding: .utf8)
    #expect(page.contains("DRAGPIPE(1)") && page.contains("\n       dragpipe carry FILE...\n"))
    let sections = ["NAME", "SYNOPSIS", "EXIT STATUS", "ENVIRONMENT", "FILES", "EXAMPLES"]
    let parts = ToolHelp.examples.map { "    \($0)\n" } + sections.map { "\n\($0)\n" }
    #expect(parts.filter { !page.contains($0) } == [])
  }
}

@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct HelpTextTests {
  @Test func paragraphsAreJoinedAndIndentedLinesStayUnchanged() {
    let blocks = HelpText.blocks(of: "One\ntwo\n\nthree:\n  a\n   b\nfour\n\n\n  c")
    #expect(
      blocks == [
        .paragraph("One two"), .paragraph("three:"), .lines(["  a", "   b"]), .paragraph("four"), .lines(["  c"]),
      ])
    #expect(HelpText.blocks(of: "").isEmpty)
  }

  @Test func paragraphsWrapBetweenWordsAndTablesAreAligned() {
    let word = String(repeating: "x", count: 39)
    let long = String(repeating: "y", count: 100)
    // A text stands below a label that is too long.
    let label = String(repeating: "l", count: 30)
    for (text, expected) in [
      (HelpText.wrap("\(word) \(word)x"), "\(word) \(word)x\n"),
      (HelpText.wrap("\(word) \(word)xx", indentation: 3), "\(word)\n   \(word)xx\n"),
      (HelpText.wrap("\(word) \(word)", from: 2), "\(word)\n\(word)\n"),
      (HelpText.wrap("a \(long) b"), "a\n\(long)\nb\n"),
      (HelpText.table([("a", "one"), ("bcd", "two")]), "  a    one\n  bcd  two\n"),
      (HelpText.table([("a", "one"), (label, "two")]), "  a  one\n  \(label)\n     two\n"),
    ] { #expect(text == expected) }
  }
}
