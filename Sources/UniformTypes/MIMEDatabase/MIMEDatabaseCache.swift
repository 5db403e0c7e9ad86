// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Glibc
internal import Synchronization

/// The cache of the process's database, which is read on first use and again after its files have changed.
///
/// During a refresh, other callers get the stale database. Before the first load has ended, each caller loads the
/// database itself. Files are read without the lock, so that callers never wait for the disk if the database is fresh.
final class MIMEDatabaseCache: Sendable {
  /// The cache for the environment of the process.
  static let shared = MIMEDatabaseCache(environment: processEnvironment)

  private struct State {
    var database: MIMEDatabase?
    var directories: [String] = []
    /// The status of each file of the database; `nil` for a missing file.
    var files: [FileStatus?] = []
    /// When the status of the files was checked last.
    var checkTime: ContinuousClock.Instant?
  }

  private let environment: @Sendable () -> [String: String]
  private let now: @Sendable () -> ContinuousClock.Instant
  private let interval: Duration
  private let state = Lock(State())

  /// - Parameters:
  ///   - environment: Returns the variables that determine the directories of the database.
  ///   - interval: The time for which the database is used without checking the files.
  ///   - now: The clock.
  init(
    environment: @escaping @Sendable () -> [String: String], interval: Duration = .seconds(5),
    now: @escaping @Sendable () -> ContinuousClock.Instant = { ContinuousClock.now }
  ) {
    self.environment = environment
    self.interval = interval
    self.now = now
  }

  /// Returns the database in a state that was current at most `interval` ago; during a refresh, returns the stale
  /// database.
  ///
  /// The call takes less than a microsecond, unless it checks or reads the files.
  func current() -> MIMEDatabase {
    let time = now()
    let fresh = state.withLock { state in
      state.checkTime.map { $0 <= time && time - $0 < interval } == true ? state.database : nil
    }
    return fresh ?? update(at: time)
  }

  private func update(at time: ContinuousClock.Instant) -> MIMEDatabase {
    let (held, isFresh) = state.withLock { state in
      let held = state
      let isFresh = held.checkTime.map { $0 <= time && time - $0 < interval } ?? false
      // The caller that sets the time checks the files. Until then, other callers get the stale database.
      if !isFresh { state.checkTime = time }
      return (held, isFresh)
    }
    if isFresh, let database = held.database { return database }

    let directories = MIMEDatabase.systemDirectories(environment: environment())
    // The status is read before the files, so that the next check detects a concurrent change.
    let files = Self.files(in: directories)
    if let database = held.database, directories == held.directories, files == held.files {
      return database
    }

    let read = MIMEDatabase(directories: directories)
    return state.withLock { state in
      // On first use, another thread may have been faster.
      if held.database == nil, let database = state.database { return database }
      state = State(database: read, directories: directories, files: files, checkTime: time)
      return read
    }
  }

  private static func files(in directories: [String]) -> [FileStatus?] {
    directories.flatMap { directory in
      MIMEDatabase.fileNames.map { try? SystemCalls.status(ofPath: "\(directory)/\($0)") }
    }
  }

  private static func processEnvironment() -> [String: String] {
    var environment: [String: String] = [:]
    for name in ["HOME", "XDG_DATA_HOME", "XDG_DATA_DIRS"] {
      if let value = getenv(name) { environment[name] = String(cString: value) }
    }
    return environment
  }
}

extension MIMEDatabase {
  /// Returns the directories of the databases of the user and of the system, by the XDG Base Directory Specification.
  ///
  /// - Parameter environment: The variables, of which `XDG_DATA_HOME`, `HOME` and `XDG_DATA_DIRS` are read. Empty values
  ///   and relative directories are ignored.
  /// - Returns: The directories named `mime`, nearest first, whether or not they exist.
  package static func systemDirectories(environment: [String: String]) -> [String] {
    func value(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
    let home = value("XDG_DATA_HOME") ?? value("HOME").map { "\($0)/.local/share" }
    let others = (value("XDG_DATA_DIRS") ?? "/usr/local/share:/usr/share").split(separator: ":").map(String.init)
    var directories: [String] = []
    for base in [home].compactMap(\.self) + others where base.hasPrefix("/") && !base.utf8.contains(0) {
      var base = base
      while base.hasSuffix("/") { base.removeLast() }
      let directory = "\(base)/mime"
      if !directories.contains(directory), directories.count < maximumDirectories { directories.append(directory) }
    }
    return directories
  }
}
