// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials

/// A whole run, as it is written to a file.
package struct RunResult: Sendable, Codable, Equatable {
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

  /// How many cases, contenders and curves could not be measured, or not as often as they should.
  package var failureCount: Int {
    cases.reduce(0) { count, result in
      count + (result.failure == nil ? 0 : 1) + result.contenders.count { $0.failure != nil }
    } + curves.count { $0.failure != nil }
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
      return try JSONEncoder.readable.encode(self) + [0x0A]
    }
  }
}
