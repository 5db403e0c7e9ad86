// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import BenchmarkKit
import CAllocationCounter
import DropSystem
import DropTransport
import FoundationEssentials
import Glibc

/// The number of requests of this process to the heap and the kernel.
struct ProcessCounts: Sendable, Codable {
  var allocations: UInt64
  var allocatedBytes: UInt64
  /// The number of read and write calls.
  ///
  /// Calls on sockets are included only while allocations are counted.
  var systemCalls: UInt64
  /// The number of bytes that these calls moved.
  var copiedBytes: UInt64

  static var now: ProcessCounts {
    let account = account()
    return ProcessCounts(
      allocations: allocation_count(), allocatedBytes: allocation_bytes(), systemCalls: account.calls + socket_calls(),
      copiedBytes: account.bytes + socket_bytes())
  }

  func since(_ earlier: ProcessCounts) -> ProcessCounts {
    ProcessCounts(
      allocations: allocations - earlier.allocations, allocatedBytes: allocatedBytes - earlier.allocatedBytes,
      systemCalls: systemCalls - earlier.systemCalls, copiedBytes: copiedBytes - earlier.copiedBytes)
  }

  // MARK: The kernel's account

  /// The cost of reading the counts themselves, which is subtracted.
  nonisolated(unsafe) private static var own: (calls: UInt64, bytes: UInt64) = (0, 0)

  /// Returns the kernel's counts, or zeros if the kernel does not keep them.
  ///
  /// Only one thread may call this function.
  private static func account() -> (calls: UInt64, bytes: UInt64) {
    guard let file = try? OwnedDescriptor.open("/proc/self/io", O_RDONLY) else { return (0, 0) }
    // Reads the file with one call, so that the cost of this call is known.
    var buffer = [UInt8](repeating: 0, count: 1024)
    guard let count = try? buffer.withUnsafeMutableBytes({ try SystemCalls.read(file.raw, $0) }) else { return (0, 0) }
    var (calls, bytes): (UInt64, UInt64) = (0, 0)
    for line in String(decoding: buffer[..<count], as: UTF8.self).split(separator: "\n") {
      let words = line.split(separator: " ")
      guard words.count == 2, let value = UInt64(words[1]) else { continue }
      switch words[0] {
      case "syscr:", "syscw:": calls += value
      case "rchar:", "wchar:": bytes += value
      default: continue
      }
    }
    defer { own = (own.calls + 1, own.bytes + UInt64(count)) }
    return (calls - own.calls, bytes - own.bytes)
  }
}

/// Functions that run this program, or another program, in a new process.
enum OwnProcess {
  static let path = "/proc/self/exe"

  /// Runs this program in a role and waits for its end.
  ///
  /// - Returns: The output.
  static func output(
    _ role: String, _ arguments: [String], environment: [String: String] = [:]
  ) async throws -> Data {
    try await output(of: path, ["--role", role] + arguments, environment: environment)
  }

  /// Runs a program and waits for its end.
  ///
  /// - Returns: The output.
  static func output(
    of program: String, _ arguments: [String], errors: CInt? = nil, environment: [String: String] = [:]
  ) async throws -> Data {
    let pipe = try OwnedPipe()
    let process = try MeasuredProcess(
      program, arguments, output: pipe.write.raw, errors: errors, environment: environment)
    try pipe.write.close()
    let data = try PlainPipe.readToEnd(of: pipe.read.raw)
    let ending = await process.waitForEnd()
    guard ending.exitCode == 0 else {
      throw MeasurementFailure("\(arguments.prefix(3).joined(separator: " ")) ended with \(ending)")
    }
    return data
  }
}

/// The kernel's information about the memory of a process.
enum ResidentMemory {
  /// Returns the maximum resident memory of a process in KiB.
  static func peakKibibytes(of process: String = "self") -> Int {
    guard let status = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8) else { return 0 }
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") } ?? ""
    return Int(line.filter(\.isNumber)) ?? 0
  }
}
