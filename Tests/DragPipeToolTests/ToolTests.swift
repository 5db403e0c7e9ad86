// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import DragPipeTool

@Suite("The tool as a whole", .serialized, .limited)
struct ToolTests {
  @Test(
    "help goes to standard output, however it is asked for",
    arguments: ["--help", "-h", "help", "--he", "-hV"])
  func overview(_ argument: String) async throws {
    let run = try await ToolRun(argument)
    #expect(run.exitCode == 0 && run.errors.isEmpty)
    #expect(run.output == ToolHelp.overview)
  }

  @Test("the page of every command is the same with --help, -h and help, and starts with what it is")
  func pages() async throws {
    for entry in CommandEntry.all() {
      let words = entry.chain.map { $0.name }
      for arguments in [words + ["--help"], words + ["-h", "--frob"], ["help"] + words] {
        let run = try await ToolRun(arguments)
        #expect(run.exitCode == 0 && run.errors.isEmpty, "\(arguments)")
        #expect(run.output == ToolHelp.page(for: entry), "\(arguments)")
        #expect(run.output.replacing("\n", with: " ").hasPrefix(entry.command.summary))
      }
    }
  }

  @Test("the version is told, by its name, by as much of it as is enough, and by its letter")
  func version() async throws {
    for option in ["--version", "--vers", "-V"] {
      let run = try await ToolRun(option)
      #expect(run.exitCode == 0 && run.errors.isEmpty)
      #expect(run.output == "dragpipe \(Tool.version)\n")
    }
  }

  @Test(
    "what makes no sense is told in one line, with what may be meant and where to read",
    arguments: [
      ([], "no command; one of send, receive", "dragpipe --help"),
      (["recieve"], "unknown command recieve; did you mean receive?", "dragpipe --help"),
      (["fly"], "unknown command fly; one of send, receive", "dragpipe --help"),
      (["--frob"], "unknown option --frob", "dragpipe --help"),
      (["--", "--help"], "unknown command --help", "dragpipe --help"),
      (["-"], "unknown command -; one of", "dragpipe --help"),
      ([""], #"unknown command ""; one of"#, "dragpipe --help"),
      (["send", "--to", "", "a"], #"--to takes \#(EndpointArgument.summary), not """#, "dragpipe send --help"),
      (["types", "lsit"], "unknown command types lsit; did you mean list?", "dragpipe types --help"),
      (["types"], "types what? one of of, info", "dragpipe types --help"),
      (["types", "--json", "of"], "unknown option --json", "dragpipe types --help"),
      (["types", "of", "--jsno"], "unknown option --jsno; did you mean --json?", "dragpipe types of --help"),
      (["types", "of"], "types of what?", "dragpipe types of --help"),
      (["demo", "--fast"], "unknown option --fast", "dragpipe demo --help"),
      (["demo", "heroes"], "demo takes no operand", "dragpipe demo --help"),
      (["completions"], "completions for which shell? one of bash, zsh, fish", "dragpipe completions --help"),
      (["completions", "a\u{1B}c"], #"no completions for a\u{1b}c; one of bash"#, "dragpipe completions --help"),
      (["man", "dragpipe"], "man takes no operand", "dragpipe man --help"),
      (["help", "sned"], "unknown command sned; did you mean send?", "dragpipe help --help"),
      (["help", "send", "x"], "send has no command x", "dragpipe help --help"),
      (["help", "types", "f"], "unknown command types f; one of of, info", "dragpipe help --help"),
    ])
  func usage(_ arguments: [String], _ message: String, _ page: String) async throws {
    let run = try await ToolRun(arguments)
    #expect(run.exitCode == 64)
    #expect(run.output.isEmpty)
    #expect(run.errors.hasPrefix("dragpipe: \(message)"), "\(run.errors)")
    #expect(run.errors.hasSuffix(" (see \(page))\n"), "\(run.errors)")
    #expect(run.errorLines.count == 1)
  }

  @Test("the manual page and the scripts go to standard output as they are")
  func generated() async throws {
    #expect(try await ToolRun("man").output == ManualPage.text())
    for shell in CompletionShell.allCases {
      #expect(try await ToolRun("completions", shell.rawValue).output == shell.script())
    }
  }
}
