// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import TestSupport
import Testing

/// The command lines of the samples.
@Suite(.limited, .timeLimit(.minutes(10)), .serialized) struct CommandLineTests {
  static let programs = ["BoardApp", "ExtraWindows", "HeroesApp", "PhotoGallery", "SharedDates"]

  @Test(arguments: programs)
  func rejectsUnknownOptions(name: String) async throws {
    for word in ["--sate", "extra"] {
      let outcome = try await SampleProgram(name: name, arguments: [word]).run("")
      #expect(outcome.exitCode == 1)
      #expect(outcome.errors.hasPrefix("unknown option \(word); "), "\(outcome.errors)")
      #expect(outcome.errors.contains("--script FILE"))
    }
  }

  @Test(arguments: programs)
  func helpListsCommandsOfSampleAndTerminal(name: String) async throws {
    let program = SampleProgram(name: name, arguments: ["--help"])
    let help = try await program.run("")
    #expect(help.exitCode == 0)
    #expect(help.errors == "")
    #expect(help.lines.first?.hasPrefix("\(name): ") == true)
    #expect(help.lines.contains("Commands of all samples:"))
    // Each command has a description, and no line is wider than a terminal.
    #expect(help.lines.filter { $0.hasPrefix("  ") }.count > 20)
    #expect(help.lines.allSatisfy { $0.columnCount <= 80 })
    let typed = try await SampleProgram(name: name).run("help\n:help\n")
    #expect(typed.exitCode == 0)
    #expect(typed.lines == help.lines + help.lines)
  }

  @Test func readsAnyScriptFileOrReportsWhyNot() async throws {
    for (script, code, message) in [
      ("/dev/null", 0, ""), ("missing", 1, "cannot read the script missing: No such file or directory\n"),
      (".", 1, "cannot read the script .: Is a directory\n"),
    ] as [(String, Int32, String)] {
      let outcome = try await SampleProgram(name: "ExtraWindows", arguments: ["--script", script]).run("")
      #expect(outcome.exitCode == code)
      #expect(outcome.errors == message)
    }
  }
}
