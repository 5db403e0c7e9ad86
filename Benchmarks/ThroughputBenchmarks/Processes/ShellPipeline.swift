// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import BenchmarkKit
import DropSystem
import DropTransport
import Foundation
import Glibc
import Synchronization

/// A pipeline of programs in a shell.
///
/// The time is measured from the start signal to the end of the shell.
struct ShellPipeline: Sendable {
  /// The script of the shell.
  ///
  /// Its variables `$1`, `$2` … are the arguments.
  let script: String
  let arguments: [String]

  init(_ script: String, _ arguments: String...) {
    self.script = script
    self.arguments = arguments
  }

  func run(_ purpose: Benchmark.Purpose) async throws -> Sample {
    let start = try OwnedPipe()
    let ready = try OwnedPipe()
    // The shell starts before the clock, so its own start is not measured for any contender.
    let shell = try MeasuredProcess(
      "/bin/sh", ["-c", "echo; read -r go; \(script)", "sh"] + arguments, input: start.read.raw,
      output: ready.write.raw)
    try start.read.close()
    try ready.write.close()
    guard try ready.read.readByte() else { throw MeasurementFailure("the shell did not start") }
    let watch = purpose == .counting ? MemoryWatch(below: shell.processIdentifier) : nil
    let begin = ContinuousClock.now
    try start.write.writeByte()
    let ending = await shell.waitForEnd()
    let seconds = (ContinuousClock.now - begin) / .seconds(1)
    let peak = watch?.stop()
    guard ending.exitCode == 0 else { throw MeasurementFailure("\(script) ended with \(ending)") }
    return Sample(seconds: [seconds], peakKibibytes: peak, memoryMeasure: .process)
  }
}

/// A monitor of the memory of all descendants of a process.
///
/// It is used only when no time is measured, since it would distort the time.
private final class MemoryWatch: Sendable {
  private let peak = Atomic<Int>(0)
  private let isStopped = Atomic<Bool>(false)

  init(below process: Int32) {
    Thread.detachNewThread { [self] in
      while !isStopped.load(ordering: .relaxed) {
        look(below: "\(process)", depth: 3)
        usleep(500)
      }
    }
  }

  private func look(below process: String, depth: Int) {
    guard depth > 0,
      let text = try? String(contentsOfFile: "/proc/\(process)/task/\(process)/children", encoding: .utf8)
    else { return }
    for child in text.split(separator: " ") {
      _ = peak.max(ResidentMemory.peakKibibytes(of: String(child)), ordering: .relaxed)
      look(below: String(child), depth: depth - 1)
    }
  }

  /// Stops the monitor.
  ///
  /// - Returns: The maximum resident memory of a single process in KiB, or `nil` if all processes ended unseen.
  func stop() -> Int? {
    isStopped.store(true, ordering: .relaxed)
    let value = peak.load(ordering: .relaxed)
    return value > 0 ? value : nil
  }
}
