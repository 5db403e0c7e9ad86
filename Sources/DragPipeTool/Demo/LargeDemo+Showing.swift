// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import ItemTransfer

/// The parent's part: a bar for each transfer, and what came of them.
extension LargeDemo {
  func show(_ output: DemoOutput) async throws {
    let report = try await PrivateDirectory.lend { try await show(output, temporaryFilesIn: $0) }
    guard report.cancelled.left.isEmpty else {
      throw ToolFailure(.failure, "the cancelled transfer has left \(report.cancelled.left.text)")
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
        source       process \(numbers.source) offers \(ProgressAmounts.bytes(UInt64(byteCount))), made as it is asked for
        destination  process \(numbers.destination) takes it through a socket, and then half of it

        """)
      guard case .whole(let bytes, let seconds) = try await watch(events, output.environment),
        case .cancelled(let taken) = try await watch(events, output.environment)
      else { throw DemoEvents.Silence() }
      var left = LargeDemoReport.Cancellation.Rest()
      var stop: (made: Int64, heard: String)?
      while let event = try await events.next() {
        switch event {
        case .stopped(let made, let heard): stop = (made, heard)
        case .closed(let descriptors): left.descriptors += max(0, descriptors)
        default: break
        }
      }
      guard let stop else { throw DemoEvents.Silence() }
      left.files = try await runBlocking { try directory.entryCount() }
      return LargeDemoReport(
        processes: numbers, transferred: .init(bytes: bytes, seconds: seconds),
        cancelled: .init(bytes: taken, made: stop.made, heard: stop.heard, left: left))
    }
  }

  /// Shows a transfer as far as the destination tells of it.
  ///
  /// - Returns: How it has ended.
  private func watch(_ events: DemoEvents, _ environment: ToolEnvironment) async throws -> DemoEvent {
    let progress = TransferProgress("taking", mode: progressMode, environment: environment, delay: .zero)
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
          case .moved(let bytes), .whole(let bytes, _), .cancelled(let bytes):
            progress.advance(by: Int(bytes - seen))
            seen = bytes
          default: break
          }
          if case .whole = event { return event }
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
