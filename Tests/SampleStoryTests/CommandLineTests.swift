// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

/// The command lines of the samples.
@Suite(.limited, .timeLimit(.minutes(10)), .serialized) struct CommandLineTests {
  static let programs = ["BoardApp", "ExtraWindows", "HeroesApp", "PhotoGallery", "SharedDates"]

  @Test(arguments: programs)
  func rejectsUnknownOptions(name: String) async throws {
    for word in ["--sate", "--help", "extra"] {
      let outcome = try await SampleProgram(name: name, arguments: [word]).run("")
      #expect(outcome.exitCode == 1)
      #expect(outcome.errors.hasPrefix("unknown option \(word); "), "\(outcome.errors)")
      #expect(outcome.errors.contains("--script FILE"))
    }
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
