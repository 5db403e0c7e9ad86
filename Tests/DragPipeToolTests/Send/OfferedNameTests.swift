// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropTransport
import Foundation
import TestSupport
import Testing

@testable import DragPipeTool

@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct OfferedNameTests {
  @Test func checkOfAFolderEndsWhenItsTaskIsCancelled() async throws {
    let fixture = try DropFixture(folders: "folder")
    for name in ["a", "b\t", "c"] { try fixture.write([], to: "folder/\(name)") }
    let name = OfferedName(path: fixture.path("folder"))
    #expect(name.refusal(suggestedName: nil)?.code == .unsafeName)
    let refusal = await Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return name.refusal(suggestedName: nil)
    }.value
    #expect(refusal == nil)
  }

  @Test func namesAreNotReturnedToATaskThatWasCancelled() async throws {
    let items = try OfferedItems(try ParsedArguments(["/dev/null"], options: SendCommand.options))
    let context = OfferContext(ToolEnvironment(), try EndpointArgument(nil, of: "to"), idleTimeout: nil)
    #expect(try await items.names(context).map(\.path) == ["/dev/null"])
    let task = Task {
      while !Task.isCancelled { await Task.yield() }
      return try await items.names(context)
    }
    task.cancel()
    await #expect(throws: CancellationError.self) { _ = try await task.value }
  }
}
