// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import TestSupport
import Testing

@testable import ItemProviderCompat

/// The order of coordinated accesses.
@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct FileAccessListTests {
  private func request(
    _ path: String, writes: Bool = false, purpose: String = UUID().uuidString, owner: NSObject = NSObject()
  ) -> FileAccessRequest {
    let url = URL(fileURLWithPath: path)
    let claim = writes ? FileClaim(writing: url) : FileClaim(reading: url, [])
    return FileAccessRequest(claims: [claim], owner: ObjectIdentifier(owner), purpose: purpose)
  }

  @Test func readsOfAFileAreGrantedTogether() {
    var list = FileAccessList()
    let areGranted = (1...3).map { _ in list.add(request("/sagas/troy")) }
    #expect(areGranted == [true, true, true])
  }

  @Test(arguments: [
    ("/sagas/troy", false), ("/sagas/troy/achilles", false), ("/sagas", false), ("/", false),
    ("/sagas/x/../troy", false),
    ("/sagas/troy.txt", true), ("/edda", true),
  ])
  func aWriteExcludesOnlyItsFileItsContentsAndItsFolders(path: String, isFree: Bool) {
    for isWrite in [false, true] {
      var list = FileAccessList()
      let isGranted = list.add(request("/sagas/troy", writes: true))
      let isNextGranted = list.add(request(path, writes: isWrite))
      #expect(isGranted && isNextGranted == isFree)
    }
  }

  @Test func laterReadsDoNotOvertakeAWrite() {
    var list = FileAccessList()
    let first = request("/saga")
    let write = request("/saga", writes: true)
    let second = request("/saga")
    let areGranted = [first, write, second].map { list.add($0) }
    #expect(areGranted == [true, false, false])
    let afterRead = list.remove(first)
    #expect(afterRead.count == 1 && afterRead.first === write)
    let afterWrite = list.remove(write)
    #expect(afterWrite.count == 1 && afterWrite.first === second)
  }

  @Test func requestsOfOnePurposeDoNotWaitForEachOther() {
    var list = FileAccessList()
    let areGranted = (1...2).map { _ in list.add(request("/saga", writes: true, purpose: "edda")) }
    #expect(areGranted == [true, true])
  }

  @Test func cancellingAWaitGrantsThoseBehindIt() {
    var list = FileAccessList()
    let owner = NSObject()
    let first = request("/saga")
    let write = request("/saga", writes: true, owner: owner)
    let last = request("/saga")
    for request in [first, write, last] { _ = list.add(request) }
    let (cancelled, granted) = list.cancel(ObjectIdentifier(owner))
    #expect(cancelled.count == 1 && cancelled.first === write)
    #expect(granted.count == 1 && granted.first === last)
    #expect(list.contains(first) && !list.contains(write) && list.contains(last))
  }
}

/// Coordination between threads.
@Suite(.serialized, .limited, .timeLimit(.minutes(30))) struct FileCoordinatorTests {
  private let saga = URL(fileURLWithPath: "/sagas/troy/achilles.txt")

  @Test func writesOfAFileRunOneAtATime() async {
    let running = Collector<Int>()
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<20 {
        group.addTask {
          await onThread {
            NSFileCoordinator().coordinate(writingItemAt: saga, options: [], error: nil) { _ in
              running.add(number)
              usleep(1000)
              running.add(number)
            }
          }
        }
      }
    }
    let values = running.values
    #expect(values.count == 40)
    for index in stride(from: 0, to: 40, by: 2) { #expect(values[index] == values[index + 1]) }
  }

  @Test func readsOfAFileRunTogether() async {
    let one = DispatchSemaphore(value: 0)
    let two = DispatchSemaphore(value: 0)
    // Each read ends only after the other read has begun.
    async let first: Void = onThread {
      NSFileCoordinator().coordinate(readingItemAt: saga, options: [], error: nil) { _ in
        one.signal()
        two.wait()
      }
    }
    async let second: Void = onThread {
      NSFileCoordinator().coordinate(readingItemAt: saga, options: [], error: nil) { _ in
        two.signal()
        one.wait()
      }
    }
    _ = await (first, second)
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

  @Test func cancelEndsAWaitWithAnError() async {
    let isEntered = Gate()
    let mayLeave = DispatchSemaphore(value: 0)
    async let holder: Void = onThread {
      NSFileCoordinator().coordinate(writingItemAt: saga, options: [], error: nil) { _ in
        isEntered.open()
        mayLeave.wait()
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
    while results.values.isEmpty {
      coordinator.cancel()
      await Task.yield()
    }
    #expect(results.values == [.userCancelled])
    mayLeave.signal()
    _ = await (holder, waiting)
  }

  @Test func aReadMayResolveALink() throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let file = directory.file("hail.txt")
    let link = directory.file("link")
    try Data("Hail".utf8).write(to: file)
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)
    var path = ""
    NSFileCoordinator().coordinate(readingItemAt: link, options: .resolvesSymbolicLink, error: nil) { path = $0.path }
    #expect(path == file.resolvingSymlinksInPath().path)
    NSFileCoordinator().coordinate(readingItemAt: link, options: [], error: nil) { path = $0.path }
    #expect(path == link.path)
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

  /// Runs work on its own thread, since a coordinated access blocks.
  private func onThread(_ work: @escaping @Sendable () -> Void) async {
    await withCheckedContinuation { continuation in
      Thread {
        work()
        continuation.resume()
      }.start()
    }
  }
}
