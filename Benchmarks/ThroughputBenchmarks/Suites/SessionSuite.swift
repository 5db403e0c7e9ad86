// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import BenchmarkKit
import DropSystem
import DropTransport
import FoundationEssentials
import Glibc

/// Sessions between two processes, compared with blocking calls on a socket of the same kind.
struct SessionSuite: Sendable {
  private static let plain = "blocking calls on a socket, unchecked"

  let workload: Workload
  let workspace: Workspace
  let rounds: Int

  var benchmarks: [Benchmark] {
    [
      benchmark(
        .latency, "100 bytes asked for, half of all", .items, .peer, goals: [.seconds(60e-6)]),
      benchmark(
        .latency, "100 bytes asked for beside four busy loops, half of all", .items, .peer, loopCount: 4,
        goals: [.ratio(to: Self.plain, atLeast: 0.2)]),
      benchmark(.tail, "100 bytes asked for, 99 of 100", .items, .peer, goals: [.ratio(to: Self.plain, atLeast: 0.25)]),
      benchmark(.bytes, "bytes, checked", .bytes, .peer, goals: [.ratio(to: Self.plain, atLeast: 0.5)]),
      benchmark(.handOver, "an open file of 1 GiB passed", .items, .peer, goals: [.seconds(1e-3)]),
    ]
  }

  private func benchmark(
    _ subject: SessionRole.Subject, _ name: String, _ unit: WorkUnit, _ kind: Contender.Kind, loopCount: Int = 0,
    goals: [Goal]
  ) -> Benchmark {
    Benchmark(
      .session, name, unit, amount: Double(SessionRole.amount(subject, workload.byteCount)),
      contenders: [Contender("dragpipe session", .ours), Contender(Self.plain, kind)], goals: goals
    ) { _ in
      let path = try await workspace.file("original") { path in
        let file = try OwnedDescriptor.open(path, O_RDWR | O_CREAT | O_EXCL, 0o600)
        try SystemCalls.truncate(file.raw, Int64(SessionRole.fileLength))
      }
      return try await Self.besideLoops(loopCount) {
        try await Self.measure(subject, workload.byteCount, rounds: rounds, path)
      }
    }
  }

  /// Measures while endless loops of other processes occupy the processors.
  private static func besideLoops(
    _ count: Int, _ measure: () async throws -> Benchmark.Block
  ) async throws -> Benchmark.Block {
    let loops = try (0..<count).map { _ in try ChildProcess("sh", ["-c", "while :; do :; done"], leadsGroup: true) }
    let result: Result<Benchmark.Block, any Error>
    do { result = .success(try await measure()) } catch { result = .failure(error) }
    for loop in loops { loop.send(signal: SIGKILL) }
    for loop in loops { _ = await loop.waitForEnd() }
    return try result.get()
  }

  static var scaling: ScalingCase {
    ScalingCase(
      suite: .session, name: "bytes asked for", unit: .bytes, limit: ScalingCase.bytes,
      contenders: [Contender("dragpipe session", .ours), Contender(plain, .peer)]
    ) { try await measure(.bytes, $0, rounds: 1, "/dev/null").samples }
  }

  private static func measure(
    _ subject: SessionRole.Subject, _ byteCount: Int, rounds: Int, _ path: String
  ) async throws -> Benchmark.Block {
    let arguments = [subject.rawValue, "\(byteCount)", "\(rounds)", path]
    let ends = try OwnedPipe(ofSockets: ())
    let plain = try OwnedPipe(ofSockets: ())
    let results = try OwnedPipe()
    let source = try MeasuredProcess(
      OwnProcess.path, ["--role", "session-source"] + arguments, input: ends.read.raw, errors: plain.read.raw)
    let sink = try MeasuredProcess(
      OwnProcess.path, ["--role", "session-sink"] + arguments, input: ends.write.raw, output: results.write.raw,
      errors: plain.write.raw)
    // Closes this process's copies of the ends. A process would not get the end of its input while a copy is open.
    try ends.read.close()
    try ends.write.close()
    try plain.read.close()
    try plain.write.close()
    try results.write.close()
    let data = try PlainPipe.readToEnd(of: results.read.raw)
    let endings = [await source.waitForEnd(), await sink.waitForEnd()]
    guard endings.allSatisfy({ $0.exitCode == 0 }) else {
      throw MeasurementFailure("the source ended with \(endings[0]), the sink with \(endings[1])")
    }
    return try JSONDecoder().decode(Benchmark.Block.self, from: data)
  }
}
