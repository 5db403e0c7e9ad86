// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import Foundation
internal import Glibc
public import Testing

/// A trait that limits the number of suites that run at the same time.
///
/// Swift Testing starts every test of a run at once. Many tests start processes, block a thread or wait for a peer, and
/// would share the processors with all other tests. A suite with this trait first waits for a slot; its time limits
/// start afterwards. Add `.serialized`, so that the suite runs only one test at a time.
///
/// Swift Testing cancels a test after its time limit, but it also waits for the test to return. If a suite still runs a
/// quarter of an hour after its start, a test of it does not react to its cancellation, and the process ends with a
/// message.
public struct SuiteLimit: SuiteTrait, TestScoping {
  private static let slots = Slots(count: max(4, 2 * ProcessInfo.processInfo.activeProcessorCount))

  /// Whether the suite around this suite has a slot.
  ///
  /// A nested suite runs in that slot.
  @TaskLocal private static var isHeld = false

  /// Waits for a slot, runs the suite and frees the slot.
  public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    guard !Self.isHeld else { return try await function() }
    await Self.slots.take()
    let name = test.displayName ?? test.name
    let watchdog = DispatchSource.makeTimerSource()
    watchdog.setEventHandler {
      FileHandle.standardError.write(Data("✘ Suite \(name) does not end: the process exits\n".utf8))
      _exit(70)
    }
    watchdog.schedule(deadline: .now() + .seconds(isFullRun ? 3600 : 900))
    watchdog.resume()
    defer { watchdog.cancel() }
    let result: Result<Void, any Error>
    do {
      result = .success(try await Self.$isHeld.withValue(true) { try await function() })
    } catch {
      result = .failure(error)
    }
    await Self.slots.free()
    try result.get()
  }
}

extension Trait where Self == SuiteLimit {
  /// A trait that lets only a few suites run at the same time.
  public static var limited: Self { Self() }
}

extension Trait where Self == TimeLimitTrait {
  /// A time limit for each test, which is longer in a run of every case of every test.
  public static func timeLimit(minutes: Int) -> Self { .timeLimit(.minutes(isFullRun ? 12 * minutes : minutes)) }
}

/// A set of slots, which are assigned in the order in which they are requested.
private actor Slots {
  private var count: Int
  private var waiting: [CheckedContinuation<Void, Never>] = []

  init(count: Int) {
    self.count = count
  }

  func take() async {
    if count > 0 {
      count -= 1
    } else {
      await withCheckedContinuation { waiting.append($0) }
    }
  }

  func free() {
    if waiting.isEmpty {
      count += 1
    } else {
      waiting.removeFirst().resume()
    }
  }
}
