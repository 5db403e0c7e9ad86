// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import TestSupport
import Testing

/// The command lines of the samples.
@Suite(.limited, .timeLimit(.minutes(5)), .serialized) struct CommandLineTests {
  static let programs = ["BoardApp", "ExtraWindows", "HeroesApp", "PhotoGallery", "SharedDates"]

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
    #expect(lines.first?.hasPrefix("\(name): ") == true && lines.contains("Commands of all samples:"))
    // Each command has a description, and no line is wider than a terminal.
    #expect(lines.count { $0.hasPrefix("  ") } > 20 && lines.allSatisfy { $0.columnCount <= 80 })
    #expect(try await SampleProgram(name: name).run("help\n:help\n").all == lines + lines)
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
