// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropTransport
import Foundation
import ItemTransfer
import TestSupport
import Testing

@testable import DragPipeTool

@Suite("The complete tool", .serialized, .limited, .timeLimit(.minutes(5)))
struct ToolTests {
  @Test(
    "help goes to standard output, for every spelling of the request",
    arguments: ["--help", "-h", "help", "--he", "-hV"])
  func helpGoesToStandardOutput(_ argument: String) async throws {
    let run = try await ToolRun(argument)
    #expect(run.exitCode == 0 && run.errors.isEmpty)
    #expect(run.output == ToolHelp.overview)
  }

  @Test("the page of a command is the same with --help, -h and help, and starts with its summary")
  func helpPageIsTheSameForEverySpelling() async throws {
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

  @Test("the version option works by name, by prefix and by letter")
  func versionHasThreeSpellings() async throws {
    for option in ["--version", "--vers", "-V"] {
      let run = try await ToolRun(option)
      #expect(run.exitCode == 0 && run.errors.isEmpty)
      #expect(run.output == "dragpipe \(Tool.version)\n")
    }
  }

  @Test(
    "an invalid command line is reported in one line, with a suggestion and the help page",
    arguments: [
      ([], "no command; use one of send, receive", "dragpipe --help"),
      (["recieve"], "unknown command recieve; did you mean receive?", "dragpipe --help"),
      (["fly"], "unknown command fly; use one of send, receive", "dragpipe --help"),
      (["--frob"], "unknown option --frob", "dragpipe --help"),
      (["--", "--help"], "unknown command --help", "dragpipe --help"),
      (["-"], "unknown command -; use one of", "dragpipe --help"),
      ([""], #"unknown command ""; use one of"#, "dragpipe --help"),
      (
        ["send", "--to", "", "a"], #"--to: unknown endpoint ""; use \#(EndpointArgument.summary)"#,
        "dragpipe send --help"
      ),
      (["types", "lsit"], "unknown command types lsit; did you mean list?", "dragpipe types --help"),
      (["types"], "types needs a command: of, info", "dragpipe types --help"),
      (["types", "--json", "of"], "unknown option --json", "dragpipe types --help"),
      (["types", "of", "--jsno"], "unknown option --jsno; did you mean --json?", "dragpipe types of --help"),
      (["types", "of"], "types of needs a file, or - for standard input", "dragpipe types of --help"),
      (["demo", "--fast"], "unknown option --fast", "dragpipe demo --help"),
      (["demo", "heroes"], "demo takes no operand", "dragpipe demo --help"),
      (["completions"], "completions needs one operand, a shell: bash, zsh, fish", "dragpipe completions --help"),
      (["completions", "a\u{1B}c"], #"unknown shell a\u{1b}c; use one of bash"#, "dragpipe completions --help"),
      (["man", "dragpipe"], "man takes no operand", "dragpipe man --help"),
      (["help", "sned"], "unknown command sned; did you mean send?", "dragpipe help --help"),
      (["help", "send", "x"], "send has no subcommand x", "dragpipe help --help"),
      (["help", "types", "f"], "unknown command types f; use one of of, info", "dragpipe help --help"),
    ])
  func rejectsInvalidCommandLines(_ arguments: [String], _ message: String, _ page: String) async throws {
    let run = try await ToolRun(arguments)
    #expect(run.exitCode == 64)
    #expect(run.output.isEmpty)
    #expect(run.errors.hasPrefix("dragpipe: \(message)"), "\(run.errors)")
    #expect(run.errors.hasSuffix(" (see \(page))\n"), "\(run.errors)")
    #expect(run.errorLines.count == 1)
  }

  @Test("the man page and the scripts go to standard output unchanged")
  func generatedTextsGoToStandardOutput() async throws {
    #expect(try await ToolRun("man").output == ManualPage.text())
    for shell in CompletionShell.allCases {
      #expect(try await ToolRun("completions", shell.rawValue).output == shell.script())
    }
  }
}

@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct ToolEnvironmentTests {
  @Test func procMustShowThisProcess() throws {
    #expect(ToolEnvironment.isShown(in: "/proc"))
    let directory = try TemporaryDirectory()
    let files = ["self": "cmdline", "\(getpid())": "stat"]
    #expect(!ToolEnvironment.isShown(in: directory.url.path))
    for (folder, file) in files {
      #expect(!ToolEnvironment.isShown(in: directory.url.path))
      try FileManager.default.createDirectory(at: directory.file(folder), withIntermediateDirectories: false)
      try directory.write(Data(), to: "\(folder)/\(file)")
    }
    #expect(ToolEnvironment.isShown(in: directory.url.path))
  }
}

@Suite("JSON as the tool writes it", .serialized, .limited, .timeLimit(.minutes(5)))
struct JSONOutputTests {
  @Test("keys are sorted, slashes are plain, and control characters are escaped")
  func jsonIsSortedAndEscaped() throws {
    let value = ["b": "a/b", "a": "\u{1B}\u{202E}\u{200D}é"]
    #expect(try JSONOutput().text(value) == #"{"a":"\u001b\u202e\u200dé","b":"a/b"}"#)
    #expect(try JSONOutput(isPretty: true).text(["a": [1]]) == "{\n  \"a\" : [\n    1\n  ]\n}")
    #expect(throws: EncodingError.self) { try JSONOutput().text([Double.infinity]) }
  }
}

@Suite("Errors as exit codes", .serialized, .limited, .timeLimit(.minutes(5)))
struct ToolFailureTests {
  @Test(
    "every failure of a stream has its code",
    arguments: [
      (DropStreamError.Code.empty, ToolExitCode.malformed), (.notADropStream, .malformed), (.truncated, .malformed),
      (.damaged, .malformed), (.trailingBytes, .malformed), (.unsupported, .unsupported), (.limitExceeded, .refused),
      (.unsafeName, .refused), (.duplicateName, .refused), (.alreadyExists, .cannotCreate),
      (.destinationUnavailable, .cannotCreate), (.senderFailed, .failure), (.senderCancelled, .cancelledByPeer),
      (.peerGone, .peerGone), (.timedOut, .timedOut), (.sourceUnavailable, .noInput), (.systemCall, .inputOutput),
    ])
  func streamErrorsHaveExitCodes(_ code: DropStreamError.Code, _ expected: ToolExitCode) {
    let failure = ToolFailure(DropStreamError(code, "reason", at: 7))
    #expect(failure.exitCode == expected)
    #expect(failure.message == "reason at byte 7")
  }

  @Test("a failed representation is reported by its cause")
  func failedRepresentationIsReportedByItsCause() {
    let cause = ItemProviderError(.fileUnavailable, contentType: nil)
    let failure = ToolFailure(DropStreamError(.representationFailed, "outer", underlyingError: cause))
    #expect(failure.exitCode == .inputOutput)
    #expect(failure.message == cause.description)
  }

  @Test("quoted text in a cause is escaped exactly once")
  func quotedTextIsEscapedOnce() {
    let causes: [(any Error, String)] = [
      (ToolFailure(.failure, #"a\\d\u{202e}"#), #"a\\d\u{202e}"#),
      (DropStreamError(.notAllowed, #"a\\d"#), #"a\\d"#),
      (LoadFault(description: "a\u{202E}\n"), #"a\u{202e}\u{a}"#),
    ]
    for (cause, shown) in causes {
      let failure = ToolFailure(ItemProviderError(.representationFailed, contentType: nil, underlyingError: cause))
      #expect(failure.message == "the representation could not be created: \(shown)")
    }
  }

  private struct LoadFault: Error, CustomStringConvertible {
    let description: String
  }

  @Test("an unknown error is an internal error, reported in one line without control characters")
  func unknownErrorIsInternal() {
    struct Foreign: Error, CustomStringConvertible {
      let description = "a\u{1B}[2J\nb"
    }
    let failure = ToolFailure(Foreign())
    #expect(failure.exitCode == .internalFault)
    #expect(failure.message == "a\\u{1b}[2J\\u{a}b")
  }
}
