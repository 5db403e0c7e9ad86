// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import BenchmarkKit
import FoundationEssentials
import Glibc

/// The machine and the build that a run measures.
enum Machine {
  static func circumstances(_ arguments: [String], _ options: RunOptions, _ directory: String) async -> Circumstances {
    var names = utsname()
    uname(&names)
    var circumstances = Circumstances(
      date: Date.now.formatted(.iso8601), system: "\(text(names.sysname)) \(text(names.release))", processor: processor,
      processorCount: sysconf(CInt(_SC_NPROCESSORS_ONLN)), memoryKibibytes: memoryKibibytes,
      compiler: compilerWithPatch, command: RepeatingCommand(arguments).text)
    circumstances.configuration = configuration
    circumstances.workload = Circumstances.Workload(
      items: options.itemCount, megabytes: options.megabytes, repetitions: options.repetitions)
    var load = 0.0
    if getloadavg(&load, 1) == 1 { circumstances.load = load }
    circumstances.fileSystem = fileSystem(of: directory)
    circumstances.commit = await Versions.commit()
    circumstances.versions = await Versions.known(python: options.python)
    return circumstances
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

  /// The compiler with its patch version.
  ///
  /// Thresholds do not depend on the patch version.
  private static var compilerWithPatch: String {
    #if compiler(>=6.4)
      compiler
    #elseif compiler(>=6.3.4)
      "Swift 6.3.4 or later"
    #elseif compiler(>=6.3.3)
      "Swift 6.3.3"
    #elseif compiler(>=6.3.2)
      "Swift 6.3.2"
    #elseif compiler(>=6.3.1)
      "Swift 6.3.1"
    #else
      "Swift 6.3.0"
    #endif
  }

  /// The configuration in which this program was built.
  static var configuration: String {
    #if DEBUG
      "debug"
    #else
      "release"
    #endif
  }

  /// Returns the kernel's name for the type of a directory's file system.
  private static func fileSystem(of directory: String) -> String? {
    guard let text = try? String(contentsOfFile: "/proc/self/mountinfo", encoding: .utf8) else { return nil }
    let mounts = text.split(separator: "\n").map { $0.split(separator: " ") }.filter { words in
      guard words.count > 4 else { return false }
      return words[4] == "/" || directory == words[4] || directory.hasPrefix("\(words[4])/")
    }
    // If several file systems are mounted at one path, only the last is visible.
    guard let words = mounts.enumerated().max(by: { ($0.1[4].count, $0.0) < ($1.1[4].count, $1.0) })?.1 else {
      return nil
    }
    return words.firstIndex(of: "-").flatMap { words.indices.contains($0 + 1) ? String(words[$0 + 1]) : nil }
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
