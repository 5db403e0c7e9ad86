// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials

/// The descriptors that this process had open at one moment.
struct OpenDescriptors {
  /// How long threads that have ended their work may take to let go of theirs.
  private static let patience = Duration.seconds(1)
  /// What the language's runtime opens when it first needs it, and keeps.
  private static let runtimes: Set = ["anon_inode:[timerfd]", "anon_inode:[eventpoll]"]

  /// Where the system shows them, each as a link to what it is.
  private let folder: String
  private let count: Int

  init(folder: String = "/proc/self/fd") async throws {
    // From now on the runtime has what it wakes itself by.
    try await Task.sleep(for: .milliseconds(1))
    self.folder = folder
    count = try Self.count(in: folder)
  }

  /// How many more there are now, and stay.
  func growth() async throws -> Int {
    let end = ContinuousClock.now + Self.patience
    while true {
      let growth = try Self.count(in: folder) - count
      if growth <= 0 || .now >= end { return growth }
      try await Task.sleep(for: .milliseconds(5))
    }
  }

  private static func count(in folder: String) throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: folder).count { name in
      // The one for this look is gone by now.
      guard let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(name)") else {
        return false
      }
      return !runtimes.contains(target)
    }
  }
}
