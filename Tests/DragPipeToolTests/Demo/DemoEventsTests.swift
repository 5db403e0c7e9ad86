// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import DropTransport
import Foundation
import TestSupport
import Testing

@testable import DragPipeTool

@Suite("What the processes of a demonstration tell", .serialized, .limited)
struct DemoEventsTests {
  private let write: CInt
  private let events: DemoEvents

  init() throws {
    let pipe = try SystemCalls.pipe()
    write = pipe.write
    events = DemoEvents(try ChunkSource(.descriptor(pipe.read)))
  }

  private func type(_ text: String) throws {
    try Data(text.utf8).withUnsafeBytes { bytes in try SystemCalls.writeAll(write, bytes) }
  }

  @Test("events come in their order, however they are cut, and other lines are kept as remarks, escaped")
  func order() async throws {
    try await DemoEvent.moved(bytes: 5).tell(ToolEnvironment(output: write))
    try type("dragpipe: no room \u{1B}[2J\n{\"whole\":{\"byt")
    guard case .moved(5)? = try await events.next() else {
      Issue.record("not what was told")
      return
    }
    try type("es\":7,\"seconds\":0.5}}\n\n{\"unknown\":{}}\na\nb\n")
    guard case .whole(7, 0.5)? = try await events.next() else {
      Issue.record("not what was told")
      return
    }
    try SystemCalls.close(write)
    #expect(try await events.next() == nil)
    #expect(await events.remarks == [#"no room \u{1b}[2J"#, #"{"unknown":{}}"#, "a"])
    await #expect(throws: DemoEvents.Silence.self) { _ = try await events.expected() }
  }

  @Test("an event after the listener has ended is reported as undelivered")
  func closed() async throws {
    defer { try? SystemCalls.close(write) }
    await events.close()
    await #expect(throws: OutputClosed.self) {
      try await DemoEvent.moved(bytes: 1).tell(ToolEnvironment(output: write))
    }
  }
}
