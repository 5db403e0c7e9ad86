// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport

@testable import DragPipeTool

/// A command that is never run.
protocol SampleCommand: ToolCommand {}

extension SampleCommand {
  init(_ arguments: ParsedArguments) throws(ToolFailure) { throw ToolFailure(.usage, "") }
  func run(in environment: ToolEnvironment) async throws {}
}

/// A command with an option of every kind.
///
/// Its texts are full of characters that are special in a shell.
enum CarryCommand: SampleCommand {
  static let name = "carry"
  static let summary = "Carries it's [burden]: $HOME, `ls` \\ and (more)."
  static let forms = ["FILE…"]
  static let operand = ArgumentCompletion.file
  static let options = [
    OptionSpecification(name: "quick", short: "q", summary: "don't wait: $(touch pwned) [now] \\ `touch pwned`"),
    OptionSpecification(name: "output", short: "o", value: ArgumentValue("FILE", .file), summary: "where to"),
    OptionSpecification(name: "folder", short: "C", value: ArgumentValue("DIR", .directory), summary: "where: there"),
    OptionSpecification(
      name: "type", short: "t", value: ArgumentValue("TYPE=FILE", .type), isRepeatable: true, summary: "what"),
    OptionSpecification(name: "to", value: ArgumentValue("ENDPOINT", .endpoint), summary: "where to"),
    OptionSpecification(name: "as", value: ArgumentValue("KIND", .words(["hero", "card"])), summary: "what"),
    OptionSpecification(name: "run", value: ArgumentValue("COMMAND", .command), summary: "what"),
    OptionSpecification(name: "name", value: "NAME", summary: "how"),
  ]
}

/// A command with a subcommand.
enum GroupCommand: SampleCommand {
  static let name = "group"
  static let summary = "Has others."
  static let forms: [String] = []
  static let subcommands: [any ToolCommand.Type] = [FolderCommand.self, CarryCommand.self]
}

enum FolderCommand: SampleCommand {
  static let name = "folder"
  static let summary = "Takes directories."
  static let forms = ["DIR"]
  static let operand = ArgumentCompletion.directory
}

extension CompletionShell {
  static let sampleCommands: [any ToolCommand.Type] = [CarryCommand.self, GroupCommand.self]

  /// Creates a directory with the script and some files.
  ///
  /// Its program `.program` replaces `dragpipe`: it knows two types, and writes all other arguments to the file
  /// `calls`.
  func sampleDirectory(for commands: [any ToolCommand.Type] = sampleCommands) throws -> TemporaryDirectory {
    let directory = try TemporaryDirectory()
    try directory.write(Data(script(for: commands).utf8), to: "_dragpipe")
    // The shell creates the program: if this process did, a child of another test might still have the file open.
    try directory.write(
      Data(
        #"""
        #!/bin/sh
        if [ "$1 $2" = "types list" ]; then
          printf 'public.jpeg\tjpeg,jpg\timage/jpeg\npublic.png\tpng\timage/png\n'
        else
          for word; do printf '[%s]' "$word"; done >> calls
          echo >> calls
        fi
        """#.utf8), to: ".program")
    for name in ["saga one.txt", "saga=2.txt", "wire:3.txt"] { try directory.write(Data(), to: name) }
    for name in ["sagas", "walhalla"] {
      try FileManager.default.createDirectory(at: directory.file(name), withIntermediateDirectories: false)
    }
    return directory
  }
}
