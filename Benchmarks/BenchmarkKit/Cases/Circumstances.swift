// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// Where and how a run was made: what another one must share before their numbers mean the same.
package struct Circumstances: Sendable, Codable, Equatable {
  /// How much each case moves, and how often it was measured.
  package struct Workload: Sendable, Codable, Equatable {
    package var items: Int
    package var megabytes: Int
    package var repetitions: Int

    package init(items: Int, megabytes: Int, repetitions: Int) {
      self.items = items
      self.megabytes = megabytes
      self.repetitions = repetitions
    }
  }

  package var date: String
  package var system: String
  package var processor: String
  package var processorCount: Int
  package var memoryKibibytes: Int
  package var compiler: String
  /// What repeats the run.
  package var command: String
  /// Of this package's source; nil where it is unknown.
  package var commit: String?
  /// Debug or release.
  package var configuration: String?
  package var workload: Workload?
  /// How many processes ran or waited in the last minute, before the run.
  package var load: Double?
  /// Where the run's files were.
  package var fileSystem: String?
  /// The versions of what is compared with, by name.
  package var versions: [String: String]?

  package init(
    date: String, system: String, processor: String, processorCount: Int, memoryKibibytes: Int, compiler: String,
    command: String
  ) {
    self.date = date
    self.system = system
    self.processor = processor
    self.processorCount = processorCount
    self.memoryKibibytes = memoryKibibytes
    self.compiler = compiler
    self.command = command
  }

  /// What a reader should know, apart from the command.
  package var facts: [(name: String, value: String)] {
    var facts = [
      ("made", commit.map { "\(date), at commit \($0)" } ?? date), ("system", system),
      ("processor", "\(processor), \(processorCount) threads"),
      ("memory", Figures.bytes(Double(memoryKibibytes) * 1024)),
      ("compiler", [compiler, configuration].compactMap { $0 }.joined(separator: ", ")),
    ]
    if let workload {
      facts.append(
        ("workload", "\(workload.items) heroes, \(workload.megabytes) MB, \(workload.repetitions) repetitions"))
    }
    if let load { facts.append(("load before", Figures.number(load))) }
    if let fileSystem { facts.append(("files on", fileSystem)) }
    if let versions, !versions.isEmpty {
      let list = versions.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
      facts.append(("compared with", list.joined(separator: "; ")))
    }
    return facts.map { (name: $0.0, value: $0.1) }
  }
}
