// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import DropTransport
internal import FoundationEssentials
internal import ItemTransfer
internal import Synchronization
internal import UniformTypes

/// The demo that sends a large item through a socket twice: first completely, then until the destination cancels it.
struct LargeDemo: Sendable {
  let byteCount: Int64
  let progressMode: ProgressMode

  private static let refusal = "cancelled half way"

  // MARK: The source

  /// Offers the item twice.
  ///
  /// The destination refuses the second drop half way through.
  func offer(_ environment: ToolEnvironment) async throws {
    let descriptors = try await OpenDescriptors()
    let second = LargeContent(byteCount: byteCount)
    let reason = try await DropStream.withSession(over: session(environment)) { session in
      _ = try await session.offer([item(LargeContent(byteCount: byteCount))])
      do {
        _ = try await session.offer([item(second)])
        return "the drop was kept"
      } catch let error as DropStreamError where error.code == .refused {
        return error.senderFailure?.reason ?? ""
      }
    }
    try await DemoEvent.stopped(made: second.madeByteCount, reason: reason).send(to: environment)
    try await DemoEvent.closed(descriptors: descriptors.growth()).send(to: environment)
  }

  private func item(_ content: LargeContent) -> ItemProvider {
    let provider = ItemProvider(suggestedName: "large")
    provider.registerStream(.data, size: .exact(content.byteCount)) { _ in content }
    return provider
  }

  // MARK: The destination

  /// Receives the first item completely, then half of the second item.
  func take(_ environment: ToolEnvironment) async throws {
    let descriptors = try await OpenDescriptors()
    try await DropStream.withSession(over: session(environment)) { session in
      var drops = session.drops.makeAsyncIterator()
      guard let first = try await drops.next() else { throw Self.missing }
      let start = ContinuousClock.now
      let count = try await load(first.items, environment)
      try await DemoEvent.completed(bytes: count, seconds: (.now - start) / .seconds(1)).send(to: environment)
      try await first.finish(.copy)

      guard let second = try await drops.next() else { throw Self.missing }
      let loaded = try await load(second.items, upTo: byteCount / 2, environment)
      try await DemoEvent.cancelled(bytes: loaded).send(to: environment)
      try await second.refuse(because: Self.refusal)
      // The source ends the session.
      while try await drops.next() != nil {}
    }
    try await DemoEvent.closed(descriptors: descriptors.growth()).send(to: environment)
  }

  /// Receives the content and discards it.
  ///
  /// If there is a limit, cancels the load as soon as the limit is reached.
  private func load(
    _ items: [ItemProvider], upTo limit: Int64? = nil, _ environment: ToolEnvironment
  ) async throws -> Int64 {
    guard let item = items.first else { throw Self.missing }
    let progress = ItemProgress()
    var count: Int64 = 0
    var lastEvent = ContinuousClock.now
    do {
      for try await chunk in try await item.bytes(for: .data, progress: progress) {
        count += Int64(chunk.count)
        if let limit, count >= limit { progress.cancel() }
        guard .now - lastEvent >= ProgressPresenter.interval / 2 else { continue }
        lastEvent = .now
        try await DemoEvent.moved(bytes: count).send(to: environment)
      }
    } catch let error as ItemProviderError where error.code == .cancelled && limit != nil && !Task.isCancelled {
      return count
    }
    guard limit == nil else { throw ToolFailure(.failure, "the transfer completed although it was cancelled") }
    return count
  }

  private static var missing: ToolFailure { ToolFailure(.peerGone, "the source ended without an offer") }

  private func session(_ environment: ToolEnvironment) throws -> DropEndpoint {
    .descriptor(try SystemCalls.duplicate(environment.input))
  }
}

/// The methods of the parent process, which shows a progress line for each transfer and the report.
extension LargeDemo {
  func show(_ output: DemoOutput) async throws {
    let report = try await PrivateDirectory.with { try await show(output, temporaryFilesIn: $0) }
    guard report.cancelled.left.isEmpty else {
      throw ToolFailure(.failure, "after the cancelled transfer, \(report.cancelled.left.text) remained")
    }
    try await output.end(with: report, report.text)
  }

