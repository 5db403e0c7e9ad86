// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import BenchmarkKit
internal import Foundation
import TestSupport
internal import Testing

@Suite("Thresholds", .serialized, .limited, .timeLimit(.minutes(5)))
struct ThresholdTests {
  private let recorded = ThresholdFile(
    compiler: "Swift 6.3", processor: "x86_64",
    probes: [
      "card": ProbeCount(allocations: 2, allocatedBytes: 148, systemCalls: 0.05, copiedBytes: 219, instructions: 2900)
    ])

  private func check(_ change: (inout ThresholdFile) -> Void, isWhole: Bool = true) -> ThresholdCheck {
    var counted = recorded
    change(&counted)
    return ThresholdCheck(counted, against: recorded, isWhole: isWhole)
  }

  @Test("equal counts are within the threshold")
  func equalCountsPass() {
    #expect(check { _ in }.breaches.isEmpty)
    #expect(check { _ in }.remarks.isEmpty)
  }

  @Test("an additional allocation for each item is a breach")
  func additionalAllocationIsABreach() {
    let check = check { $0.probes["card"]?.allocations = 3 }
    #expect(check.breaches.map(\.description) == ["card: 3.00 allocations an item, recorded 2.00"])
  }

  @Test("counts may differ a little from run to run")
  func smallDifferencesPass() {
    #expect(breaches { $0.allocations = 2.2 }.isEmpty)
    #expect(breaches { $0.instructions = 3150 }.isEmpty)
    #expect(breaches { $0.instructions = 3250 } == ["instructions"])
    #expect(breaches { $0.copiedBytes = 440 } == ["copied bytes"])
    #expect(breaches { $0.systemCalls = 1 } == ["system calls"])
  }

  private func breaches(_ change: (inout ProbeCount) -> Void) -> [String] {
    check { file in
      var count = file.probes["card"] ?? ProbeCount(allocations: 0, allocatedBytes: 0, systemCalls: 0, copiedBytes: 0)
      change(&count)
      file.probes["card"] = count
    }.breaches.map(\.what)
  }

  @Test("instructions of another compiler are not compared, which is reported")
  func otherCompilersAreNotCompared() {
    let check = check {
      $0.compiler = "Swift 6.4"
      $0.probes["card"]?.instructions = 9000
    }
    #expect(check.breaches.isEmpty)
    #expect(check.remarks.count == 1)
  }

  @Test("smaller counts should be recorded")
  func smallerCountsShouldBeRecorded() {
    let check = check { $0.probes["card"]?.allocations = 1 }
    #expect(check.breaches.isEmpty)
    #expect(check.remarks == ["card: only 1.00 allocations an item, recorded 2.00"])
  }

  @Test("a probe without a record, or a record without a probe, is a breach")
  func unrecordedProbeIsABreach() {
    let added = check { $0.probes["hero"] = $0.probes["card"] }
    #expect(added.breaches.map(\.probe) == ["hero"])
    #expect(check { $0.probes = [:] }.breaches.map(\.probe) == ["card"])
    #expect(check({ $0.probes = [:] }, isWhole: false).breaches.isEmpty)
  }

  @Test("counts of another configuration are not overwritten")
  func otherConfigurationsAreKept() {
    var debug = recorded
    debug.configuration = "debug"
    #expect(throws: ThresholdFile.Refusal.self) { try debug.recorded(over: recorded, isWhole: true) }
    #expect(throws: Never.self) { try debug.recorded(over: nil, isWhole: true) }
  }

  @Test("recording a part keeps the rest, and instructions that were not counted")
  func recordingAPartKeepsTheRest() throws {
    var old = recorded
    old.probes["hero"] = ProbeCount(allocations: 9, allocatedBytes: 9, systemCalls: 9, copiedBytes: 9)
    let now = ThresholdFile(
      compiler: "Swift 6.3", processor: "x86_64",
      probes: ["card": ProbeCount(allocations: 1, allocatedBytes: 100, systemCalls: 0, copiedBytes: 10)])
    let part = try now.recorded(over: old, isWhole: false)
    #expect(part.probes["hero"] == old.probes["hero"])
    #expect(part.probes["card"]?.allocations == 1 && part.probes["card"]?.instructions == 2900)
    #expect(try now.recorded(over: old, isWhole: true).probes.keys.sorted() == ["card"])
    let check = ThresholdCheck(now, against: recorded, isWhole: true)
    #expect(check.remarks.contains("instructions are recorded but were not counted, so that they are not compared"))
  }

  @Test("part of another machine's counts is not recorded, and its instructions are kept")
  func partOfAnotherMachineIsNotRecorded() {
    var now = recorded
    now.processor = "aarch64"
    #expect(throws: ThresholdFile.Refusal.self) { try now.recorded(over: recorded, isWhole: false) }
    #expect(throws: Never.self) { try now.recorded(over: recorded, isWhole: true) }
    now.probes["card"]?.instructions = nil
    #expect(throws: ThresholdFile.Refusal.self) { try now.recorded(over: recorded, isWhole: true) }
  }

  @Test("the cost of an item is the difference between more and fewer items")
  func itemCostIsADifference() {
    let few = ProbeCount(allocations: 500, allocatedBytes: 9000, systemCalls: 7, copiedBytes: 100, instructions: 1e6)
    let many = ProbeCount(allocations: 700, allocatedBytes: 19000, systemCalls: 7, copiedBytes: 90, instructions: 3e6)
    #expect(
      ProbeCount(few, many, items: 100)
        == ProbeCount(allocations: 2, allocatedBytes: 100, systemCalls: 0, copiedBytes: 0, instructions: 20_000))
    #expect(few.least(many).allocations == 500)
  }

  @Test("the file has a readable form and round-trips")
  func fileRoundTripsInReadableForm() throws {
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
