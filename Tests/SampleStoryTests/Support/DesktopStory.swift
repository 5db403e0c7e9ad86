// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import TestSupport
import Testing

/// A sample in the windows of a virtual display, with a simulated pointer.
struct DesktopStory {
  let name: String
  var arguments: [String] = []
  /// The width and the height of the screen in pixels.
  var screen = (640, 480)

  /// The time limit of a story, which is less than that of its suite.
  private static let limit = Duration.seconds(25 * 60)

  private func program(on stage: WindowStage) -> SampleProgram {
    SampleProgram(name: name, arguments: ["--desktop"] + arguments, environment: ["DISPLAY=\(stage.display.address)"])
  }

  /// Runs the sample while a closure sends it commands.
  ///
  /// The sample ends with the closure, after all commands. If the closure does not return in time, the story ends, and
  /// the failure names the last step.
  ///
  /// - Returns: The lines that the commands print.
  func run(_ body: @escaping @Sendable (WindowStage, ScriptInput) async throws -> Void) async throws -> [String] {
    let stage = try await WindowStage(screen: screen)
    let program = program(on: stage)
    let input = try ScriptInput()
    async let outcome = program.run(input)
    do {
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await body(stage, input) }
        group.addTask {
          try await Task.sleep(for: Self.limit)
          throw WindowStage.NotReached("the story stopped at \(stage.step)")
        }
        defer { group.cancelAll() }
        try await group.next()
      }
    } catch {
      // The lines of the program show why.
      Issue.record(error)
    }
    try input.send(":quit")
    return try await end(outcome, stage)
  }

  /// Runs a script that waits for the effect of some actions, and repeats the actions until the script ends.
  ///
  /// The actions are repeated, because the window may not show its rows yet.
  ///
  /// - Parameters:
  ///   - script: The script.
  ///   - preparation: The actions that are not repeated.
  ///   - actions: The actions.
  /// - Returns: The lines that the script prints.
  /// - Throws: The errors of the preparation, and those of the start of a program.
  func run(
    _ script: String, after preparation: @escaping @Sendable (WindowStage) async throws -> Void = { _ in },
    repeating actions: @escaping @Sendable (WindowStage) async throws -> Void
  ) async throws -> [String] {
    let stage = try await WindowStage(screen: screen)
    let program = program(on: stage)
    let outcome = try await withThrowingTaskGroup(of: SampleProgram.Outcome?.self) { group in
      group.addTask { try await program.run(script) }
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
    return try await end(outcome, stage)
  }

  private func end(_ outcome: SampleProgram.Outcome, _ stage: WindowStage) async throws -> [String] {
    #expect(outcome.exitCode == 0, "\(outcome.errors) \(outcome.lines)")
    await stage.display.stop()
    return outcome.lines
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
