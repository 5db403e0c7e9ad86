// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import UniformTypes

@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct MIMEDatabaseCacheTests {
  /// A clock that advances only on request, and the value of `XDG_DATA_HOME`.
  private final class World: Sendable {
    private let time = Lock(ContinuousClock.now)
    private let base: Lock<String>

    init(home: String) { base = Lock(home) }

    var now: ContinuousClock.Instant { time.withLock { $0 } }
    var home: String {
      get { base.withLock { $0 } }
      set { base.withLock { $0 = newValue } }
    }

    func advance(_ duration: Duration) { time.withLock { $0 += duration } }
  }

  private let fixture: MIMEFixture
  private let world: World
  private let cache: MIMEDatabaseCache

  init() throws {
    fixture = try MIMEFixture()
    let world = World(home: fixture.base)
    self.world = world
    cache = MIMEDatabaseCache(
      environment: { ["XDG_DATA_HOME": world.home, "XDG_DATA_DIRS": "/no/such/directory"][$0] }, now: { world.now })
  }

  private func type() -> String? { cache.current().type(ofName: "a.x") }

  @Test func detectsNewAndReplacedFilesAfterTheInterval() throws {
    let first = cache.current()
    world.advance(.seconds(60))
    #expect(cache.current() === first)
    try fixture.write(.init(globs: "50:a/x:*.x\n"))
    world.advance(.milliseconds(4999))
    #expect(type() == nil)
    world.advance(.milliseconds(1))
    #expect(type() == "a/x")
    try fixture.write(.init(globs: "50:a/y:*.x\n"))
    // The new file may have the inode and, within one tick of the clock, the time of the old one.
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSince1970: 1)], ofItemAtPath: fixture.path + "/mime.cache")
    world.advance(.seconds(5))
    #expect(type() == "a/y")
  }

  @Test func detectsAChangedEnvironment() throws {
    try fixture.write(.init(globs: "50:a/n0:*.x\n"))
    #expect(type() == "a/n0")
    let other = try MIMEFixture(.init(globs: "50:a/n1:*.x\n"))
    world.home = other.base
    world.advance(.seconds(5))
    #expect(type() == "a/n1")
  }

  @Test func concurrentCallersGetACompleteDatabase() async throws {
    try fixture.write(.init(globs: (0..<500).map { "50:a/n\($0):*.x\n" }.joined()))
    let (cache, world) = (cache, world)
    await withTaskGroup(of: Int.self) { group in
      for task in 0..<64 {
        group.addTask {
          if task.isMultiple(of: 8) { world.advance(.seconds(5)) }
          let database = cache.current()
          _ = database.sniff("text")
          return database.types(withFilenameExtension: "x").count
        }
      }
      for await count in group { #expect(count == 500) }
    }
    #expect(cache.current() === cache.current())
  }
}
