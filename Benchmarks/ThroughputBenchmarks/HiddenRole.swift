// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import BenchmarkKit
import FoundationEssentials

/// The role of a process that this program has started.
struct HiddenRole: Sendable {
  private let name: String
  private let arguments: ArraySlice<String>

  /// Reads a role from the command line, or returns `nil` for a command line of a user.
  init?(_ arguments: [String]) {
    guard arguments.count >= 2, arguments[0] == "--role" else { return nil }
    name = arguments[1]
    self.arguments = arguments[2...]
  }

  func run() async throws {
    switch name {
    case "local": try await measureLocally()
    case "stream":
      guard let role = arguments.first.flatMap({ StreamRole(rawValue: $0) }),
        let task = StreamRole.Task(arguments.dropFirst())
      else { throw unknown }
      try await role.run(task)
    case "by-size": try await measureBySize()
    case "session-source": try await session().runSource()
    case "session-sink": try await session().runSink()
    case "first-lookup":
      guard let side = arguments.first.flatMap({ FirstLookup(rawValue: $0) }) else { throw unknown }
      print(side.measure())
    case "make-file":
      let words = Array(arguments)
      guard words.count == 3, let count = Int(words[0]), let length = Int(words[1]), count > 0, length > 0 else {
        throw unknown
      }
      try await FileSuite.makeFile(count, length, at: words[2])
    case "probe": try await countProbe()
    case "leaks":
      let workspace = try Workspace()
      defer { workspace.remove() }
      try await LeakCheck(directory: workspace.path).run()
    default: throw unknown
    }
  }

  private func countProbe() async throws {
    let words = Array(arguments)
    guard words.count == 3, let probe = Probe.all.first(where: { $0.name == words[0] }), let items = Int(words[1])
    else { throw unknown }
    let count = try await ProbeRun.run(probe, items: items, Burden(words[2] == "slowed" ? probe.burden : 0))
    try PlainPipe.write(JSONEncoder().encode(count))
  }

  private func measureLocally() async throws {
    guard let identifier = arguments.first, let workload = Workload(arguments.dropFirst().prefix(2)),
      let rounds = arguments.last.flatMap({ Int($0) }),
      let item = LocalCase.all(workload).first(where: { $0.identifier == identifier })
    else { throw unknown }
    let role = LocalCaseRole(work: try await item.prepare())
    let block = try await role.run(rounds == 0 ? .counting : .timing, rounds: rounds)
    try PlainPipe.write(JSONEncoder().encode(block))
  }

  private func measureBySize() async throws {
    let words = Array(arguments)
    guard words.count == 2, let count = Int(words[1]), let block = try await LocalScaling.measure(words[0], count)
    else { throw unknown }
    try PlainPipe.write(JSONEncoder().encode(block))
  }

  private func session() throws -> SessionRole {
    let words = Array(arguments)
    guard words.count == 4, let subject = SessionRole.Subject(rawValue: words[0]), let byteCount = Int(words[1]),
      byteCount > 0, let rounds = Int(words[2])
    else { throw unknown }
    return SessionRole(subject: subject, byteCount: byteCount, rounds: rounds, path: words[3])
  }

  private var unknown: UsageError { UsageError("no role \"\(name)\" with these arguments") }
}
