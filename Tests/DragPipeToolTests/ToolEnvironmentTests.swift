// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import DragPipeTool

@Suite(.serialized, .limited) struct ToolEnvironmentTests {
  @Test func procMustShowThisProcess() throws {
    #expect(ToolEnvironment.isShown(in: "/proc"))
    let directory = try TemporaryDirectory()
    let files = ["self": "cmdline", "\(getpid())": "stat"]
    #expect(!ToolEnvironment.isShown(in: directory.url.path))
    for (folder, file) in files {
      #expect(!ToolEnvironment.isShown(in: directory.url.path))
      try FileManager.default.createDirectory(at: directory.file(folder), withIntermediateDirectories: false)
      try directory.write(Data(), to: "\(folder)/\(file)")
    }
    #expect(ToolEnvironment.isShown(in: directory.url.path))
  }
}
