// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Glibc
internal import Synchronization

/// The process's database: read on first use, and again when its files have changed.
///
/// Files are looked at and read without the lock, so that nobody waits for a disk to learn what was known a moment
/// ago. Who comes while another looks gets the database there is; who comes before there is one reads it as well.
package final class MIMEDatabaseCache: Sendable {
  /// The one for the process's own environment.
  package static let shared = MIMEDatabaseCache(environment: processEnvironment)

  private struct State {
    var database: MIMEDatabase?
    var directories: [String] = []
    var fingerprints: [MIMEFile.Fingerprint?] = []
    var lookedAt: ContinuousClock.Instant?
  }

  private let environment: @Sendable () -> [String: String]
  private let now: @Sendable () -> ContinuousClock.Instant
  private let interval: Duration
  private let state = Lock(State())

  /// - Parameters:
  ///   - environment: Asked for the variables that say where the database is.
  ///   - interval: How long the database is good without a look at the files.
  ///   - now: The clock.
  package init(
    environment: @escaping @Sendable () -> [String: String], interval: Duration = .seconds(5),
    now: @escaping @Sendable () -> ContinuousClock.Instant = { ContinuousClock.now }
  ) {
    self.environment = environment
    self.interval = interval
    self.now = now
  }

  /// The database as it is, or was at most the interval ago.
  ///
  /// This may look at files and read them, and takes less than a microsecond otherwise.
  package func current() -> MIMEDatabase {
    let time = now()
    let fresh = state.withLock { state in
      state.lookedAt.map { $0 <= time && time - $0 < interval } == true ? state.database : nil
    }
    return fresh ?? update(at: time)
  }

  private func update(at time: ContinuousClock.Instant) -> MIMEDatabase {
    let (held, isFresh) = state.withLock { state in
      let held = state
      let isFresh = held.lookedAt.map { $0 <= time && time - $0 < interval } ?? false
      // Whoever sets the time looks at the files; the others are served meanwhile.
      if !isFresh { state.lookedAt = time }
      return (held, isFresh)
    }
    if isFresh, let database = held.database { return database }

    let directories = MIMEDatabase.systemDirectories(environment: environment())
    // Taken before the files are read: what changes meanwhile is seen the next time.
    let fingerprints = Self.fingerprints(in: directories)
    if let database = held.database, directories == held.directories, fingerprints == held.fingerprints {
      return database
    }

    let read = MIMEDatabase(directories: directories)
    return state.withLock { state in
      // On first use another thread may have been faster.
      if held.database == nil, let database = state.database { return database }
      state = State(database: read, directories: directories, fingerprints: fingerprints, lookedAt: time)
      return read
    }
  }

  private static func fingerprints(in directories: [String]) -> [MIMEFile.Fingerprint?] {
    directories.flatMap { directory in
      MIMEDatabase.fileNames.map { MIMEFile.fingerprint(of: "\(directory)/\($0)") }
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
