// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import BenchmarkKit
import CAllocationCounter
import DragPipe
import DropSystem
import DropTransport
import FoundationEssentials
import Glibc

/// A search for memory and descriptors that are never released.
///
/// Some leaks exist only in optimized code, so tests in a debug build do not show them. The first round of each case
/// fills caches. After that, rounds must not differ.
struct LeakCheck {
  /// The number of objects of each round.
  private static let count = 2000
  private static let rounds = 3
  /// The limit of bytes for each object.
  ///
  /// The allocator and the runtime keep a little memory at times that depend on threads.
  private static let limit = 100.0

  private struct Case: Sendable {
    let name: String
    let work: @Sendable () async throws -> Void
  }

  private let directory: String

  /// - Parameter directory: An empty directory for files.
  init(directory: String) {
    self.directory = directory
  }

  /// Prints the growth of each case.
  ///
  /// - Throws: An error that names the cases that leak.
  func run() async throws {
    try FileManager.default.createDirectory(atPath: directory + "/folder", withIntermediateDirectories: false)
    count_allocations(true)
    var leaks: [String] = []
    for item in cases {
      try await repeatedly(item)
      var states = [try await State.settled]
      for _ in 0..<Self.rounds {
        try await repeatedly(item)
        states.append(try await State.settled)
      }
      let objects = Double(Self.rounds * Self.count)
      let bytes = Double(states[Self.rounds].bytes - states[0].bytes) / objects
      let descriptors = states[Self.rounds].descriptors - states[0].descriptors
      let tenths = (bytes * 10).rounded() / 10
      let growth = "\(tenths) bytes each, \(descriptors) descriptors in all"
      try BenchmarkProgram.print("\(item.name): \(growth), of \(Int(objects))\n")
      if bytes >= Self.limit || descriptors > 0 { leaks.append(item.name) }
    }
    if !leaks.isEmpty { throw BenchmarkProgram.Failure(description: "leaks: \(leaks.joined(separator: ", "))") }
  }

  private func repeatedly(_ item: Case) async throws {
    for _ in 0..<Self.count { try await item.work() }
  }

  /// The memory and the descriptors of the process.
  private struct State {
    let bytes = live_bytes()
    let descriptors: Int

    init() throws {
      descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
    }

    /// The state when it has hardly changed for a quarter of a second, since threads may still end; or that after 5 s.
    static var settled: State {
      get async throws {
        var (state, count) = (try State(), 0)
        for _ in 0..<200 where count < 10 {
          try await Task.sleep(for: .milliseconds(25))
          let now = try State()
          // Each look itself allocates a little.
          let isQuiet = now.descriptors == state.descriptors && abs(now.bytes - state.bytes) < 4096
          count = isQuiet ? count + 1 : 0
          state = now
        }
        return state
      }
    }
  }

  // MARK: The cases

  private var cases: [Case] {
    let content = Data(count: 1000)
    let (drop, folder) = (directory + "/one.drop", directory + "/folder")
    return [
      Case(name: "readers and writers of pipes") {
        let pipe = try SystemCalls.pipe()
        async let sent: Void = DropStream.withWriter(to: .descriptor(pipe.write)) { writer in
          try await writer.write(ItemProvider(content))
        }
        let count = try await DropStream.withReader(from: .descriptor(pipe.read)) { items in
          var count = 0
          for try await item in items { count += try await item.data(for: .data).count }
          return count
        }
        try await sent
        precondition(count == content.count)
      },
      Case(name: "readers that stop early") {
        let pipe = try SystemCalls.pipe()
        _ = try? await DropStream.withReader(from: .descriptor(pipe.read)) { _ in close(pipe.write) }
      },
      Case(name: "drop files") {
        try await DropStream.withWriter(to: .file(drop, replacing: true)) { writer in
          try await writer.write(ItemProvider(content))
        }
        let file = try await DropFile(path: drop)
        let item = try await file.item(at: 0)
        let data = try await item.data(for: .data)
        precondition(data == content)
      },
      Case(name: "received files") {
        let pipe = try SystemCalls.pipe()
        async let sent: Void = DropStream.withWriter(to: .descriptor(pipe.write)) { writer in
          let item = ItemProvider(content)
          item.suggestedName = "one"
          try await writer.write(item)
        }
        let receipt = try await DropFolder(path: folder).receive(from: .descriptor(pipe.read))
        try await sent
        for file in receipt.files { unlink(folder + "/" + file.name) }
      },
      Case(name: "temporary files") {
        try await ItemProvider(content).withFile(for: .data) { file in precondition(!file.path.isEmpty) }
      },
      Case(name: "sessions") {
        let (source, destination) = try SystemCalls.socketPair()
        async let offered: Void = DropStream.withSession(over: .descriptor(source)) { session in
          _ = try await session.offer([ItemProvider(content)])
        }
        try await DropStream.withSession(over: .descriptor(destination)) { session in
          for try await drop in session.drops {
            let data = try await drop.items[0].data(for: .data)
            precondition(data == content)
            try await drop.finish(.copy)
          }
        }
        try await offered
      },
    ]
  }
}
