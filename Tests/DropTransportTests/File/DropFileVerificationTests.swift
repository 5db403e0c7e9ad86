// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import ItemTransfer
import TestSupport
import Testing
import UniformTypes

@testable import DropTransport

/// Verification of complete files, and recovery of incomplete files, including very large and unusual files.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct DropFileVerificationTests {
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

  @Test func fileReplacedDuringVerificationIsVerifiedAsOldOrNew() async throws {
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

  @Test func comparisonOfTheIndexStopsWhenItsTaskIsCancelled() async throws {
    let path = try await write(100, to: "a.drop")
    let comparison = Task {
      for isCancelled in [false, true] {
        if isCancelled { withUnsafeCurrentTask { $0?.cancel() } }
        var scanner = DropFileScanner(try DropFileHandle(path), limits: DropStreamLimits())
        try scanner.expectIndex()
        #expect(!isCancelled)
      }
    }
    try await requireDropError(.cancelled) { try await comparison.value }
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await DropFile.verify(path)
    }
    try await requireDropError(.cancelled) { try await task.value }
  }

  @Test func filesOfThisPackageNeedNoAllowanceForSkippedFrames() async throws {
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
    let options = DropStreamOptions.setting { $0.limits.ancillaryBytes = 0 }
    let verification = try await DropFile.verify(path, options: options)
    #expect(verification == DropFile.Verification(itemCount: 5040, hasIndex: true))
    #expect(try await outcome(from: .file(path), options: options).get().count == 5040)
  }

  // MARK: Recovery

  /// A stream with more representations, longer types and more supertypes than the default limits allow.
  private static let large: [UInt8] = {
    let types = (0..<70).map { "org.example.\($0)." + String(repeating: "x", count: 600) }
    return StreamBuilder.stream { stream in
      stream.offer(
        types.flatMap { type in
          StreamBuilder.field(
            OfferField.representation,
            (0..<66).reduce(StreamBuilder.field(OfferField.typeIdentifier, Array(type.utf8))) {
              $0 + StreamBuilder.field(OfferField.supertype, Array("org.example.super\($1)".utf8))
            })
        })
      for number in 0..<70 { stream.whole([UInt8(number)]) }
      stream.endOfItem(70)
      stream.item()
    }
  }()

  private static let generous = DropStreamOptions.setting {
    $0.limits.representations = 70
    $0.limits.typeIdentifierBytes = 1000
    $0.limits.supertypes = 66
    $0.limits.metadataBytes = 1 << 20
  }

  @Test func recoveryPreservesEveryPropertyWithinTheLimits() async throws {
    let old = try directory.write(Data(Self.large.dropLast(10)), to: "old.drop").path
    let new = directory.file("new.drop").path
    try await requireDropError(.limitExceeded) { try await DropFile.recover(old, to: new) }
    #expect(!FileManager.default.fileExists(atPath: new))
    let recovery = try await DropFile.recover(old, to: new, options: Self.generous)
    #expect(recovery.itemCount == 2 && recovery.error?.code == .truncated)
    let item = try await DropFile(path: new, limits: Self.generous.limits).item(at: 0)
    let whole = try await outcome(from: .file(new), options: Self.generous).get()
    let original = try await pipeOutcome(of: Self.large, options: Self.generous).get()
    #expect(whole == original)
    #expect(item.representations.map(\.supertypesToState.count) == Array(repeating: 66, count: 70))
  }

  @Test func writerOffersNoMoreThanTheReadersLimitsAllow() async throws {
    for (limit, code) in [(3, nil), (2, DropStreamError.Code.representationFailed)] {
      let options = DropStreamOptions.setting { $0.limits.representations = limit }
      let pair = try DescriptorPair.pipe()
      async let written = writing(to: pair.writer, options) { writer in
        let item = ItemProvider()
        for type in [UTType.png, .jpeg, .pdf] { item.register(type) { _ in Data([1]) } }
        try await writer.write(item)
      }
      _ = try await readAll(pair.read)
      #expect(await written.code == code)
    }
  }

  // MARK: Pages of the index

  /// Decodes a page entry by entry.
  ///
  /// Returns `nil` if the page contradicts itself.
  private func plainly(_ payload: [UInt8]) -> (offsets: [UInt64], representations: [[DropFileIndex.Representation]])? {
    func number(_ offset: Int, _ length: Int) -> UInt64 {
      payload[offset..<offset + length].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
    guard payload.count >= 8 else { return nil }
    let (items, count) = (Int(number(0, 4)), Int(number(4, 4)))
    guard payload.count == 8 + 16 * (items + count) else { return nil }
    let firsts = (0..<items).map { Int(number(8 + 16 * $0 + 8, 4)) }
    guard firsts == firsts.sorted(), firsts.first ?? 0 == 0, firsts.last ?? 0 <= count,
      (0..<items).allSatisfy({ number(8 + 16 * $0 + 12, 4) == 0 })
    else { return nil }
    let all = (0..<count).map { index in
      let offset = 8 + 16 * (items + index)
      return DropFileIndex.Representation(offset: number(offset, 8), byteCount: number(offset + 8, 8))
    }
    let ends = firsts.dropFirst() + [count]
    return ((0..<items).map { number(8 + 16 * $0, 8) }, zip(firsts, ends).map { Array(all[$0..<$1]) })
  }

  private func expectAgreement(_ payload: [UInt8]) {
    let plain = plainly(payload)
    let stored = DropFileIndex.StoredPage(payload)
    let indices = 0..<(stored?.itemCount ?? 0)
    let offsets = stored.map { stored in indices.map { stored.offset(of: $0) } }
    let representations = stored.map { stored in indices.map { stored.representations(of: $0) } }
    if offsets != plain?.offsets || representations != plain?.representations { Issue.record("\(payload)") }
  }

  @Test func storedPageEqualsADecodedPage() {
    var generator = SeededGenerator.announced(#function)
    for _ in 0..<2000 {
      var page = DropFileIndex.Page()
      for _ in 0..<Int.random(in: 0...6, using: &generator) {
        let first = UInt32(page.representations.count)
        page.items.append(.init(offset: .random(in: 0...(.max), using: &generator), firstRepresentation: first))
        for _ in 0..<Int.random(in: 0...3, using: &generator) {
          page.representations.append(
            .init(
              offset: .random(in: 0...(.max), using: &generator), byteCount: .random(in: 0...(.max), using: &generator))
          )
        }
      }
      var payload: [UInt8] = []
      page.append(to: &payload)
      expectAgreement(payload)
      if DropFileIndex.StoredPage(payload) == nil { Issue.record("refused: \(payload)") }
      for _ in 0..<8 {
        var damaged = payload
        let index = Int.random(in: 0..<damaged.count, using: &generator)
        switch Int.random(in: 0..<3, using: &generator) {
        case 0: damaged[index] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
        case 1: damaged[index] = UInt8.random(in: 0...3, using: &generator)
        default: damaged.removeLast(Int.random(in: 0...damaged.count, using: &generator))
        }
        expectAgreement(damaged)
      }
    }
  }
}
