// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import DragPipeTool

@Suite("Counting descriptors", .serialized, .limited)
struct OpenDescriptorsTests {
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
  }

  private func open(_ number: Int, _ target: String) throws {
    try FileManager.default.createSymbolicLink(
      atPath: directory.file("\(number)").path, withDestinationPath: target)
  }

  @Test("what stays open is counted, but for what the runtime keeps")
  func growth() async throws {
    try open(0, "/dev/null")
    let before = try await OpenDescriptors(folder: directory.url.path)
    #expect(try await before.growth() == 0)
    for (number, target) in ["anon_inode:[timerfd]", "anon_inode:[eventfd]", "pipe:[1]", "socket:[2]"].enumerated() {
      try open(number + 1, target)
    }
    #expect(try await before.growth() == 3)
  }

  @Test("what is let go of a little later does not count")
  func patience() async throws {
    let before = try await OpenDescriptors(folder: directory.url.path)
    try open(0, "pipe:[1]")
    async let growth = before.growth()
    try await Task.sleep(for: .milliseconds(50))
    try FileManager.default.removeItem(at: directory.file("0"))
    #expect(try await growth == 0)
  }
}
