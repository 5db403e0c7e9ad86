// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

/// Command lines of the desktop's windows, and of web objects, that are refused before anything is opened.
@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct DropCommandOptionTests {
  @Test(arguments: [
    (["drop", "--accept", ".png"], "--accept needs DIR, --exec or --target"),
    (["drop", "--target", "A=in/", "--to", "a.drop"], "--target needs DIR, --exec or --target"),
    (["drop", "in", "--to", "a.drop"], "--to cannot be combined with DIR and --exec"),
    (["drop", "--to", "clipboard:"], "--to takes a pipe, a file or a session here"),
    (["drop", "--to", "desktop:"], "--to takes a pipe, a file or a session here"),
    (["drop", "--to", "https://store.example/a.drop"], "--to cannot write to a web server"),
    (["send", "--to", "https://store.example/a.drop", "a"], "--to cannot write to a web server"),
    (["send", "--to", "unix:a", "--indexed", "a"], "--indexed needs a pipe or a file"),
    (["drop", "--to", "stdio:"], "a session at --to stdio: has one drop; use --once"),
    (["drop", "--sync"], "--sync needs a file to flush"),
    (["drop", "--print", "uri", "in"], "--print takes no directory"),
    (["drop", "--print", "uri", "--to", "a.drop"], "--to cannot be combined with --print"),
    (["drop", "--print", "name"], "--print name is unknown"),
    (["drop", "-0"], "--null needs --print"),
    (["paste", "-0"], "--null needs --print"),
    (["receive", "--from", "desktop:", "--move", "in"], "--move needs a sender that can respond"),
    (["send", "--to", "desktop", "a"], "unknown endpoint desktop"),
  ])
  func aCommandLineWithoutAMeaningIsRefused(arguments: [String], message: String) async throws {
    let run = try await ToolRun(arguments)
    #expect(run.exitCode == 64)
    #expect(run.errors.contains(message), "\(run.errors)")
  }
}
