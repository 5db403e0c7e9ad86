// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import Glibc
import ItemTransfer
import TestSupport
import Testing
import UniformTypes

@testable import DropTransport

/// Verification of complete files, including very large and unusual files.
@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct DropFileVerificationTests {
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
  }

  private func write(_ count: Int, to name: String) async throws -> String {
    let path = directory.file(name).path
    try await DropStream.withWriter(to: .file(path)) { writer in
      for number in 0..<count { try await writer.write(ItemProvider([1], name: "\(number)")) }
    }
    return path
  }

  @Test("a file that is replaced during verification is verified as the old or the new file")
  func fileReplacedDuringVerificationIsVerifiedAsOldOrNew() async throws {
    let indexed = try await write(1, to: "indexed.drop")
    let redirected = try directory.write(Data(SmallStream.bytes), to: "redirected.drop").path
    let path = directory.file("a.drop").path
    #expect(link(indexed, path) == 0)
    let (next, isDone) = (directory.file("next").path, Gate())
    let swapping = Task.detached {
      var number = 0
      while !Task.isCancelled {
        number += 1
        guard link(number % 2 == 0 ? indexed : redirected, next) == 0, rename(next, path) == 0 else {
          throw TestFailure("cannot swap")
        }
        await Task.yield()
      }
      isDone.open()
    }
    let right = [
      DropFile.Verification(itemCount: 1, hasIndex: true), DropFile.Verification(itemCount: 2, hasIndex: false),
    ]
    var seen: Set<DropFile.Verification> = []
    for _ in 0..<300 { seen.insert(try await DropFile.verify(path)) }
    swapping.cancel()
    await isDone.wait()
    #expect(seen.isSubset(of: right), "\(seen)")
  }

  @Test("the comparison of the index stops when its task is cancelled")
  func comparisonOfTheIndexStopsWhenItsTaskIsCancelled() async throws {
    let path = try await write(100, to: "a.drop")
    let interruption = Interruption()
    var scanner = DropFileScanner(try DropFileHandle(path), limits: DropStreamLimits())
    try scanner.expectIndex(interruption)
    interruption.raise()
    var another = DropFileScanner(try DropFileHandle(path), limits: DropStreamLimits())
    try await requireDropError(.cancelled) { try another.expectIndex(interruption) }
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await DropFile.verify(path)
    }
    try await requireDropError(.cancelled) { try await task.value }
  }

  @Test("files of this package need no allowance for skipped frames")
  func filesOfThisPackageNeedNoAllowanceForSkippedFrames() async throws {
    let path = directory.file("a.drop").path
    try await DropStream.withWriter(to: .file(path)) { writer in
      for number in 0..<40 {
        let item = ItemProvider(suggestedName: "\(number)")
        // The content is long enough to be aligned, and needs the maximum padding.
        for type in [UTType.png, .jpeg, .pdf] {
          item.register(type) { _ in Data(pattern(65_536 + 4096 - 84 + number)) }
        }
        try await writer.write(item)
      }
      for number in 0..<5000 { try await writer.write(ItemProvider([1], name: "\(number)")) }
    }
    var options = DropStreamOptions()
    options.limits.ancillaryBytes = 0
    let verification = try await DropFile.verify(path, options: options)
    #expect(verification == DropFile.Verification(itemCount: 5040, hasIndex: true))
    #expect(try await outcome(from: .file(path), options: options).get().count == 5040)
  }
}
