// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import ItemProviderCompat

/// The order of coordinated accesses.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct FileAccessListTests {
  private func request(
    _ path: String, writes: Bool = false, purpose: String = UUID().uuidString, owner: NSObject = NSObject()
  ) -> FileAccessRequest {
    let url = URL(fileURLWithPath: path)
    let claim = writes ? FileClaim(writing: url) : FileClaim(reading: url, [])
    return FileAccessRequest(claims: [claim], owner: ObjectIdentifier(owner), purpose: purpose)
  }

  @Test func readsOfAFileAreGrantedTogether() {
    var list = FileAccessList()
    #expect((1...3).map { _ in list.add(request("/sagas/troy")) } == [true, true, true])
  }

  @Test func aWriteExcludesOnlyItsFileItsContentsAndItsFolders() {
    for (path, isFree) in [
      ("/sagas/troy", false), ("/sagas/troy/achilles", false), ("/sagas", false), ("/", false),
      ("/sagas/x/../troy", false), ("/sagas/troy.txt", true), ("/edda", true),
    ] {
      for isWrite in [false, true] {
        var list = FileAccessList()
        let areGranted = [
          list.add(request("/sagas/troy", writes: true)), list.add(request(path, writes: isWrite)),
        ]
        #expect(areGranted == [true, isFree], "\(path)")
      }
    }
  }

  @Test func laterReadsDoNotOvertakeAWrite() {
    var list = FileAccessList()
    let (first, write, second) = (request("/saga"), request("/saga", writes: true), request("/saga"))
    #expect([first, write, second].map { list.add($0) } == [true, false, false])
    let granted = [list.remove(first), list.remove(write)].map { $0.map(ObjectIdentifier.init) }
    #expect(granted == [[ObjectIdentifier(write)], [ObjectIdentifier(second)]])
  }

  @Test func requestsOfOnePurposeDoNotWaitForEachOther() {
    var list = FileAccessList()
    #expect((1...2).map { _ in list.add(request("/saga", writes: true, purpose: "edda")) } == [true, true])
  }

  @Test func cancellingAWaitGrantsThoseBehindIt() {
    var list = FileAccessList()
    let owner = NSObject()
    let (first, write, last) = (request("/saga"), request("/saga", writes: true, owner: owner), request("/saga"))
    for request in [first, write, last] { _ = list.add(request) }
    let (cancelled, granted) = list.cancel(ObjectIdentifier(owner))
    #expect((cancelled + granted).map(ObjectIdentifier.init) == [write, last].map(ObjectIdentifier.init))
    #expect(cancelled.count == 1 && [first, write, last].map { list.contains($0) } == [true, false, true])
  }
}

/// Coordination between threads.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct FileCoordinatorTests {
  private let saga = URL(fileURLWithPath: "/sagas/troy/achilles.txt")

  @Test func writesOfAFileRunOneAtATime() async throws {
    let running = Collector<Int>()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<20 {
        group.addTask {
          try await onThread {
            NSFileCoordinator().coordinate(writingItemAt: saga, options: [], error: nil) { _ in
              running.add(number)
              usleep(1000)
              running.add(number)
            }
          }
        }
      }
      try await group.waitForAll()
    }
    let values = running.values
    #expect(values.count == 40 && stride(from: 0, to: 40, by: 2).allSatisfy { values[$0] == values[$0 + 1] })
  }

  @Test func readsOfAFileRunTogether() async throws {
    let semaphores = [BlockingSignals(), BlockingSignals()]
    // Each read ends only after the other read has begun.
    let read = { @Sendable (own: Int) in
      try await onThread {
        NSFileCoordinator().coordinate(readingItemAt: saga, options: [], error: nil) { _ in
          semaphores[own].send()
          semaphores[1 - own].receive()
        }
      }
    }
    async let first: Void = read(0)
    async let second: Void = read(1)
    _ = try await (first, second)
  }

  @Test func aCoordinatorMayNestItsCalls() {
    let coordinator = NSFileCoordinator(filePresenter: nil)
    let sibling = NSFileCoordinator()
    sibling.purposeIdentifier = coordinator.purposeIdentifier
    var isReached = false
    coordinator.coordinate(writingItemAt: saga, options: [], error: nil) { url in
      sibling.coordinate(readingItemAt: url, options: [], error: nil) { _ in isReached = true }
    }
    #expect(isReached)
  }

  @Test func cancelEndsAWaitWithAnError() async throws {
    let isEntered = Gate()
    let mayLeave = BlockingSignals()
    async let holder: Void = onThread {
      NSFileCoordinator().coordinate(writingItemAt: saga, options: [], error: nil) { _ in
        isEntered.open()
        mayLeave.receive()
      }
    }
    await isEntered.wait()
    let coordinator = NSFileCoordinator()
    let results = Collector<CocoaError.Code?>()
    async let waiting: Void = onThread {
      var error: NSError?
      coordinator.coordinate(readingItemAt: saga, options: [], error: &error) { _ in results.add(nil) }
      if let error { results.add(CocoaError.Code(rawValue: error.code)) }
    }
    // The wait may begin some time after the thread, so the cancellation is repeated.
    try await wait(for: "the cancelled access") {
      coordinator.cancel()
      return !results.values.isEmpty
    }
    #expect(results.values == [.userCancelled])
    mayLeave.send()
    _ = try await (holder, waiting)
  }

  @Test func aReadMayResolveALink() throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let file = try directory.write(Data("Hail".utf8), to: "hail.txt")
    let link = directory.file("link")
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)
    let original = NSFileCoordinator.ReadingOptions.resolvesSymbolicLink
    for (options, expected) in [(original, file.resolvingSymlinksInPath()), (.init(), link)] {
      var path = ""
      NSFileCoordinator().coordinate(readingItemAt: link, options: options, error: nil) { path = $0.path }
      #expect(path == expected.path)
    }
  }

  @Test func anAccessorOfIntentsRunsOnItsQueue() async {
    let queue = OperationQueue()
    queue.name = "sagas"
    let name = await withCheckedContinuation { continuation in
      NSFileCoordinator().coordinate(with: [.writingIntent(with: saga)], queue: queue) { error in
        continuation.resume(returning: error == nil ? OperationQueue.current?.name : nil)
      }
    }
    #expect(name == "sagas")
  }
}
