// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// Where the demo tells what happened.
struct DemoOutput: Sendable {
  let environment: ToolEnvironment
  /// Whether that is one document at the end, and nothing before.
  let isJSON: Bool

  /// Tells people how it goes on.
  func write(_ text: String) async throws {
    if !isJSON { try await environment.write(text) }
  }

  /// Tells how it has ended: programs the report, people the text.
  func end(with report: some Encodable, _ text: String) async throws {
    try await environment.write(isJSON ? try JSONOutput().text(report) + "\n" : text)
  }
}
