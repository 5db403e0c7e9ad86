// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import BenchmarkKit
internal import Foundation
import TestSupport
internal import Testing

@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct ThresholdTests {
  private let recorded = ThresholdFile(
    compiler: "Swift 6.3", processor: "x86_64",
    probes: [
      "card": ProbeCount(allocations: 2, allocatedBytes: 148, systemCalls: 0.05, copiedBytes: 219, instructions: 2900)
    ])

  private func changed(_ change: (inout ThresholdFile) -> Void) -> ThresholdFile {
    var file = recorded
    change(&file)
    return file
  }

  @Test func onlyGreaterCountsAreBreaches() throws {
    let rows: [(change: (inout ProbeCount) -> Void, breaches: [String])] = [
      ({ _ in }, []), ({ $0.allocations = 2.2 }, []), ({ $0.allocations = 3 }, ["allocations"]),
      ({ $0.instructions = 3150 }, []), ({ $0.instructions = 3250 }, ["instructions"]),
      ({ $0.copiedBytes = 440 }, ["copied bytes"]), ({ $0.systemCalls = 1 }, ["system calls"]),
    ]
    for (index, row) in rows.enumerated() {
      var count = try #require(recorded.probes["card"])
      row.change(&count)
      let check = ThresholdCheck(changed { $0.probes["card"] = count }, against: recorded, isWhole: true)
      #expect(check.breaches.map(\.what) == row.breaches && check.remarks.isEmpty, "row \(index)")
    }
  }

  @Test func breachesAndRemarksAreDescribed() {
    let rows: [(change: (inout ThresholdFile) -> Void, breaches: [String], remarks: [String])] = [
      ({ $0.probes["card"]?.allocations = 3 }, ["card: 3.00 allocations an item, recorded 2.00"], []),
      ({ $0.probes["card"]?.allocations = 1 }, [], ["card: only 1.00 allocations an item, recorded 2.00"]),
      (
        {
          $0.compiler = "Swift 6.4"
          $0.probes["card"]?.instructions = 9000
        }, [], ["recorded with Swift 6.3 on x86_64, so that instructions are not compared"]
      ),
      (
        { $0.probes["card"]?.instructions = nil }, [],
        ["instructions are recorded but were not counted, so that they are not compared"]
      ),
      (
        { $0.probes["hero"] = $0.probes["card"] },
        ["hero: 2.00 allocations, not recorded, an item, recorded 0.000"], []
      ),
    ]
    for row in rows {
      let check = ThresholdCheck(changed(row.change), against: recorded, isWhole: true)
      #expect((check.breaches.map(\.description), check.remarks) == (row.breaches, row.remarks))
    }
  }

  @Test func recordWithoutAProbeIsABreachOfAWholeCheck() {
    let none = changed { $0.probes = [:] }
    let checks = [true, false].map { ThresholdCheck(none, against: recorded, isWhole: $0) }
    #expect(checks.map { $0.breaches.map(\.probe) } == [["card"], []])
  }

  // MARK: Recording

  @Test func countsOfAnotherConfigurationAreNotOverwritten() {
    let debug = changed { $0.configuration = "debug" }
    #expect(throws: ThresholdFile.Refusal.self) { try debug.recorded(over: recorded, isWhole: true) }
    #expect(throws: Never.self) { try debug.recorded(over: nil, isWhole: true) }
  }

  @Test func recordingAPartKeepsTheRestAndInstructionsThatWereNotCounted() throws {
    let hero = ProbeCount(allocations: 9, allocatedBytes: 9, systemCalls: 9, copiedBytes: 9)
    let old = changed { $0.probes["hero"] = hero }
    let now = changed {
      $0.probes["card"] = ProbeCount(allocations: 1, allocatedBytes: 100, systemCalls: 0, copiedBytes: 10)
    }
    let part = try now.recorded(over: old, isWhole: false)
    #expect(part.probes["hero"] == hero)
    #expect(part.probes["card"]?.allocations == 1 && part.probes["card"]?.instructions == 2900)
    #expect(try now.recorded(over: old, isWhole: true).probes.keys.sorted() == ["card"])
  }

  @Test func partOfAnotherMachinesCountsIsNotRecorded() {
    var now = changed { $0.processor = "aarch64" }
    #expect(throws: ThresholdFile.Refusal.self) { try now.recorded(over: recorded, isWhole: false) }
    #expect(throws: Never.self) { try now.recorded(over: recorded, isWhole: true) }
    now.probes["card"]?.instructions = nil
    #expect(throws: ThresholdFile.Refusal.self) { try now.recorded(over: recorded, isWhole: true) }
  }

  @Test func itemCostIsTheDifferenceBetweenMoreAndFewerItems() {
    let few = ProbeCount(allocations: 500, allocatedBytes: 9000, systemCalls: 7, copiedBytes: 100, instructions: 1e6)
    let many = ProbeCount(allocations: 700, allocatedBytes: 19000, systemCalls: 7, copiedBytes: 90, instructions: 3e6)
    #expect(
      ProbeCount(few, many, items: 100)
        == ProbeCount(allocations: 2, allocatedBytes: 100, systemCalls: 0, copiedBytes: 0, instructions: 20_000))
    #expect(few.least(many).allocations == 500)
  }

  @Test func fileRoundTripsInReadableForm() throws {
    let text = """
      {
        "compiler" : "Swift 6.3",
        "probes" : {
          "card" : {
            "allocatedBytes" : 148,
            "allocations" : 2,
            "copiedBytes" : 219,
            "instructions" : 2900,
            "systemCalls" : 0.05
          }
        },
        "processor" : "x86_64"
      }

      """
    #expect(String(decoding: try recorded.jsonData, as: UTF8.self) == text)
    #expect(try ThresholdFile(jsonData: Data(text.utf8)) == recorded)
  }
}
