// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// A small fixed piece of work whose counts are the same each time.
struct Probe: Sendable {
  let name: String
  /// So many items that what each takes stands out, and for the second look so many more.
  let counts: (few: Int, many: Int)
  /// How many allocations more are chance.
  let allowance: Double?
  /// Does the work with so many items, and for each the burden.
  let run: @Sendable (Int, Burden) async throws -> Void

  init(
    _ name: String, _ few: Int = 200, _ many: Int = 1200, allowance: Double? = nil,
    run: @escaping @Sendable (Int, Burden) async throws -> Void
  ) {
    self.name = name
    counts = (few, many)
    self.allowance = allowance
    self.run = run
  }

  static let all = CodingProbes.all + ObjectProbes.all + TransportProbes.all
}
