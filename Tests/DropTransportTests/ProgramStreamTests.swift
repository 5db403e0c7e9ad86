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
@Suite(.serialized, .limited, .timeLimit(minutes: 10)) struct ProgramStreamTests {
  private static let text = "Hail, Odysseus"

  private static func write(to command: [String]) async throws {
    try await DropStream.withWriter(to: .process(command)) { writer in
      let item = ItemProvider(named: "greeting", loading: .utf8PlainText) { _ in Data(text.utf8) }
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

  @Test func programsReadAndWriteAStream() async throws {
    let directory = try TemporaryDirectory()
    let file = directory.file("kept").path
    try await Self.write(to: ["sh", "-c", "cat > \"$0\"", file])
    #expect(try await Self.read(from: ["cat", file]) == [Self.text])
    let receipt = try await DropFolder(path: directory.url.path).receive(from: .process(["cat", file]))
    receipt.expect(files: ["greeting"])
  }

  @Test func failedProgramHasNotReceivedTheStream() async throws {
    for command in [["sh", "-c", "cat > /dev/null; exit 3"], ["sh", "-c", "exit 3"]] {
      let error = try await requireDropError(.peerGone) { try await Self.write(to: command) }
      #expect(error.reason.contains("status 3"), "\(error.reason)")
    }
  }

  @Test func errorOfAnIncompleteStreamHasTheProgramStatus() async throws {
    await expectFailure(.peerGone) { _ = try await Self.read(from: ["sh", "-c", "exit 3"]) }
    await expectFailure(.empty) { _ = try await Self.read(from: ["true"]) }
    await expectFailure(.notADropStream) { _ = try await Self.read(from: ["echo", "a banner"]) }
    await expectFailure(.sourceUnavailable) { _ = try await Self.read(from: ["no-such-program-anywhere"]) }
    await expectFailure(.destinationUnavailable) { try await Self.write(to: ["no-such-program-anywhere"]) }
  }

  @Test func closedReaderIsAnErrorAndDoesNotEndTheProcess() async {
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

  @Test func programThatContinuesAfterItsReaderIsStopped() async throws {
    let directory = try TemporaryDirectory()
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

  @Test func cancelledTaskDoesNotWaitForTheProgram() async throws {
    let directory = try TemporaryDirectory()
    let mark = directory.file("mark").path
    let task = Task { try await Self.write(to: ["sh", "-c", "cat > /dev/null; : > \"$0\"; exec sleep 600", mark]) }
    try await wait(for: "a program that has read the stream") { FileManager.default.fileExists(atPath: mark) }
    task.cancel()
    await expectFailure(.cancelled) { try await task.value }
  }
}

/// Sessions with programs that are started for them, and programs that do not speak the protocol.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct ProcessCarrierTests {
  private static func failure(of command: [String], idleTimeout: Duration? = nil) async -> DropStreamError? {
    let options = DropStreamOptions.setting { $0.idleTimeout = idleTimeout }
    return await #expect(throws: DropStreamError.self) {
      try await DropStream.withSession(over: .process(command), options: options) { session in
        for try await _ in session.drops {}
      }
    }
  }

  @Test func missingFailedOrForeignProgramIsReported() async throws {
    for (command, code, reason) in [
      (["/no/such/program"], .sourceUnavailable, ""), (["no-such-program-anywhere"], .sourceUnavailable, ""),
      (["sh", "-c", "exit 3"], .peerGone, "status 3"), (["echo", "hello, I am a login banner"], .notADropStream, ""),
    ] as [([String], DropStreamError.Code, String)] {
      let error = await Self.failure(of: command)
      #expect(error?.code == code && (reason.isEmpty || error?.reason.contains(reason) == true), "\(command)")
    }
  }

  @Test func silentProgramTimesOutAndIsStopped() async throws {
    let directory = try TemporaryDirectory()
    let file = directory.file("pid")
    let command = ["sh", "-c", "echo $$ > \(file.path); trap '' TERM; exec sleep 600"]
    // On a busy machine, the program may be stopped before it has written its number.
    try await wait(for: "a program that starts in time") {
      let error = await Self.failure(of: command, idleTimeout: .milliseconds(500))
      #expect(error?.code == .timedOut && error?.description == "no handshake from the peer within 0.5 seconds")
      return (try? String(contentsOf: file, encoding: .utf8))?.hasSuffix("\n") == true
    }
    let text = try String(contentsOf: file, encoding: .utf8)
    let process = try #require(Int32(text.trimmingCharacters(in: .whitespacesAndNewlines)))
    #expect(kill(process, 0) == -1)
  }

  @Test func idleTimeoutReplacesTheHandshakeTimeoutOfThirtySeconds() async throws {
    var options = DropStreamOptions()
    for (idleTimeout, expected) in [(nil, 30), (60, 60), (3600, 3600)] as [(Int?, Int)] {
      options.idleTimeout = idleTimeout.map { .seconds($0) }
      // The program returns all its input, so that this side receives its own handshake.
      let limit = try await DropStream.withSession(over: .process(["cat"]), options: options) { $0.handshakeTimeout }
      #expect(limit == .seconds(expected))
    }
  }
}
