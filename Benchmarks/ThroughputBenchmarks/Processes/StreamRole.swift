// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import CAllocationCounter
import DragPipe
import FoundationEssentials
import Glibc
import HeroCards

/// The role of one of the two processes of a measurement.
///
/// A source reports on standard error that it is ready. Then it reads one byte from standard input, which starts the
/// clock, and writes to standard output. A sink reads standard input, and writes the number of received items or bytes
/// to standard output. At the end both write their counts to standard error.
enum StreamRole: String, Sendable {
  /// Heroes with all representations, as a drag offers them.
  case dropHeroSource
  /// Heroes with only their native representation.
  case dropOwnHeroSource
  case dropHeroSink
  /// All heroes as one JSON array, encoded and decoded at once.
  case arraySource
  case arraySink
  /// Heroes as JSON, one on each line.
  case lineSource
  case lineSink
  /// Cards as items with only their native type. The item sink receives the items; the card sink also decodes them.
  case dropCardSource
  case dropItemSink
  case dropCardSink
  case cardLineSource
  case cardLineSink
  /// A sink that only finds the end of each line.
  case splitLineSink
  /// Cards written by hand, each after its length.
  case handCardSource
  case handCardSink
  /// A sink that only finds the end of each message.
  case splitMessageSink
  /// The file at the path, and a sink that counts bytes.
  case dropFileSource
  case dropByteSink
  case plainFileSource
  case plainByteSink
  /// The same memory, repeatedly.
  case dropMemorySource
  case plainMemorySource
  /// A sink that keeps the file in the folder at the path.
  case dropFolderSink
  case plainFileSink

  /// The parameters of the two processes.
  struct Task: Sendable {
    /// The number of items or bytes to send.
    var amount: Int
    var path = ""
    /// The buffer length of plain reads and writes.
    var length = PlainPipe.usualLength
    var counts = false

    var arguments: [String] { ["\(amount)", path, "\(length)", counts ? "count" : "time"] }

    init(_ amount: Int, path: String = "", length: Int = PlainPipe.usualLength) {
      self.amount = amount
      self.path = path
      self.length = length
    }

    init?(_ arguments: ArraySlice<String>) {
      let words = Array(arguments)
      guard words.count == 4, let amount = Int(words[0]), amount > 0, let length = Int(words[2]), length > 0 else {
        return nil
      }
      self.init(amount, path: words[1], length: length)
      counts = words[3] == "count"
    }
  }

  func run(_ task: Task) async throws {
    // A sink has no start signal, so its counts include everything from here on.
    if task.counts, isSink { count_allocations(true) }
    let before = ProcessCounts.now
    try await work(task)
    count_allocations(false)
    let counts = ProcessCounts.now.since(before)
    let numbers = [
      UInt64(ResidentMemory.peakKibibytes()), counts.allocations, counts.allocatedBytes, counts.systemCalls,
    ]
    let line = Array(numbers.map { "\($0)" }.joined(separator: " ").utf8)
    _ = write(STDERR_FILENO, line, line.count)
  }

  private var isSink: Bool { rawValue.hasSuffix("Sink") }

  private func work(_ task: Task) async throws {
    switch self {
    case .dropHeroSource, .dropOwnHeroSource, .arraySource, .lineSource, .dropCardSource, .cardLineSource,
      .handCardSource:
      try await StreamSources(task: task).run(self)
    case .dropFileSource, .plainFileSource, .dropMemorySource, .plainMemorySource:
      try await ByteSources(task: task).run(self)
    case .dropHeroSink: print(try await StreamSinks.heroes())
    case .dropItemSink: print(try await StreamSinks.items())
    case .dropCardSink: print(try await StreamSinks.cards())
    case .arraySink: print(try JSONDecoder().decode([Hero].self, from: PlainPipe.readToEnd()).count)
    case .lineSink: print(try StreamSinks.lines(of: Hero.self))
    case .cardLineSink: print(try StreamSinks.lines(of: PlainCard.self))
    case .handCardSink: print(try StreamSinks.handCards())
    case .splitLineSink: print(try StreamSinks.splitLines())
    case .splitMessageSink: print(try StreamSinks.splitMessages())
    case .dropByteSink: print(try await StreamSinks.bytes())
    case .plainByteSink: print(try PlainPipe.countToEnd(length: task.length))
    case .dropFolderSink:
      let receipt = try await DropFolder(path: task.path).receive(from: .standardInput)
      print(receipt.files.reduce(0) { $0 + Int($1.byteCount) })
    case .plainFileSink: print(try PlainPipe.copy(toFileAt: task.path + "/plain", length: task.length))
    }
  }

  /// Reports that the source is ready, waits for the start signal, and then starts counting if the task requires it.
  static func waitForStart(_ task: Task) {
    var byte: UInt8 = 1
    _ = write(STDERR_FILENO, &byte, 1)
    _ = read(STDIN_FILENO, &byte, 1)
    if task.counts { count_allocations(true) }
  }
}
