// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import BenchmarkKit

/// How much each case moves; the processes of one run all have the same.
struct Workload: Sendable, Hashable {
  let heroCount: Int
  let megabytes: Int

  var cardCount: Int { heroCount * 10 }
  var numberCount: Int { heroCount * 50 }
  var streamedItemCount: Int { heroCount * 50 }
  var byteCount: Int { megabytes * 1_000_000 }
  /// Of one `Data`; more would only measure the kernel's pages.
  var dataLength: Int { min(64, max(1, megabytes / 4)) << 20 }
  /// Items of the file that one is had from.
  var fileItemCount: Int { min(100_000, heroCount * 20) }
  /// Of each of them: a hundred thousand are ten times as much as crosses a pipe.
  var fileItemLength: Int { max(1, megabytes * 100) }
  /// Items of a file that is written in each round, and files of an archive.
  var archivedItemCount: Int { max(1, fileItemCount / 40) }
  /// Of each item that is written in each round.
  var writtenItemLength: Int { max(1, megabytes * 200) }

  init(heroCount: Int, megabytes: Int) {
    self.heroCount = heroCount
    self.megabytes = megabytes
  }

  init(_ options: RunOptions) {
    self.init(heroCount: options.itemCount, megabytes: options.megabytes)
  }

  /// For a process that is to have the same.
  var arguments: [String] { ["\(heroCount)", "\(megabytes)"] }

  init?(_ arguments: ArraySlice<String>) {
    let numbers = arguments.compactMap { Int($0) }.filter { (1...10_000_000).contains($0) }
    guard numbers.count == 2, arguments.count == 2 else { return nil }
    self.init(heroCount: numbers[0], megabytes: numbers[1])
  }
}
