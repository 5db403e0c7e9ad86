// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropTransport
import Foundation
import ItemTransfer
import TestSupport
import Testing

@testable import DragPipeTool

@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct ToolTests {
  @Test func helpVersionAndGeneratedTextsGoToStandardOutput() async throws {
    var texts: [([String], String)] = ["--help", "-h", "help", "--he", "-hV"].map { ([$0], ToolHelp.overview) }
    texts += ["--version", "--vers", "-V"].map { ([$0], "dragpipe \(Tool.version)\n") }
    texts.append((["man"], ManualPage.text()))
    texts += CompletionShell.allCases.map { (["completions", $0.rawValue], $0.script()) }
    for entry in CommandEntry.all() {
      let words = entry.chain.map { $0.name }
      let page = ToolHelp.page(for: entry)
      #expect(page.replacing("\n", with: " ").hasPrefix(entry.command.summary))
      texts += [words + ["--help"], words + ["-h", "--frob"], ["help"] + words].map { ($0, page) }
    }
    for (arguments, text) in texts {
      #expect(try await tool(arguments) == ToolOutcome(output: text), "\(arguments)")
    }
  }

  /// Command lines, in which `''` is an empty argument, with their messages.
  private static let invalidCommandLines: [(line: String, message: String)] = [
    ("", "no command; use one of send, receive"), ("recieve", "unknown command recieve; did you mean receive?"),
    ("fly", "unknown command fly; use one of send, receive"), ("--frob", "unknown option --frob"),
    ("-- --help", "unknown command --help"), ("-", "unknown command -; use one of"),
    ("''", #"unknown command ""; use one of"#),
    // Endpoints
    ("send --to '' a", #"--to: unknown endpoint ""; use \#(EndpointArgument.summary)"#),
    ("send --to desktop a", "--to: unknown endpoint desktop"),
    ("receive --from sftp://host/a in", "--from: unknown endpoint sftp://host/a; use -, FILE, https://…"),
    ("send --to c: a", "--to: unknown endpoint c:"),
    ("send --to unix: f", "--to unix: needs a path; is a variable after unix: empty?"),
    ("receive --from=unix: in", "--from unix: needs a path; is a variable after unix: empty?"),
    ("send --to https://store.example/a.drop a", "--to cannot write to a web server"),
    ("send --to unix:a --indexed a", "--indexed needs a pipe or a file"),
    ("receive --from desktop: --move in", "--move needs a sender that can respond"),
    // Types
    ("receive -a application/* in", "unknown wildcard application/*"), ("receive -a */* in", "unknown wildcard */*"),
    ("send --type image/*=f", "--type needs a single type, but image/* is a wildcard"),
    ("send --lazy text/*=true", "--lazy needs a single type, but text/* is a wildcard"),
    ("types", "types needs a command: of, info"), ("types fly", "unknown command types fly; use one of of, info"),
    ("types lsit", "unknown command types lsit; did you mean list?"), ("types --json of", "unknown option --json"),
    ("types of", "types of needs a file, or - for standard input"),
    ("types of --name-only --content-only a", "--name-only and --content-only exclude each other"),
    ("types of --name-only -", "standard input (-) has no name; for a file with the name -, use ./-"),
    ("types of - -", "standard input (-) may be given only once"), ("types info", "types info needs a type"),
    ("types import", "types import needs a property list"),
    ("types import - -", "standard input (-) may be given only once"),
    ("types conforms public.png", "types conforms needs two types"),
    ("types conforms a b c", "types conforms needs two types"),
    ("types conforms --json public.png public.image", "unknown option --json"),
    ("types conforms public.png org.example.nobody", "unknown type org.example.nobody"),
    ("types conforms org.example.nobody public.png", "unknown type org.example.nobody"),
    ("types conforms '' public.data", #"unknown type ""; for known types, see dragpipe types list"#),
    ("types list public.png", "types list takes no operand"), ("types list --mime", "unknown option --mime"),
    ("types list --conforms-to", "--conforms-to needs a value: TYPE"),
    ("types list --conforms-to org.example.nobody", "unknown type org.example.nobody"),
    // Extraction and inspection
    ("extract", "extract needs two or three operands"), ("extract a", "extract needs two or three operands"),
    ("extract a 1 b c", "extract needs two or three operands"),
    ("extract - 1 public.png", "extract needs a file; to receive items from a stream, use dragpipe receive"),
    ("extract a 1 b --fast", "unknown option --fast"),
    ("extract a 1 b --overwrite", "--overwrite needs --output FILE"),
    ("extract a 1 b --overwrite --output -", "--overwrite needs --output FILE"),
    ("extract --items=0 a", "--items 0 is not in the form FIRST-LAST"),
    ("extract --items=3-2 a", "--items 3-2 is not in the form FIRST-LAST"),
    ("extract --items=x a", "--items x is not in the form FIRST-LAST"),
    ("extract --items=1- a", "--items 1- is not in the form FIRST-LAST"),
    ("extract --items=-3 a", "--items -3 is not in the form FIRST-LAST"),
    ("inspect a b", "inspect takes at most one operand, FILE"), ("inspect --fast", "unknown option --fast"),
    ("inspect --tree --json", "--tree and --json exclude each other"),
    ("inspect --verify --tree", "--verify lists no items, so it may be combined with --json only"),
    ("inspect --verify --content", "--verify lists no items, so it may be combined with --json only"),
    // The desktop
    ("drag --once --exit-after-all a", "--once and --exit-after-all exclude each other"),
    ("drop --accept .png", "--accept needs DIR, --exec or --target"),
    ("drop --target A=in/ --to a.drop", "--target needs DIR, --exec or --target"),
    ("drop in --to a.drop", "--to cannot be combined with DIR and --exec"),
    ("drop --to clipboard:", "--to takes a pipe, a file or a session here"),
    ("drop --to desktop:", "--to takes a pipe, a file or a session here"),
    ("drop --to https://store.example/a.drop", "--to cannot write to a web server"),
    ("drop --to stdio:", "a session at --to stdio: has one drop; use --once"),
    ("drop --sync", "--sync needs a file to flush"), ("drop --print uri in", "--print takes no directory"),
    ("drop --print uri --to a.drop", "--to cannot be combined with --print"),
    ("drop --print name", "--print name is unknown"), ("drop -0", "--null needs --print"),
    ("paste -0", "--null needs --print"),
    // The demo and the help
    ("demo --fast", "unknown option --fast"), ("demo heroes", "demo takes no operand"),
    ("demo source destination", "demo takes no operand"),
    ("completions", "completions needs one operand, a shell: bash, zsh, fish"),
    ("completions a\u{1B}c", #"unknown shell a\u{1b}c; use one of bash"#), ("man dragpipe", "man takes no operand"),
    ("help sned", "unknown command sned; did you mean send?"), ("help send x", "send has no subcommand x"),
    ("help types f", "unknown command types f; use one of of, info"),
  ]

  @Test func invalidCommandLineIsReportedInOneLineWithItsPage() async throws {
    let paths = CommandEntry.all().map(\.path)
    for (line, message) in Self.invalidCommandLines {
      let run = try await tool(line.split(separator: " ").map { $0 == "''" ? "" : String($0) })
      let command = paths.filter { "\(line) ".hasPrefix("\($0) ") }.max { $0.count < $1.count }
      let page = ["dragpipe", command, "--help"].compactMap(\.self).joined(separator: " ")
      #expect(run.isFailure(64, "dragpipe: \(message)") && run.errors.hasSuffix(" (see \(page))\n"), "\(line): \(run)")
    }
  }

  @Test func procMustShowThisProcess() throws {
    #expect(ToolEnvironment.isShown(in: "/proc"))
    let directory = try TemporaryDirectory()
    for (folder, file) in ["self": "cmdline", "\(getpid())": "stat"] {
      #expect(!ToolEnvironment.isShown(in: directory.url.path))
      try FileManager.default.createDirectory(at: directory.file(folder), withIntermediateDirectories: false)
      try directory.write(Data(), to: "\(folder)/\(file)")
    }
    #expect(ToolEnvironment.isShown(in: directory.url.path))
  }

  @Test func jsonIsSortedAndEscaped() throws {
    let value = ["b": "a/b", "a": "\u{1B}\u{202E}\u{200D}é"]
    let texts = [try JSONOutput().text(value), try JSONOutput(isPretty: true).text(["a": [1]])]
    #expect(texts == [#"{"a":"\u001b\u202e\u200dé","b":"a/b"}"#, "{\n  \"a\" : [\n    1\n  ]\n}"])
    #expect(throws: EncodingError.self) { try JSONOutput().text([Double.infinity]) }
  }
}

@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct ToolFailureTests {
  @Test func streamErrorsHaveExitCodes() {
    let codes: [(DropStreamError.Code, ToolExitCode)] = [
      (.empty, .malformed), (.notADropStream, .malformed), (.truncated, .malformed), (.damaged, .malformed),
      (.trailingBytes, .malformed), (.unsupported, .unsupported), (.limitExceeded, .refused), (.unsafeName, .refused),
      (.duplicateName, .refused), (.alreadyExists, .cannotCreate), (.destinationUnavailable, .cannotCreate),
      (.senderFailed, .failure), (.senderCancelled, .cancelledByPeer), (.peerGone, .peerGone), (.timedOut, .timedOut),
      (.sourceUnavailable, .noInput), (.systemCall, .inputOutput),
    ]
    for (code, exitCode) in codes {
      let failure = ToolFailure(DropStreamError(code, "reason", at: 7))
      #expect(failure.exitCode == exitCode && failure.message == "reason at byte 7", "\(code)")
    }
  }

  private struct LoadFault: Error, CustomStringConvertible {
    let description: String
  }

  @Test func failedRepresentationIsReportedByItsCause() {
    let cause = ItemProviderError(.fileUnavailable, contentType: nil)
    let failure = ToolFailure(DropStreamError(.representationFailed, "outer", underlyingError: cause))
    #expect(failure.exitCode == .inputOutput && failure.message == cause.description)
    // Quoted text in a cause is escaped exactly once.
    let causes: [(any Error, String)] = [
      (ToolFailure(.failure, #"a\\d\u{202e}"#), #"a\\d\u{202e}"#), (DropStreamError(.notAllowed, #"a\\d"#), #"a\\d"#),
      (LoadFault(description: "a\u{202E}\n"), #"a\u{202e}\u{a}"#),
    ]
    for (cause, shown) in causes {
      let failure = ToolFailure(ItemProviderError(.representationFailed, contentType: nil, underlyingError: cause))
      #expect(failure.message == "the representation could not be created: \(shown)")
    }
  }

  @Test func unknownErrorIsInternalAndEscaped() {
    let failure = ToolFailure(LoadFault(description: "a\u{1B}[2J\nb"))
    #expect(failure.exitCode == .internalFault && failure.message == "a\\u{1b}[2J\\u{a}b")
  }
}
