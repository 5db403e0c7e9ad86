// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// A small fixed piece of work whose counts are the same each time.
struct Probe: Sendable {
  /// So many items of it, with what they are made from.
  struct Work {
    /// Does it, and for each item the burden.
    let run: (Burden) async throws -> Void
    /// Removes what was made for it.
    var finish: () -> Void = {}
  }

  let name: String
  /// So many items that what each takes stands out, and for the second look so many more.
  let counts: (few: Int, many: Int)
  /// How many allocations more are chance.
  let allowance: Double?
  /// How many allocations a slowed copy makes too much for each item: more than chance may hide.
  let burden: Int
  /// Says why it cannot be counted here; nil where it can.
  let obstacle: @Sendable () async throws -> String?
  /// Makes what so many items of it need, which is not counted.
  ///
  /// The second number is that of the longest work: where what is needed takes longer for more items, it is to take as
  /// long for less of them, as valgrind counts from the start of a process.
  let prepare: @Sendable (Int, Int) async throws -> Work

  init(
    _ name: String, _ few: Int = 200, _ many: Int = 1200, allowance: Double? = nil, burden: Int = 1,
    obstacle: @escaping @Sendable () async throws -> String? = { nil },
    prepare: @escaping @Sendable (Int, Int) async throws -> Work
  ) {
    self.name = name
    counts = (few, many)
    self.allowance = allowance
    self.burden = burden
    self.obstacle = obstacle
    self.prepare = prepare
  }

  static let all = CodingProbes.all + ObjectProbes.all + TransportProbes.all
}
