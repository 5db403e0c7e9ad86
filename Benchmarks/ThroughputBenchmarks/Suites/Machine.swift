// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import BenchmarkKit
import Glibc

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What the run is made on.
enum Machine {
  static func circumstances(_ arguments: [String]) -> RunResult.Circumstances {
    var names = utsname()
    uname(&names)
    // Where the results go is not what repeats them.
    let kept = arguments.enumerated().filter { index, argument in
      !argument.hasPrefix("--json") && (index == 0 || arguments[index - 1] != "--json")
    }
    // Nor is where an interpreter happens to be.
    let words = kept.map { index, argument in
      index > 0 && arguments[index - 1] == "--python" ? "PYTHON" : argument
    }
    let command = (["swift run -c release ThroughputBenchmarks"] + words).joined(separator: " ")
    return RunResult.Circumstances(
      date: Date.now.formatted(.iso8601), system: "\(text(names.sysname)) \(text(names.release))", processor: processor,
      processorCount: sysconf(CInt(_SC_NPROCESSORS_ONLN)), memoryKibibytes: memoryKibibytes, compiler: compiler,
      command: command)
  }

  static var architecture: String {
    var names = utsname()
    uname(&names)
    return text(names.machine)
  }

  static var compiler: String {
    #if compiler(>=6.5)
      "Swift 6.5 or later"
    #elseif compiler(>=6.4)
      "Swift 6.4"
    #else
      "Swift 6.3"
    #endif
  }

  private static var processor: String {
    value(of: "model name", in: "/proc/cpuinfo") ?? architecture
  }

  private static var memoryKibibytes: Int {
    value(of: "MemTotal", in: "/proc/meminfo").flatMap { Int($0.filter(\.isNumber)) } ?? 0
  }

  private static func value(of name: String, in path: String) -> String? {
    guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return nil }
    let line = text.split(separator: "\n").first { $0.hasPrefix(name) }
    guard let value = line?.split(separator: ":", maxSplits: 1).last else { return nil }
    return String(value.drop { $0.isWhitespace })
  }

  private static func text<Field>(_ field: Field) -> String {
    withUnsafeBytes(of: field) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
  }
}
