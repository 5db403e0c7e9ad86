// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import TestSupport
import Testing

/// The command lines of the samples.
@Suite(.limited, .timeLimit(minutes: 5), .serialized) struct CommandLineTests {
  static let programs = ["BoardApp", "ExtraWindows", "HeroesApp", "NotesApp", "PhotoGallery", "SharedDates"]

  @Test(arguments: programs)
  func helpListsCommandsAndUnknownOptionsAreRejected(name: String) async throws {
    for word in ["--sate", "extra"] {
      let run = try await SampleProgram(name: name, arguments: [word]).outcome("")
      let isNamed = run.errors.hasPrefix("unknown option \(word); ")
      #expect(run.exitCode == 1 && isNamed && run.errors.contains("--script FILE"), "\(run)")
    }
    let help = try await SampleProgram(name: name, arguments: ["--help"]).outcome("")
    #expect((help.exitCode, help.errors) == (0, ""))
    let lines = help.outputLines.map(String.init)
    #expect(lines.first?.hasPrefix("\(name): ") == true && lines.contains("Commands of all apps:"))
    // Each command has a description, and no line is wider than a terminal.
    #expect(lines.count { $0.hasPrefix("  ") } > 20 && lines.allSatisfy { $0.columnCount <= 80 })
    #expect(try await SampleProgram(name: name).run("help\n:help\n").all == lines + lines)
  }

  @Test func articleHasTheNotesAppLineForLine() throws {
    func text(_ path: String) throws -> String {
      try String(contentsOf: repository.appending(path: path), encoding: .utf8)
    }
    let code = try text("Samples/NotesApp/main.swift")
    #expect(try text("Sources/DropSceneUI/DropSceneUI.docc/NotesApp.md").hasSuffix("```swift\n\(code)```\n"))
  }

  @Test func notesAreKeptInAllWindows() async throws {
    let directory = try TemporaryDirectory()
    let program = SampleProgram(name: "NotesApp", arguments: ["--state", directory.url.path])
    _ = try await program.run(
      "new\n:wait 1 2 new note\nopen 2\n:wait 2 new note\ntext Sail home\n:wait 1 2 Sail home\n")
    _ = try await program.run(":wait 1 2 Sail home\n:wait 2 Sail home\n:key 1\ndelete 2\n:wait 2 the note is deleted\n")
    directory.remove()
  }

  @Test(arguments: ["", ":9999", "remote:0"])
  func desktopWithoutADisplayIsAnError(display: String) async throws {
    let program = SampleProgram(name: "ExtraWindows", arguments: ["--desktop"], environment: ["DISPLAY": display])
    let run = try await program.outcome(":wait 1 not key\n")
    #expect(run.exitCode == 69 && run.errors.hasPrefix("cannot show windows: "), "\(run)")
  }

  @Test func outputThatCannotBeWrittenEndsTheApp() async throws {
    // A line that waits for a minute is not performed any more.
    let script = #"""
      printf ':say a\n:wait 9 nothing\n' | "$0" --script - > /dev/full; echo $?
      "$0" --help > /dev/full; echo $?
      exec 3> >(:); wait $!; printf ':say a\n' | "$0" --script - >&3 2> /dev/null; echo $?
      trap '' PIPE; printf ':say a\n' | "$0" --script - >&3; echo $?
      """#
    let run = try await ProgramRun("bash", ["-c", script, SampleProgram(name: "ExtraWindows").path])
    // A reader that has closed its pipe is not an error.
    #expect(run.output == "74\n74\n141\n0\n")
    #expect(run.errors == String(repeating: "cannot write: No space left on device\n", count: 2))
  }

  @Test func readsAnyScriptFileOrReportsWhyNot() async throws {
    for (script, code, message) in [
      ("/dev/null", 0, ""), ("missing", 1, "cannot read the script missing: No such file or directory\n"),
      (".", 1, "cannot read the script .: Is a directory\n"),
    ] as [(String, Int32, String)] {
      let run = try await SampleProgram(name: "ExtraWindows").outcome(scriptFile: script)
      #expect((run.exitCode, run.errors) == (code, message))
    }
  }
}

/// The samples that exchange heroes with another process.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct ExchangeSamplesTests {
  private static let remoteHeroes = SampleProgram(name: "RemoteHeroes").path

  @Test func lazyHeroCreatesOnlyRequestedRepresentations() async throws {
    let run = try await ProgramRun(SampleProgram(name: "LazyHero").path, [])
    #expect(run.exitCode == 0 && run.output.contains("they were never created"), "\(run)")
  }

  @Test func remoteHeroesReportsTheResultToTheSource() async throws {
    let run = try await ProgramRun(Self.remoteHeroes, [])
    #expect(run.exitCode == 0 && (run.output + run.errors).contains("the source has received the result"), "\(run)")
  }

  /// Sends a drop through sshd on the loopback interface, with requests on demand and a cancelled request.
  @Test(.peers("sshd", "ssh", "ssh-keygen")) func remoteHeroesCrossASecureShell() async throws {
    let script = #"""
      set -e
      directory=$(mktemp -d)
      trap 'kill "$(cat "$directory/pid")" || true; rm -rf "$directory"' EXIT
      mkdir -p /run/sshd || true
      for key in host user; do ssh-keygen -q -t ed25519 -N '' -f "$directory/$key"; done
      port=$((20000 + RANDOM % 10000))
      cat > "$directory/config" <<CONFIG
      Port $port
      ListenAddress 127.0.0.1
      HostKey $directory/host
      PidFile $directory/pid
      AuthorizedKeysFile $directory/user.pub
      StrictModes no
      UsePAM no
      PasswordAuthentication no
      PermitRootLogin prohibit-password
      CONFIG
      "$(command -v sshd)" -f "$directory/config" -E "$directory/log"
      ssh=(ssh -p "$port" -i "$directory/user" -o BatchMode=yes -o StrictHostKeyChecking=no
        -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR 127.0.0.1)
      until "${ssh[@]}" true; do sleep 0.1; done
      "$0" "${ssh[@]}" "$0" --offer
      """#
    let run = try await ProgramRun("bash", ["-c", script, Self.remoteHeroes])
    let results = ["taken: Anansi", "the source has received the result"]
    let messages = [
      "Anansi is being created", "the biography of Anansi was cancelled", "performed a move: Anansi",
    ]
    let missing = results.filter { !run.output.contains($0) } + messages.filter { !run.errors.contains($0) }
    #expect(run.exitCode == 0 && missing == [] && !run.errors.contains("Atalanta is being created"), "\(run)")
  }
}
