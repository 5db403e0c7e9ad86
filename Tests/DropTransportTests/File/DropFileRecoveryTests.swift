// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import ItemTransfer
import TestSupport
import Testing
import UniformTypes

@testable import DropTransport

/// Files that exceed the default limits, and readers with higher limits.
@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct DropFileRecoveryTests {
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
  }

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

  private static let generous: DropStreamOptions = {
    var options = DropStreamOptions()
    options.limits.representations = 70
    options.limits.typeIdentifierBytes = 1000
    options.limits.supertypes = 66
    options.limits.metadataBytes = 1 << 20
    return options
  }()

  @Test("recovery preserves every property of an item within the limits")
  func recoveryPreservesEveryPropertyWithinTheLimits() async throws {
    let old = try directory.write(Data(Self.large.dropLast(10)), to: "old.drop").path
    let new = directory.file("new.drop").path
    try await requireDropError(.limitExceeded) { try await DropFile.recover(old, to: new) }
    #expect(!FileManager.default.fileExists(atPath: new))
    let recovery = try await DropFile.recover(old, to: new, options: Self.generous)
    #expect(recovery.itemCount == 2)
    #expect(recovery.error?.code == .truncated)
    let item = try await DropFile(path: new, limits: Self.generous.limits).item(at: 0)
    let whole = try await outcome(from: .file(new), options: Self.generous).get()
    let original = try await pipeOutcome(of: Self.large, options: Self.generous).get()
    #expect(whole == original)
    #expect(item.representations.map(\.supertypesToState.count) == Array(repeating: 66, count: 70))
  }

  @Test("a writer offers what its reader's limits allow, and refuses one more")
  func writerOffersNoMoreThanTheReadersLimitsAllow() async throws {
    for (limit, code) in [(3, nil), (2, DropStreamError.Code.representationFailed)] {
      var options = DropStreamOptions()
      options.limits.representations = limit
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
}
