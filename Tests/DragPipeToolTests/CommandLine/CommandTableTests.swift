// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import DragPipeTool

/// The table of commands, compared with the texts that are generated from it.
@Suite("The table of commands", .serialized, .limited, .timeLimit(.minutes(5)))
struct CommandTableTests {
  @Test("names, letters and commands are unique, and no command declares its own help option")
  func namesAndLettersAreUnique() {
    for entry in CommandEntry.all() {
      let spellings = entry.options.flatMap(\.spellings)
      #expect(Set(spellings).count == spellings.count, "\(entry.path): \(spellings)")
      #expect(!entry.command.options.contains { $0.name == "help" })
    }
    let paths = CommandEntry.all().map(\.path)
    #expect(Set(paths).count == paths.count)
    #expect(paths.contains("types of") && paths.contains("completions"))
  }

  @Test("only options with a value are repeatable, and completion words are plain")
  func onlyValuesRepeatAndWordsArePlain() {
    for entry in CommandEntry.all() {
      #expect(entry.options.allSatisfy { $0.value != nil || !$0.isRepeatable })
      for completion in [entry.command.operand] + entry.options.compactMap({ $0.value?.completion }) {
        guard case .words(let words) = completion else { continue }
        #expect(words.allSatisfy { $0.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-._".contains($0)) } })
      }
    }
  }

  @Test("the page of a command lists each option once, with its letter, in lines that fit")
  func helpPagesListEveryOption() {
    for entry in CommandEntry.all() {
      let lines = ToolHelp.page(for: entry).split(separator: "\n", omittingEmptySubsequences: false)
      for option in entry.options {
        let label = (option.short.map { "  -\($0), " } ?? "      ") + "--\(option.name)"
        let end = option.value.map { " \($0.placeholder)" } ?? ""
        #expect(lines.count { "\($0) ".hasPrefix("\(label)\(end) ") } == 1, "\(entry.path) \(option.name)")
      }
      for name in entry.command.subcommands.map({ $0.name }) {
        #expect(lines.count { $0.hasPrefix("  \(name) ") } == 1)
      }
      #expect(lines.allSatisfy { $0.count <= 120 })
      #expect(!ToolHelp.page(for: entry).contains("\n\n\n"))
    }
  }

  @Test func helpAndManualListEveryTypeFamily() {
    let accepting = CommandEntry.all().filter { ["receive", "extract", "types info"].contains($0.path) }
    #expect(accepting.count == 3)
    for name in TypeFamily.words + TypeFamily.all.compactMap(\.wildcard) {
      for entry in accepting { #expect(ToolHelp.page(for: entry).contains(name), "\(entry.path): \(name)") }
      #expect(ManualPage.text().contains(Troff.escaped(name)))
    }
  }

  @Test("the overview lists the commands, its own options and every exit code")
  func overviewListsCommandsAndExitCodes() {
    let lines = ToolHelp.overview.split(separator: "\n")
    for command in Tool.commands { #expect(lines.count { $0.hasPrefix("  \(command.name) ") } == 1, "\(command)") }
    for option in Tool.options { #expect(lines.count { $0.hasPrefix("  ") && $0.contains(" --\(option.name) ") } == 1) }
    for (code, meaning) in ToolExitCode.meanings { #expect(lines.count { $0.hasSuffix(" \(code)  \(meaning)") } == 1) }
    #expect(ToolExitCode.meanings.map(\.code).suffix(5) == [129, 130, 131, 141, 143])
  }

  @Test("the manual page has a section for each command, with all its options and their values")
  func manPageListsEveryOption() throws {
    let sections = ManualPage.text().split(separator: "\n.SS ").dropFirst().map { $0.split(separator: "\n.SH ")[0] }
    let entries = CommandEntry.all()
    #expect(sections.count == entries.count)
    for (section, entry) in zip(sections, entries) {
      #expect(section.hasPrefix("\"dragpipe \(entry.path)\"\n"))
      let terms = section.split(separator: ".TP\n").dropFirst().map { $0.prefix { $0 != "\n" } }
      try #require(terms.count == entry.command.options.count, "\(entry.path)")
      for (term, option) in zip(terms, entry.command.options) {
        for spelling in option.spellings { #expect(term.contains("\\fB\(Troff.escaped(spelling))\\fR")) }
        #expect(term.hasSuffix(option.value.map { " " + Troff.form($0.placeholder) } ?? "\\fR"))
      }
    }
    for (code, meaning) in ToolExitCode.meanings {
      #expect(ManualPage.text().contains(".TP\n\\fB\(code)\\fR\n\(Troff.escaped(meaning))\n"))
    }
  }

  @Test("the script for zsh has a function for each command, with all its options")
  func zshScriptHasEveryOption() throws {
    let script = CompletionShell.zsh.script()
    for entry in CommandEntry.all() {
      let name = "_dragpipe_command_" + entry.path.replacing(" ", with: "_")
      let body = try #require(script.split(separator: "\n\(name)() {\n").last?.split(separator: "\n}\n").first)
      #expect(body.count < script.count / 2)
      for option in entry.options {
        for spelling in option.spellings {
          let end = option.value == nil ? "[" : spelling.hasPrefix("--") ? "=[" : "+["
          #expect(body.contains("\(spelling)\(end)"), "\(entry.path) \(spelling)")
        }
      }
      for subcommand in entry.subcommands { #expect(body.contains("  \(subcommand.command.name)) _dragpipe")) }
    }
  }

  @Test("the parser accepts every example")
  func examplesParse() throws {
    let lines = ToolHelp.examples + CommandEntry.all().flatMap { $0.command.examples }
    #expect(lines.count > 5)
    for line in lines {
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
}

@Suite("Text of the help", .serialized, .limited, .timeLimit(.minutes(5)))
struct HelpTextTests {
  @Test("lines of a paragraph are joined, indented lines stay unchanged")
  func separatesParagraphsAndIndentedLines() {
    let blocks = HelpText.blocks(of: "One\ntwo\n\nthree:\n  a\n   b\nfour\n\n\n  c")
    #expect(
      blocks == [
        .paragraph("One two"), .paragraph("three:"), .lines(["  a", "   b"]), .paragraph("four"), .lines(["  c"]),
      ])
    #expect(HelpText.blocks(of: "").isEmpty)
  }

  @Test("a paragraph wraps between words; a word longer than a line stays in one piece")
  func wrapsBetweenWords() {
    let word = String(repeating: "x", count: 39)
    #expect(HelpText.wrap("\(word) \(word)x") == "\(word) \(word)x\n")
    #expect(HelpText.wrap("\(word) \(word)xx", indentation: 3) == "\(word)\n   \(word)xx\n")
    #expect(HelpText.wrap("\(word) \(word)", from: 2) == "\(word)\n\(word)\n")
    let long = String(repeating: "y", count: 100)
    #expect(HelpText.wrap("a \(long) b") == "a\n\(long)\nb\n")
  }

  @Test("the texts of a table are aligned, below a label that is too long")
  func alignsTableColumns() {
    let label = String(repeating: "l", count: 30)
    #expect(HelpText.table([("a", "one"), ("bcd", "two")]) == "  a    one\n  bcd  two\n")
    #expect(HelpText.table([("a", "one"), (label, "two")]) == "  a  one\n  \(label)\n     two\n")
  }
}
