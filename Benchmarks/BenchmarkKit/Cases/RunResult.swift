// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// A whole run, as it is written to a file.
package struct RunResult: Sendable, Codable, Equatable {
  /// Where and how a run was made.
  package struct Circumstances: Sendable, Codable, Equatable {
    package var date: String
    package var system: String
    package var processor: String
    package var processorCount: Int
    package var memoryKibibytes: Int
    package var compiler: String
    /// What repeats the run.
    package var command: String

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
  }

  /// What cannot be read is refused by its number.
  package static let currentFormat = 1

  package var format = Self.currentFormat
  package var circumstances: Circumstances
  /// What was left out and why, for the reader.
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

  /// Reads what `jsonData` has written.
  ///
  /// - Throws: `DecodingError`, also for another format.
  package init(jsonData: Data) throws {
    self = try JSONDecoder().decode(RunResult.self, from: jsonData)
    guard format == Self.currentFormat else {
      throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "results of format \(format)"))
    }
  }

  /// For programs and for `report`: sorted and indented, with a line's end.
  package var jsonData: Data {
    get throws {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
      return try encoder.encode(self) + [0x0A]
    }
  }
}
