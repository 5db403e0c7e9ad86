// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Synchronization
import TestSupport
import Testing

@testable import UniformTypes

@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct MIMEDatabaseCacheTests {
  /// A clock that advances only on request.
  private final class Clock: Sendable {
    private let time = Lock(ContinuousClock.now)
    var now: ContinuousClock.Instant { time.withLock { $0 } }
    func advance(_ duration: Duration) { time.withLock { $0 += duration } }
  }

  private func cache(_ fixture: MIMEFixture, _ clock: Clock) -> MIMEDatabaseCache {
    let base = fixture.base
    return MIMEDatabaseCache(
      environment: { ["XDG_DATA_HOME": base, "XDG_DATA_DIRS": "/no/such/directory"] }, now: { clock.now })
  }

  @Test func detectsAChangeAfterTheInterval() throws {
    let fixture = try MIMEFixture()
    let clock = Clock()
    let cache = cache(fixture, clock)
    try fixture.write("globs2", "50:a/x:*.x\n")
    #expect(cache.current().type(ofName: "f.x") == "a/x")
    try fixture.write("globs2", "50:a/yy:*.x\n")
    clock.advance(.milliseconds(4999))
    #expect(cache.current().type(ofName: "f.x") == "a/x")
    clock.advance(.milliseconds(1))
    #expect(cache.current().type(ofName: "f.x") == "a/yy")
  }

  @Test func detectsNewAndReplacedFiles() throws {
    let fixture = try MIMEFixture()
    let clock = Clock()
    let cache = cache(fixture, clock)
    #expect(cache.current().allTypes.isEmpty)
    try fixture.write("types", "a/x\n")
    clock.advance(.seconds(5))
    #expect(cache.current().allTypes == ["a/x"])
    try fixture.write("types", "a/y\n")
    clock.advance(.seconds(5))
    #expect(cache.current().allTypes == ["a/y"])
  }

  @Test func keepsTheDatabaseWithoutAChange() throws {
    let fixture = try MIMEFixture()
    try fixture.write("types", "a/x\n")
    let clock = Clock()
    let cache = cache(fixture, clock)
    let first = cache.current()
    clock.advance(.seconds(60))
    #expect(cache.current() === first)
  }

  @Test func detectsAChangedEnvironment() throws {
    let fixtures = [try MIMEFixture(), try MIMEFixture()]
    for (index, fixture) in fixtures.enumerated() { try fixture.write("types", "a/n\(index)\n") }
    let home = Lock(fixtures[0].base)
    let clock = Clock()
    let cache = MIMEDatabaseCache(
      environment: { ["XDG_DATA_HOME": home.withLock { $0 }, "XDG_DATA_DIRS": "/none"] }, now: { clock.now })
    #expect(cache.current().allTypes == ["a/n0"])
    home.withLock { $0 = fixtures[1].base }
    clock.advance(.seconds(5))
    #expect(cache.current().allTypes == ["a/n1"])
  }

  @Test func concurrentCallersGetACompleteDatabase() async throws {
    let fixture = try MIMEFixture()
    try fixture.write("globs2", (0..<500).map { "50:a/n\($0):*.x\($0)\n" }.joined())
    let clock = Clock()
    let cache = cache(fixture, clock)
    await withTaskGroup(of: Int.self) { group in
      for task in 0..<64 {
        group.addTask {
          if task.isMultiple(of: 8) { clock.advance(.seconds(5)) }
          let database = cache.current()
          _ = database.sniff("text")
          return database.allTypes.count
        }
      }
      for await count in group { #expect(count == 500) }
    }
    #expect(cache.current() === cache.current())
  }
}
