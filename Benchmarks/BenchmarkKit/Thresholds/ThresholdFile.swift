// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// What was counted when the thresholds were recorded.
package struct ThresholdFile: Sendable, Codable, Equatable {
  /// With another compiler or processor the instructions are others; allocations hardly are.
  package var compiler: String
  package var processor: String
  package var probes: [String: ProbeCount]

  package init(compiler: String, processor: String, probes: [String: ProbeCount]) {
    self.compiler = compiler
    self.processor = processor
    self.probes = probes
  }

  /// Reads what `jsonData` has written.
  ///
  /// - Throws: `DecodingError`.
  package init(jsonData: Data) throws {
    self = try JSONDecoder().decode(ThresholdFile.self, from: jsonData)
  }

  /// Sorted and indented, each number as short as it is true, so that changes can be read.
  package var jsonData: Data {
    get throws {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
      var rounded = self
      rounded.probes = probes.mapValues(\.rounded)
      return try encoder.encode(rounded) + [0x0A]
    }
  }
}

extension ProbeCount {
  fileprivate var rounded: ProbeCount {
    func short(_ value: Double) -> Double { (value * 100).rounded() / 100 }
    var rounded = ProbeCount(
      allocations: short(allocations), allocatedBytes: allocatedBytes.rounded(), systemCalls: short(systemCalls),
      copiedBytes: copiedBytes.rounded(), instructions: instructions?.rounded())
    rounded.allowance = allowance
    return rounded
  }
}
