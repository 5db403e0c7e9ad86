// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropTransport
import Glibc

/// A source process and a sink process joined by a pipe, timed together.
struct TwoProcesses: Sendable {
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// One run.
  struct Measurement: Sendable {
    let seconds: Double
    /// What the sink has counted.
    let count: Int
    /// Of whichever process had more.
    let peakResidentKibibytes: Int
  }

  let source: BenchmarkRole
  let sink: BenchmarkRole
  let heroCount: Int
  var megabytes = 1
  let path: String
  /// Where the sink writes, if that is elsewhere.
  var sinkPath: String?
  /// Of the plain programs: how much is read and written at once.
  var chunkLength: Int?

  func run() async throws -> Measurement {
    let data = try SystemCalls.pipe()
    let start = try SystemCalls.pipe()
    let ready = try SystemCalls.pipe()
    let counted = try SystemCalls.pipe()
    let sinkPeak = try SystemCalls.pipe()
    let sinkProcess = try child(sink, sinkPath ?? path, input: data.read, output: counted.write, errors: sinkPeak.write)
    let sourceProcess = try child(source, path, input: start.read, output: data.write, errors: ready.write)
    for end in [data.read, data.write, start.read, ready.write, counted.write, sinkPeak.write] {
      try SystemCalls.close(end)
    }
    defer { for end in [start.write, ready.read, counted.read, sinkPeak.read] { close(end) } }

    var byte: UInt8 = 0
    guard read(ready.read, &byte, 1) == 1 else { throw Failure(description: "\(source) did not start") }
    let clock = ContinuousClock()
    let begin = clock.now
    write(start.write, &byte, 1)
    let sourceEnding = await sourceProcess.waitForEnd()
    let sinkEnding = await sinkProcess.waitForEnd()
    let seconds = (clock.now - begin) / .seconds(1)
    guard sourceEnding.exitCode == 0, sinkEnding.exitCode == 0 else {
      throw Failure(description: "\(source) ended with \(sourceEnding), \(sink) with \(sinkEnding)")
    }
    return Measurement(
      seconds: seconds, count: try number(from: counted.read),
      peakResidentKibibytes: max(try number(from: ready.read), try number(from: sinkPeak.read)))
  }

  private func child(
    _ role: BenchmarkRole, _ path: String, input: CInt, output: CInt, errors: CInt
  ) throws(SystemError) -> ChildProcess {
    if let chunkLength { setenv("PLAIN_LENGTH", "\(chunkLength)", 1) } else { unsetenv("PLAIN_LENGTH") }
    return try ChildProcess(
      "/proc/self/exe",
      ["--role", role.rawValue, "--heroes", "\(heroCount)", "--megabytes", "\(megabytes)", "--path", path],
      input: input,
      output: output, errors: errors)
  }

  private func number(from descriptor: CInt) throws -> Int {
    var text = [UInt8](repeating: 0, count: 64)
    let count = read(descriptor, &text, text.count)
    let digits = String(decoding: text.prefix(max(0, count)), as: UTF8.self).prefix { $0.isNumber }
    guard let number = Int(digits) else { throw Failure(description: "\(source) or \(sink) counted nothing") }
    return number
  }
}
