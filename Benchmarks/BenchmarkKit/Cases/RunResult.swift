// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials

/// The results of a run, as they are stored in a file.
package struct RunResult: Sendable, Codable, Equatable {
  /// The supported version of the format.
  ///
  /// A file of another version is refused.
  package static let currentFormat = 1

  package var format = Self.currentFormat
  package var circumstances: Circumstances
  /// Remarks about the run, such as the reasons why cases were left out.
  package var remarks: [String]
  package var cases: [CaseResult]
  package var curves: [Curve]

  package init(
    circumstances: Circumstances, remarks: [String] = [], cases: [CaseResult] = [], curves: [Curve] = []
  ) {
    self.circumstances = circumstances
    self.remarks = remarks
    self.cases = cases
    self.curves = curves
  }

  /// The number of cases, contenders and curves that were measured incompletely or not at all.
  package var failureCount: Int {
    cases.reduce(0) { count, result in
      count + (result.failure == nil ? 0 : 1) + result.contenders.count { $0.failure != nil }
    } + curves.count { $0.failure != nil }
  }

  /// Decodes results from JSON.
  ///
  /// - Throws: `DecodingError` for malformed data or another version of the format.
  package init(jsonData: Data) throws {
    self = try JSONDecoder().decode(RunResult.self, from: jsonData)
    guard format == Self.currentFormat else {
      throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "results of format \(format)"))
    }
  }

  /// The results as sorted and indented JSON, which ends with a newline.
  package var jsonData: Data {
    get throws {
      return try JSONEncoder.readable.encode(self) + [0x0A]
    }
  }
}

/// The circumstances of a run.
///
/// The times of two runs are comparable only under the same circumstances.
package struct Circumstances: Sendable, Codable, Equatable {
  /// The size of the work of each case, and the number of repetitions.
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
  /// The command that repeats the run.
  package var command: String
  /// The commit of this package's source code, or `nil` if it is unknown.
  package var commit: String?
  /// The build configuration: debug or release.
  package var configuration: String?
  package var workload: Workload?
  /// The mean number of processes that ran, or were ready to run, in the minute before the run.
  package var load: Double?
  /// The file system of the files that the run creates.
  package var fileSystem: String?
  /// The versions of the programs and packages that are compared, by name.
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

  /// All circumstances except the command, for readers.
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
