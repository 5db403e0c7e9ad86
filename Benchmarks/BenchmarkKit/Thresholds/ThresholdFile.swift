// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials

/// The counts of probes.
///
/// Recorded counts are the thresholds of later counts.
package struct ThresholdFile: Sendable, Codable, Equatable {
  /// The reason why counts are not recorded.
  package struct Refusal: Error, Equatable, CustomStringConvertible {
    package let description: String

    init(_ description: String) {
      self.description = description
    }
  }

  /// The compiler.
  ///
  /// The number of instructions depends on it and on the processor; allocations hardly do.
  package var compiler: String
  package var processor: String
  /// The build configuration, or `nil` for a release build.
  package var configuration: String?
  package var probes: [String: ProbeCount]

  package init(
    compiler: String, processor: String, configuration: String? = nil, probes: [String: ProbeCount] = [:]
  ) {
    self.compiler = compiler
    self.processor = processor
    self.configuration = configuration
    self.probes = probes
  }

  /// Decodes thresholds from JSON.
  ///
  /// - Throws: `DecodingError` for malformed data.
  package init(jsonData: Data) throws {
    self = try JSONDecoder().decode(ThresholdFile.self, from: jsonData)
  }

  /// Returns the file to record: the current counts, and the old ones of probes that were not counted.
  ///
  /// - Parameters:
  ///   - old: The recorded thresholds, if there are any.
  ///   - isWhole: Whether all probes were counted. If so, recorded probes without a count are removed.
  /// - Returns: The file to record.
  /// - Throws: `Refusal` if a count would be lost, or if the file would mix configurations or machines.
  package func recorded(over old: ThresholdFile?, isWhole: Bool) throws(Refusal) -> ThresholdFile {
    guard let old else { return self }
    guard configuration == old.configuration else {
      throw Refusal("the recorded counts are from a \(old.configuration ?? "release") build")
    }
    let isSameMachine = compiler == old.compiler && processor == old.processor
    guard isSameMachine || isWhole else {
      throw Refusal("recorded with \(old.compiler) on \(old.processor): record all probes anew, without --filter")
    }
    var file = self
    if !isWhole { file.probes.merge(old.probes) { now, _ in now } }
    for (name, probe) in old.probes {
      guard let instructions = probe.instructions, let now = file.probes[name], now.instructions == nil else {
        continue
      }
      guard isSameMachine else { throw Refusal("instructions are recorded, and would be lost without valgrind") }
      file.probes[name]?.instructions = instructions
    }
    return file
  }

  /// The thresholds as sorted and indented JSON with rounded numbers, so that differences are readable.
  package var jsonData: Data {
    get throws {
      var rounded = self
      rounded.probes = probes.mapValues(\.rounded)
      return try JSONEncoder.readable.encode(rounded) + [0x0A]
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
