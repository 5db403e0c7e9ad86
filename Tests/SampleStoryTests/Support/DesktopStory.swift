// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DisplayWire
import DropSystem
import TestSupport
import Testing

/// A sample in the windows of a virtual display, with a simulated pointer.
struct DesktopStory {
  let name: String
  var arguments: [String] = []
  /// The width and the height of the screen in pixels.
  var screen = (640, 480)

  private func program(on stage: WindowStage) -> SampleProgram {
    SampleProgram(
      name: name, arguments: ["--desktop"] + arguments, environment: ["DISPLAY": "\(stage.display.address)"])
  }

  /// Runs the sample while a closure sends it commands, and returns the lines that they print.
  ///
  /// The sample ends with the closure, after all commands. A failure of the closure names the last step.
  @discardableResult
  func run(_ body: (WindowStage, ScriptInput) async throws -> Void) async throws -> SampleProgram.Lines {
    let stage = try await WindowStage(screen: screen)
    let (program, input) = (program(on: stage), try ScriptInput())
    async let run = program.outcome(input: input.reader.raw)
    do {
      try await body(stage, input)
    } catch {
      // The lines of the program show why.
      Issue.record(error, "\(stage.step)")
    }
    try input.send(":quit")
    return try await end(run, stage)
  }

  /// Runs a script that waits for the effect of some actions, and repeats the actions until the script ends.
  ///
  /// The actions are repeated, because the window may not show its rows yet. The preparation is not.
  func run(
    _ script: String, after preparation: @escaping @Sendable (WindowStage) async throws -> Void = { _ in },
    repeating actions: @escaping @Sendable (WindowStage) async throws -> Void
  ) async throws -> SampleProgram.Lines {
    let stage = try await WindowStage(screen: screen)
    let program = program(on: stage)
    let run = try await withThrowingTaskGroup(of: ProgramRun?.self) { group in
      group.addTask { try await program.outcome(script) }
      group.addTask {
        try await preparation(stage)
        while !Task.isCancelled {
          try? await actions(stage)
          try? await Task.sleep(for: .milliseconds(200))
        }
        return nil
      }
      defer { group.cancelAll() }
      return try #require(try await group.next() ?? nil)
    }
    return try await end(run, stage)
  }

  private func end(_ run: ProgramRun, _ stage: WindowStage) async throws -> SampleProgram.Lines {
    let lines = SampleProgram.Lines(all: run.outputLines.map(String.init))
    #expect(run.exitCode == 0, "\(run.errors) \(lines)")
    await stage.display.stop()
    return lines
  }
}

extension WindowStage {
  /// Returns the frame of the window in front of all others at a location.
  func frameOnTop(at location: (Int16, Int16)) async throws -> X11Rectangle? {
    let root = connection.screen.root
    let window = try await connection.response(
      to: .translateCoordinates(from: root, to: root, x: location.0, y: location.1)
    ).child
    // Another window may vanish meanwhile.
    return try? await connection.response(to: .getGeometry(window)).frame
  }
}

/// A pipe from which a sample reads its commands.
final class ScriptInput: Sendable {
  let reader: OwnedDescriptor
  private let writer: OwnedDescriptor

  init() throws {
    let (reader, writer) = try SystemCalls.pipe()
    self.reader = OwnedDescriptor(reader)
    self.writer = OwnedDescriptor(writer)
  }

  /// Sends lines, which the sample performs in order.
  func send(_ lines: String) throws {
    // This process also has the reader, so the pipe never breaks.
    try SystemCalls.writeAll(writer.raw, Array((lines + "\n").utf8))
  }
}
