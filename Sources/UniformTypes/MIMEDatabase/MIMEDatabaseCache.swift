// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Glibc
internal import Synchronization

/// The process's database, which is read on first use and again after its files have changed.
///
/// During a refresh, other callers get the stale database. Before the first load has ended, each caller loads the
/// database itself. Files are read without the lock, so that callers never wait for the disk if the database is fresh.
final class MIMEDatabaseCache: Sendable {
  /// The cache for the environment of the process.
  static let shared = MIMEDatabaseCache(environment: { getenv($0).map { String(cString: $0) } })

  private struct State {
    let database: MIMEDatabase
    /// The status of each file of the database; `nil` for a missing file.
    let files: [FileStatus?]
    /// When the status of the files was checked last.
    var checkTime: ContinuousClock.Instant
  }

  private let environment: @Sendable (String) -> String?
  private let now: @Sendable () -> ContinuousClock.Instant
  private let state = Lock(State?.none)

  /// - Parameters:
  ///   - environment: Returns a variable that determines the directories of the database.
  ///   - now: The clock.
  init(
    environment: @escaping @Sendable (String) -> String?,
    now: @escaping @Sendable () -> ContinuousClock.Instant = { ContinuousClock.now }
  ) {
    self.environment = environment
    self.now = now
  }

  /// Returns the database in a state that was current at most five seconds ago; during a refresh, returns the stale
  /// database.
  func current() -> MIMEDatabase {
    let time = now()
    let (held, isFresh) = state.withLock { state in
      let isFresh = state.map { $0.checkTime <= time && time - $0.checkTime < .seconds(5) } ?? false
      // The caller that sets the time checks the files. Until then, other callers get the stale database.
      if !isFresh { state?.checkTime = time }
      return (state, isFresh)
    }
    if let held, isFresh { return held.database }

    let directories = MIMEDatabase.systemDirectories(environment: environment)
    // The status is read before the files, so that the next check detects a concurrent change.
    let files = directories.map { try? SystemCalls.status(ofPath: "\($0)/\(MIMEDatabase.fileName)") }
    if let held, directories == held.database.directories, files == held.files { return held.database }

    let read = MIMEDatabase(directories: directories)
    return state.withLock { state in
      // On first use, another thread may have been faster.
      if held == nil, let state { return state.database }
      state = State(database: read, files: files, checkTime: time)
      return read
    }
  }
}

extension MIMEDatabase {
  /// Returns the directories of the databases of the user and of the system, by the XDG Base Directory Specification.
  ///
  /// - Parameter environment: Returns a variable: `XDG_DATA_HOME`, `HOME` or `XDG_DATA_DIRS`. Empty values and relative
  ///   directories are ignored.
  /// - Returns: The directories named `mime`, nearest first, whether or not they exist.
  package static func systemDirectories(environment: (String) -> String?) -> [String] {
    func value(_ name: String) -> String? { environment(name).flatMap { $0.isEmpty ? nil : $0 } }
    let home = value("XDG_DATA_HOME") ?? value("HOME").map { "\($0)/.local/share" }
    let others = (value("XDG_DATA_DIRS") ?? "/usr/local/share:/usr/share").split(separator: ":").map(String.init)
    let bases = ([home].compactMap(\.self) + others).filter { $0.hasPrefix("/") && !$0.utf8.contains(0) }
    return bases.prefix(maximumDirectories).map { base in
      var base = base
      while base.hasSuffix("/") { base.removeLast() }
      return "\(base)/mime"
    }.uniqued()
  }
}