  private func show(
    _ output: DemoOutput, temporaryFilesIn directory: PrivateDirectory
  ) async throws -> LargeDemoReport {
    try await DemoProcesses.with(
      joinedBy: .socket, options: ["--large", "--size", "\(byteCount)"], variables: ["TMPDIR": directory.path]
    ) { processes in
      let (numbers, events) = (processes.numbers, processes.events)
      try await output.write(
        """
        source       process \(numbers.source) offers \(ProgressAmounts.bytes(UInt64(byteCount))), generated on request
        destination  process \(numbers.destination) receives it through a socket, and then half of it again

        """)
      guard case .completed(let bytes, let seconds) = try await watch(events, output.environment),
        case .cancelled(let taken) = try await watch(events, output.environment)
      else { throw DemoEvents.Silence() }
      var left = LargeDemoReport.Cancellation.Rest()
      var stop: (made: Int64, reason: String)?
      while let event = try await events.next() {
        switch event {
        case .stopped(let made, let reason): stop = (made, reason)
        case .closed(let descriptors): left.descriptors += max(0, descriptors)
        default: break
        }
      }
      guard let stop else { throw DemoEvents.Silence() }
      left.files = try await runBlocking { try directory.entryCount() }
      return LargeDemoReport(
        processes: numbers, transferred: .init(bytes: bytes, seconds: seconds),
        cancelled: .init(bytes: taken, made: stop.made, reason: stop.reason, left: left))
    }
  }

  /// Shows the progress of one transfer, from the events of the destination.
  ///
  /// - Returns: The last event of the transfer.
  private func watch(_ events: DemoEvents, _ environment: ToolEnvironment) async throws -> DemoEvent {
    let progress = TransferProgress("receiving", mode: progressMode, environment: environment, delay: .zero)
    let total = UInt64(byteCount)
    progress.setTotal(bytes: total, items: 1)
    var ending: DemoEvent?
    do {
      return try await progress.showing {
        progress.begin(item: nil, byteCount: total)
        progress.enter(.transferring)
        var seen: Int64 = 0
        while true {
          let event = try await events.expected()
          switch event {
          case .moved(let bytes), .completed(let bytes, _), .cancelled(let bytes):
            progress.advance(by: Int(bytes - seen))
            seen = bytes
          default: break
          }
          if case .completed = event { return event }
          guard case .cancelled = event else { continue }
          ending = event
          throw CancellationError()
        }
      }
    } catch is CancellationError {
      guard let ending else { throw CancellationError() }
      return ending
    }
  }
}

/// Bytes that are generated on request.
///
/// All chunks of the content differ.
final class LargeContent: AsyncSequence, Sendable {
  private static let chunkLength = 256 << 10

  let byteCount: Int64
  private let made = Lock<Int64>(0)

  init(byteCount: Int64) {
    self.byteCount = byteCount
  }

  /// The number of bytes that all iterators together have generated so far.
  var madeByteCount: Int64 { made.withLock { $0 } }

  func makeAsyncIterator() -> Iterator { Iterator(content: self) }

  struct Iterator: AsyncIteratorProtocol {
    fileprivate let content: LargeContent
    private var offset: Int64 = 0

    fileprivate init(content: LargeContent) {
      self.content = content
    }

    mutating func next() async throws -> Data? {
      let count = Int(Swift.min(Int64(LargeContent.chunkLength), content.byteCount - offset))
      guard count > 0 else { return nil }
      let chunk = LargeContent.chunk(of: count, at: offset)
      offset += Int64(count)
      content.made.withLock { $0 += Int64(count) }
      return chunk
    }
  }

  /// Returns the chunk that starts at `offset`.
  private static func chunk(of count: Int, at offset: Int64) -> Data {
    let stamp = Swift.withUnsafeBytes(of: offset.littleEndian) { Data($0) }
    var chunk = stamp
    chunk.reserveCapacity(chunkLength)
    chunk += pattern
    return chunk.prefix(count)
  }

  /// The bytes that follow the offset in every chunk.
  private static let pattern = Data((0..<chunkLength - 8).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 3) })
}

/// The number of descriptors that this process had open at one moment, to find leaks.
struct OpenDescriptors {
  /// The time that threads have, after their work, to close their descriptors.
  private static let closingTime = Duration.seconds(1)
  /// The targets of descriptors that the Swift runtime opens at first use and never closes.
  private static let runtimes: Set = ["anon_inode:[timerfd]", "anon_inode:[eventpoll]"]

  /// The path of a directory with one link for each open descriptor.
  private let folder: String
  private let count: Int

  init(folder: String = "/proc/self/fd") async throws {
    // A sleep makes the runtime open its timer, which would otherwise look like a leak later.
    try await Task.sleep(for: .milliseconds(1))
    self.folder = folder
    count = try Self.count(in: folder)
  }

  /// Returns the increase in the number of open descriptors; negative if it has decreased.
  ///
  /// Waits at most a second for additional descriptors to be closed.
  func growth() async throws -> Int {
    let end = ContinuousClock.now + Self.closingTime
    while true {
      let growth = try Self.count(in: folder) - count
      if growth <= 0 || .now >= end { return growth }
      try await Task.sleep(for: .milliseconds(5))
    }
  }

  private static func count(in folder: String) throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: folder).count { name in
      // The link of the listed directory's own descriptor is stale, since that descriptor is closed by now.
      guard let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(name)") else {
        return false
      }
      return !runtimes.contains(target)
    }
  }
}
