// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import DropTransport
import Foundation
import TestSupport

@testable import DragPipeTool

/// A run of the tool within this process.
struct ToolRun {
  let exitCode: Int32
  let output: String
  let errors: String

  init(_ arguments: String..., input: Data = Data()) async throws {
    try await self.init(arguments, input: input)
  }

  init(_ arguments: [String], input: Data = Data()) async throws {
    let directory = try TemporaryDirectory()
    let files = ["input", "output", "errors"].map { directory.file($0) }
    try input.write(to: files[0])
    let standard = try OwnedDescriptor.open(files[0].path, O_RDONLY)
    let output = try OwnedDescriptor.open(files[1].path, O_WRONLY | O_CREAT, 0o600)
    let errors = try OwnedDescriptor.open(files[2].path, O_WRONLY | O_CREAT, 0o600)
    exitCode = await Tool.run(
      arguments, in: ToolEnvironment(input: standard.raw, output: output.raw, errors: errors.raw))
    self.output = String(decoding: try Data(contentsOf: files[1]), as: UTF8.self)
    self.errors = String(decoding: try Data(contentsOf: files[2]), as: UTF8.self)
  }

  var outputLines: [Substring] { output.split(separator: "\n") }
  var errorLines: [Substring] { errors.split(separator: "\n") }
}
