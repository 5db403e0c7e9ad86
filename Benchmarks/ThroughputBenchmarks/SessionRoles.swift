// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DragPipe
import DropTransport
import Foundation
import Glibc

/// The two processes of the session benchmark.
///
/// Standard input is the socket of the session, standard error one for what is compared with it: moments at which the
/// machine is slow must hit both alike.
struct SessionRoles: Sendable {
  private static let shortLength = 100
  private static let chunkLength = 256 << 10
  private static let fileLength = 1 << 30
  private static let (blocks, rounds) = (20, 200)

  let repetitions: Int
  let byteCount: Int
  /// Where the source has its file.
  let path: String

  private var chunkCount: Int { max(1, byteCount / Self.chunkLength) }

  // MARK: The source

  func runSource() async throws {
    try makeFile()
    let plain = Thread { try? answerPlainly() }
    plain.start()
    try await DropStream.withSession(over: .descriptor(STDIN_FILENO)) { session in
      let short = ItemProvider(suggestedName: "short")
      short.register(.data) { _ in Data(count: Self.shortLength) }
      let long = ItemProvider(suggestedName: "long")
      long.registerStream(.data) { _ in RepeatedChunks(chunk: Data(count: Self.chunkLength), left: chunkCount) }
      let original = ItemProvider(contentsOf: URL(fileURLWithPath: path), contentType: .data, openInPlace: true)
      _ = try await session.offer([short, long, original])
    }
  }

  /// Nothing of it is read: how long a hand-over takes does not depend on what there is.
  private func makeFile() throws {
    let file = try OwnedDescriptor.open(path, O_RDWR | O_CREAT | O_EXCL, 0o600)
    ftruncate(file.raw, off_t(Self.fileLength))
  }

  /// A short message is answered with one, a message of one byte with everything.
  private func answerPlainly() throws {
    while true {
      if try PlainSocket.readMessage() == Self.shortLength {
        try PlainSocket.write(Self.shortLength)
      } else {
        for _ in 0..<chunkCount { try PlainSocket.write(Self.chunkLength) }
      }
    }
  }

  // MARK: The sink

  func runSink() async throws {
    try await DropStream.withSession(over: .descriptor(STDIN_FILENO)) { session in
      for try await drop in session.drops {
        try await measureLatency(drop.items[0])
        try await measureBytes(drop.items[1])
        try await measureHandOver(drop.items[2])
        try await drop.finish(.copy)
      }
    }
  }

  private func measureLatency(_ item: ItemProvider) async throws {
    let clock = ContinuousClock()
    var (pings, asked): ([Double], [Double]) = ([], [])
    for _ in 0..<Self.blocks {
      for _ in 0..<Self.rounds {
        let start = clock.now
        try PlainSocket.write(Self.shortLength)
        try PlainSocket.read(Self.shortLength)
        pings.append((clock.now - start) / .microseconds(1))
      }
      for _ in 0..<Self.rounds {
        let start = clock.now
        let data = try await item.data(for: .data)
        asked.append((clock.now - start) / .microseconds(1))
        precondition(data.count == Self.shortLength)
      }
    }
    for (name, part) in [("half of all", 0.5), ("99 of 100", 0.99)] {
      let (session, socket) = (Self.quantile(asked, part), Self.quantile(pings, part))
      Self.line(
        "having 100 bytes, \(name)", "\(Self.text(session)) us, socket \(Self.text(socket)) us", session / socket,
        goal: 4, isMet: session <= 4 * socket)
    }
  }

  private func measureBytes(_ item: ItemProvider) async throws {
    let clock = ContinuousClock()
    let total = chunkCount * Self.chunkLength
    var (plain, bytes): ([Double], [Double]) = ([], [])
    for _ in 0..<repetitions {
      let start = clock.now
      try PlainSocket.write(1)
      try PlainSocket.read(total)
      plain.append((clock.now - start) / .seconds(1))
      let middle = clock.now
      var count = 0
      for try await chunk in try await item.bytes(for: .data) { count += chunk.count }
      bytes.append((clock.now - middle) / .seconds(1))
      precondition(count == total)
    }
    let (session, socket) = (Self.quantile(bytes, 0.5), Self.quantile(plain, 0.5))
    let gibibytes = Double(total) / Double(1 << 30)
    Self.line(
      "bytes, checked", "\(Self.text(gibibytes / session)) GiB/s, socket \(Self.text(gibibytes / socket)) GiB/s",
      socket / session, goal: 0.5, isMet: gibibytes / session >= 4 || socket / session >= 0.5)
  }

  private func measureHandOver(_ item: ItemProvider) async throws {
    let clock = ContinuousClock()
    var handed: [Double] = []
    for _ in 0..<100 {
      let start = clock.now
      handed.append(
        try await item.withInPlaceFile(for: .data) { file in
          precondition(file.isOriginalFile)
          return (clock.now - start) / .milliseconds(1)
        })
    }
    let milliseconds = Self.quantile(handed, 0.5)
    Self.line(
      "an open file of 1 GiB handed over", "\(Self.text(milliseconds)) ms", nil, goal: 1, isMet: milliseconds <= 1)
  }

  private static func quantile(_ values: [Double], _ part: Double) -> Double {
    let sorted = values.sorted()
    return sorted[min(sorted.count - 1, Int(Double(sorted.count) * part))]
  }

  private static func line(_ label: String, _ figure: String, _ ratio: Double?, goal: Double, isMet: Bool) {
    let padding = String(repeating: " ", count: max(1, 44 - label.count))
    let ratio = ratio.map { "  \(text($0)) x" } ?? ""
    Swift.print("  \(label)\(padding)\(figure)\(ratio)  goal \(text(goal))\(isMet ? "" : "  MISSED")")
  }

  private static func text(_ value: Double) -> String { "\((value * 100).rounded() / 100)" }
}

/// The same chunk again and again.
private struct RepeatedChunks: AsyncSequence, AsyncIteratorProtocol, Sendable {
  typealias Element = Data
  typealias Failure = Never

  let chunk: Data
  var left: Int

  func makeAsyncIterator() -> RepeatedChunks { self }

  mutating func next() async -> Data? {
    guard left > 0 else { return nil }
    left -= 1
    return chunk
  }
}

/// What a program does that has no toolkit: blocking calls on a socket, which is standard error.
///
/// Not inlined: the compiler fails on room on the stack within an asynchronous function.
private enum PlainSocket {
  private static let bufferLength = 256 << 10

  @inline(never)
  static func write(_ count: Int) throws {
    try withUnsafeTemporaryAllocation(byteCount: count, alignment: 16) { buffer in
      try SystemCalls.writeAll(STDERR_FILENO, UnsafeRawBufferPointer(buffer))
    }
  }

  @inline(never)
  static func readMessage() throws -> Int {
    try withUnsafeTemporaryAllocation(byteCount: bufferLength, alignment: 16) { try read(into: $0) }
  }

  @inline(never)
  static func read(_ count: Int) throws {
    try withUnsafeTemporaryAllocation(byteCount: min(count, bufferLength), alignment: 16) { buffer in
      var left = count
      while left > 0 { left -= try read(into: UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(left))) }
    }
  }

  private static func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    let count = try SystemCalls.read(STDERR_FILENO, buffer)
    guard count > 0 else { throw TwoProcesses.Failure(description: "the other side has left") }
    return count
  }
}
