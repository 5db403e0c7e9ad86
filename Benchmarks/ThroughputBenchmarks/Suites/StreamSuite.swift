// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import BenchmarkKit

/// Items and bytes from one process to another through a pipe.
struct StreamSuite: Sendable {
  static let plainLengths = [4 << 10, 16 << 10, 64 << 10, 256 << 10]
  static let plainGroup = "best of read and write"

  let workload: Workload
  let workspace: Workspace

  var benchmarks: [Benchmark] { heroes + [fileBytes, fileToFile, memory, itemsTaken, itemsDecoded] }

  // MARK: Items

  private var heroes: [Benchmark] {
    [
      heroes("heroes, own type as CBOR", .dropOwnHeroSource),
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

  private var itemsTaken: Benchmark { items("cards as so many items, taken", .dropItemSink, floor: 400_000) }

  private var itemsDecoded: Benchmark { items("cards as so many items, decoded", .dropCardSink, floor: nil) }

  private func items(_ name: String, _ sink: StreamRole, floor: Double?) -> Benchmark {
    pairs(
      name, .items, workload.streamedItemCount,
      [
        (Contender("dragpipe, verified", .ours), .dropCardSource, sink),
        (Contender("Foundation JSON, a line each", .peer), .cardLineSource, .cardLineSink),
        (Contender("by hand, unchecked", .limit), .handCardSource, .handCardSink),
      ], goals: (floor.map { [.rate($0)] } ?? []) + [.peakKibibytes(32 << 10)])
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
      let (path, count) = (try source(), workload.byteCount)
      guard index > 0 else {
        let task = StreamRole.Task(count, path: path)
        return try await ProcessPair(ours.0, ours.1, task, expecting: count).run(purpose)
      }
      let task = StreamRole.Task(count, path: path, length: Self.plainLengths[index - 1])
      return try await ProcessPair(plain.0, plain.1, task, expecting: count).run(purpose)
    }
  }

  private static var plainContenders: [Contender] {
    plainLengths.map { Contender("read and write, \($0 >> 10) KiB, unchecked", .peer, group: plainGroup) }
  }

  private func source() throws -> String {
    try workspace.file("source") { try BenchmarkFile.make($0, byteCount: workload.byteCount) }
  }

  // MARK: From a file to a file

  private var fileToFile: Benchmark {
    let shells = Self.shells
    return Benchmark(
      .stream, "from a file to a file", .bytes, amount: Double(workload.byteCount),
      contenders: [Contender("dragpipe, verified", .ours)] + shells.map { Contender($0.name, .peer) }
        + Self.plainContenders,
      goals: [
        .ratio(to: "cat | cat", atLeast: 1), .ratio(to: Self.plainGroup, atLeast: 0.5), .peakKibibytes(32 << 10),
      ]
    ) { index, purpose in
      let (path, count) = (try source(), workload.byteCount)
      let folder = try workspace.emptyDirectory("in")
      if index == 0 {
        let task = StreamRole.Task(count, path: path)
        return try await ProcessPair(.dropFileSource, .dropFolderSink, task, sinkPath: folder, expecting: count)
          .run(purpose)
      }
      if index <= shells.count {
        let shell = shells[index - 1]
        let sample = try await ShellPipeline(shell.script, path, folder + "/copy").run(purpose)
        try workspace.expect(count, in: folder, of: shell.name)
        return sample
      }
      let task = StreamRole.Task(count, path: path, length: Self.plainLengths[index - 1 - shells.count])
      return try await ProcessPair(.plainFileSource, .plainFileSink, task, sinkPath: folder, expecting: count)
        .run(purpose)
    }
  }

  /// What a shell has for it.
  private static var shells: [(name: String, script: String)] {
    [
      ("cat", "cat | cat", "cat < \"$1\" | cat > \"$2\""),
      ("dd", "dd | dd, 64 KiB", "dd bs=64k status=none < \"$1\" | dd bs=64k status=none > \"$2\""),
      ("pv", "pv | cat", "pv -q < \"$1\" | cat > \"$2\""),
    ].filter { InstalledPrograms.has($0.0) }.map { (name: $0.1, script: $0.2) }
  }
}
