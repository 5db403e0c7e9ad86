// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import BenchmarkKit
import DropSystem
import DropTransport

/// A source process and a sink process, joined by a pipe.
///
/// The time is measured from the start signal to the end of both.
struct ProcessPair: Sendable {
  let source: StreamRole
  let sink: StreamRole
  let sourceTask: StreamRole.Task
  let sinkTask: StreamRole.Task
  /// The number of items or bytes that the sink must receive.
  let expectedCount: Int

  init(_ source: StreamRole, _ sink: StreamRole, _ task: StreamRole.Task, sinkPath: String? = nil, expecting count: Int)
  {
    self.source = source
    self.sink = sink
    sourceTask = task
    var sinkTask = task
    if let sinkPath { sinkTask.path = sinkPath }
    self.sinkTask = sinkTask
    expectedCount = count
  }

  func run(_ purpose: Benchmark.Purpose) async throws -> Sample {
    let data = try OwnedPipe()
    let start = try OwnedPipe()
    let ready = try OwnedPipe()
    let counted = try OwnedPipe()
    let sinkReport = try OwnedPipe()
    let counts = purpose == .counting
    let sinkProcess = try Self.child(
      sink, sinkTask, counts, data.read.raw, counted.write.raw, sinkReport.write.raw)
    let sourceProcess = try Self.child(
      source, sourceTask, counts, start.read.raw, data.write.raw, ready.write.raw)
    // Closes this process's copies of the ends. A process would not get the end of its input while a copy is open.
    try data.read.close()
    try data.write.close()
    try start.read.close()
    try ready.write.close()
    try counted.write.close()
    try sinkReport.write.close()

    guard try ready.read.readByte() else { throw MeasurementFailure("\(source) did not start") }
    let begin = ContinuousClock.now
    try start.write.writeByte()
    let sourceEnding = await sourceProcess.waitForEnd()
    let sinkEnding = await sinkProcess.waitForEnd()
    let seconds = (ContinuousClock.now - begin) / .seconds(1)
    guard sourceEnding.exitCode == 0, sinkEnding.exitCode == 0 else {
      throw MeasurementFailure("\(source) ended with \(sourceEnding), \(sink) with \(sinkEnding)")
    }
    let count = try Self.numbers(from: counted.read.raw).first
    guard count == expectedCount else {
      throw MeasurementFailure("\(sink) got \(count ?? 0) instead of \(expectedCount)")
    }
    return Self.sample(
      seconds, try Self.numbers(from: ready.read.raw), try Self.numbers(from: sinkReport.read.raw), counts)
  }

  private static func child(
    _ role: StreamRole, _ task: StreamRole.Task, _ counts: Bool, _ input: CInt, _ output: CInt, _ errors: CInt
  ) throws(SystemError) -> MeasuredProcess {
    var task = task
    task.counts = counts
    return try MeasuredProcess(
      OwnProcess.path, ["--role", "stream", role.rawValue] + task.arguments, input: input, output: output,
      errors: errors)
  }

  /// Returns the numbers that a process wrote before it ended.
  private static func numbers(from descriptor: CInt) throws -> [Int] {
    String(decoding: try PlainPipe.readToEnd(of: descriptor), as: UTF8.self)
      .split { !$0.isNumber }.compactMap { Int($0) }
  }

  private static func sample(_ seconds: Double, _ one: [Int], _ other: [Int], _ counts: Bool) -> Sample {
    var sample = Sample(seconds: [seconds])
    guard one.count == 4, other.count == 4 else { return sample }
    sample.peakKibibytes = max(one[0], other[0])
    sample.memoryMeasure = .process
    guard counts else { return sample }
    sample.allocations = Double(one[1] + other[1])
    sample.allocatedBytes = Double(one[2] + other[2])
    sample.systemCalls = Double(one[3] + other[3])
    return sample
  }
}
