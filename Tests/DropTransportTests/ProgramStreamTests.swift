// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import ItemTransfer
import TestSupport
import Testing
import UniformTypes

@testable import DropTransport

/// Streams to and from programs that the transfer starts.
@Suite(.serialized, .limited, .timeLimit(.minutes(10))) struct ProgramStreamTests {
  private static let text = "Hail, Odysseus"

  private static func write(to command: [String]) async throws {
    try await DropStream.withWriter(to: .process(command)) { writer in
      let item = ItemProvider(suggestedName: "greeting")
      item.register(.utf8PlainText) { _ in Data(text.utf8) }
      try await writer.write(item)
    }
  }

  private static func read(from command: [String]) async throws -> [String] {
    try await DropStream.withReader(from: .process(command)) { items in
      var texts: [String] = []
      for try await item in items { texts.append(String(decoding: try await item.data(for: .text), as: UTF8.self)) }
      return texts
    }
  }

  @Test("one program reads a stream as its input, and another writes it as its output")
  func programsReadAndWriteAStream() async throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let file = directory.file("kept").path
    try await Self.write(to: ["sh", "-c", "cat > \"$0\"", file])
    #expect(try await Self.read(from: ["cat", file]) == [Self.text])
    let receipt = try await DropFolder(path: directory.url.path).receive(from: .process(["cat", file]))
    #expect(receipt.files.map(\.name) == ["greeting"])
  }

  @Test("a program that reads the stream and fails has not received it")
  func failedProgramHasNotReceivedTheStream() async throws {
    for command in [["sh", "-c", "cat > /dev/null; exit 3"], ["sh", "-c", "exit 3"]] {
      do {
        try await Self.write(to: command)
        Issue.record("\(command) took it")
      } catch let error as DropStreamError {
        #expect(error.code == .peerGone)
        #expect(error.reason.contains("status 3"), "\(error.reason)")
      }
    }
  }

  @Test("the error of an incomplete stream has the program's status; a missing program is reported as missing")
  func errorOfAnIncompleteStreamHasTheProgramStatus() async throws {
    #expect(await failureCode { _ = try await Self.read(from: ["sh", "-c", "exit 3"]) } == .peerGone)
    #expect(await failureCode { _ = try await Self.read(from: ["true"]) } == .empty)
    #expect(await failureCode { _ = try await Self.read(from: ["echo", "a banner"]) } == .notADropStream)
    #expect(await failureCode { _ = try await Self.read(from: ["no-such-program-anywhere"]) } == .sourceUnavailable)
    #expect(await failureCode { try await Self.write(to: ["no-such-program-anywhere"]) } == .destinationUnavailable)
  }

  @Test("a reader that has ended causes an error, and does not end the writing process")
  func closedReaderIsAnErrorAndDoesNotEndTheProcess() async {
    await #expect(processExitsWith: .success) {
      signal(SIGPIPE, SIG_DFL)
      let pipe = try SystemCalls.pipe()
      try SystemCalls.close(pipe.read)
      let code = await failureCode {
        try await DropStream.withWriter(to: .descriptor(pipe.write)) { try await $0.write(ItemProvider(Data([1]))) }
      }
      exit(code == .peerGone ? 0 : 1)
    }
  }

  @Test("a program that continues after its reader has ended is stopped")
  func programThatContinuesAfterItsReaderIsStopped() async throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let (file, number) = (directory.file("kept").path, directory.file("number").path)
    try await Self.write(to: ["sh", "-c", "cat > \"$0\"", file])
    let command = ["sh", "-c", "echo $$ > \"$1\"; trap '' TERM; cat \"$0\"; exec sleep 600", file, number]
    _ = try await DropStream.withReader(from: .process(command)) { items in
      var items = items.makeAsyncIterator()
      _ = try await items.next()
    }
    let text = try String(contentsOfFile: number, encoding: .utf8)
    let process = try #require(Int32(text.trimmingCharacters(in: .whitespacesAndNewlines)))
    #expect(kill(process, 0) == -1)
  }

  @Test("a cancelled task does not wait for a program that still works")
  func cancelledTaskDoesNotWaitForTheProgram() async throws {
    let task = Task { try await Self.write(to: ["sh", "-c", "cat > /dev/null; exec sleep 600"]) }
    try await Task.sleep(for: .milliseconds(300))
    task.cancel()
    #expect(await failureCode { try await task.value } == .cancelled)
  }
}
