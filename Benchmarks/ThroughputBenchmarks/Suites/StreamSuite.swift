// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import BenchmarkKit

/// Transfers of items and bytes from one process to another through a pipe.
struct StreamSuite: Sendable {
  static let plainLengths = [4 << 10, 16 << 10, 64 << 10, 256 << 10]
  static let plainGroup = "best of read and write"

  let workload: Workload
  let workspace: Workspace

  var benchmarks: [Benchmark] { heroes + [fileBytes, fileToFile, memory, itemsTaken, itemsDecoded] }

  // MARK: Items

  private var heroes: [Benchmark] {
    [
      heroes("heroes, native type as CBOR", .dropOwnHeroSource),
      heroes("heroes, all representations", .dropHeroSource),
    ]
  }

  private func heroes(_ name: String, _ source: StreamRole) -> Benchmark {
    pairs(
      name, .items, workload.heroCount,
      [
        (Contender("dragpipe, verified", .ours), source, .dropHeroSink),
        (Contender("Foundation JSON, one array", .peer), .arraySource, .arraySink),
        (Contender("Foundation JSON, a line each", .peer), .lineSource, .lineSink),
      ])
  }

  /// The case that receives items without decoding them.
  ///
  /// Its peers only find the end of each message.
  private var itemsTaken: Benchmark {
    pairs(
      "cards as single items, received", .items, workload.streamedItemCount,
      [
        (Contender("dragpipe, verified", .ours), .dropCardSource, .dropItemSink),
        (Contender("Foundation JSON, lines split, unchecked", .peer), .cardLineSource, .splitLineSink),
        (Contender("by hand, messages split, unchecked", .limit), .handCardSource, .splitMessageSink),
      ], goals: [.rate(400_000), .peakKibibytes(32 << 10)])
  }

  private var itemsDecoded: Benchmark {
    pairs(
      "cards as single items, decoded", .items, workload.streamedItemCount,
      [
        (Contender("dragpipe, verified", .ours), .dropCardSource, .dropCardSink),
        (Contender("Foundation JSON, a line each", .peer), .cardLineSource, .cardLineSink),
        (Contender("by hand, unchecked", .limit), .handCardSource, .handCardSink),
      ], goals: [.peakKibibytes(32 << 10)])
  }

  private func pairs(
    _ name: String, _ unit: WorkUnit, _ count: Int, _ sides: [(Contender, StreamRole, StreamRole)], goals: [Goal] = []
  ) -> Benchmark {
    let task = StreamRole.Task(count)
    let pairs = sides.map { ProcessPair($0.1, $0.2, task, expecting: count) }
    return Benchmark(.stream, name, unit, amount: Double(count), contenders: sides.map(\.0), goals: goals) {
      try await pairs[$0].run($1)
    }
  }

  // MARK: Bytes

  private var fileBytes: Benchmark {
    bytes("from a file, counted", (.dropFileSource, .dropByteSink), (.plainFileSource, .plainByteSink), goals: [])
  }

  private var memory: Benchmark {
    bytes(
      "from memory, counted", (.dropMemorySource, .dropByteSink), (.plainMemorySource, .plainByteSink),
      goals: [.ratio(to: Self.plainGroup, atLeast: 0.5), .peakKibibytes(32 << 10)])
  }

  private func bytes(
    _ name: String, _ ours: (StreamRole, StreamRole), _ plain: (StreamRole, StreamRole), goals: [Goal]
  ) -> Benchmark {
    Benchmark(
      .stream, name, .bytes, amount: Double(workload.byteCount),
      contenders: [Contender("dragpipe, verified", .ours)] + Self.plainContenders, goals: goals
    ) { index, purpose in
      let (path, count) = (try await workspace.source(workload.byteCount), workload.byteCount)
      guard index > 0 else {
        let task = StreamRole.Task(count, path: path)
        return try await ProcessPair(ours.0, ours.1, task, expecting: count).run(purpose)
      }
      let task = StreamRole.Task(count, path: path, length: Self.plainLengths[index - 1])
      return try await ProcessPair(plain.0, plain.1, task, expecting: count).run(purpose)
    }
  }

  private static var plainContenders: [Contender] {
    plainLengths.map(plainContender)
  }

  static func plainContender(_ length: Int) -> Contender {
    Contender("read and write, \(length >> 10) KiB, unchecked", .peer, group: plainGroup)
  }

  // MARK: By size

  static var scaling: [ScalingCase] {
    let usual = PlainPipe.usualLength
    let plain = plainLengths.dropFirst().map {
      (plainContender($0), StreamRole.plainMemorySource, StreamRole.plainByteSink, $0)
    }
    return [
      scaling(
        "cards through a pipe", .items, ScalingCase.items,
        [
          (Contender("dragpipe, verified", .ours), .dropCardSource, .dropCardSink, usual),
          (Contender("Foundation JSON, a line each", .peer), .cardLineSource, .cardLineSink, usual),
          (Contender("by hand, unchecked", .limit), .handCardSource, .handCardSink, usual),
        ]),
      scaling(
        "bytes from memory through a pipe", .bytes, ScalingCase.bytes,
        [(Contender("dragpipe, verified", .ours), .dropMemorySource, .dropByteSink, usual)] + plain),
    ]
  }

  private static func scaling(
    _ name: String, _ unit: WorkUnit, _ limit: Int, _ sides: [(Contender, StreamRole, StreamRole, length: Int)]
  ) -> ScalingCase {
    ScalingCase(suite: .stream, name: name, unit: unit, limit: limit, contenders: sides.map(\.0)) { amount in
      var samples: [Sample] = []
      for side in sides {
        let task = StreamRole.Task(amount, length: side.length)
        samples.append(try await ProcessPair(side.1, side.2, task, expecting: amount).run(.timing))
      }
      return samples
    }
  }

  // MARK: From a file to a file

  /// The case that copies a file, with processes that start before the clock.
  ///
  /// ``ToolSuite`` measures whole programs.
  private var fileToFile: Benchmark {
    let count = workload.byteCount
    let sides =
      [(StreamRole.dropFileSource, StreamRole.dropFolderSink, PlainPipe.usualLength)]
      + Self.plainLengths.map { (.plainFileSource, .plainFileSink, $0) }
    let contenders = [Contender("dragpipe, verified", .ours)] + Self.plainContenders
    return Benchmark(
      .stream, "from a file to a file", .bytes, amount: Double(count), contenders: contenders,
      goals: [.ratio(to: Self.plainGroup, atLeast: 0.5), .peakKibibytes(32 << 10)]
    ) { index, purpose in
      let (path, side) = (try await workspace.source(count), sides[index])
      let folder = try workspace.emptyDirectory("in")
      let task = StreamRole.Task(count, path: path, length: side.2)
      let pair = ProcessPair(side.0, side.1, task, sinkPath: folder, expecting: count)
      let sample = try await pair.run(purpose)
      try CopyCheck(of: path, by: contenders[index].name).expectCopy(in: folder, purpose)
      return sample
    }
  }
}
