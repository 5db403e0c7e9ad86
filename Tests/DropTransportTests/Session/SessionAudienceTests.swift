// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import ItemTransfer
import TestSupport
import Testing
import UniformTypes

@testable import DropTransport

/// The audience of a session.
///
/// A peer is near only on a socket, and only if the kernel reports the same user for it.
@Suite(.serialized, .limited, .timeLimit(.minutes(10))) struct SessionAudienceTests {
  /// Sends an item with a representation of each visibility.
  ///
  /// Returns the types that arrive, and the audience of each side.
  private static func types(
    over endpoints: (DropEndpoint, DropEndpoint), audience: ItemVisibility = .all, near: ItemVisibility,
    isKnown: Bool
  ) async throws -> [UTType] {
    var options = DropStreamOptions()
    options.audience = audience
    async let source: Void = DropStream.withSession(over: endpoints.0, options: options) { session in
      #expect(session.audience == near)
      #expect((session.peer != nil) == isKnown)
      let item = ItemProvider(suggestedName: "item")
      item.register(.data, visibility: .ownProcess) { _ in Data() }
      item.register(.json, visibility: .team) { _ in Data() }
      item.register(.plainText, visibility: .group) { _ in Data() }
      item.register(.png, visibility: .all) { _ in Data() }
      _ = try await session.offer([item])
    }
    let types = try await DropStream.withSession(over: endpoints.1, options: options) { session in
      var types: [UTType] = []
      for try await drop in session.drops {
        types += drop.items[0].contentTypes
        try await drop.finish(.copy)
      }
      return types
    }
    try await source
    return types
  }

  @Test("an open socket has the same audience as a socket with a path")
  func openSocketHasTheAudienceOfASocketWithAPath() async throws {
    let endpoints = try SessionCarrierKind.socketPair.endpoints()
    let found = try await Self.types(over: endpoints, near: .team, isKnown: true)
    #expect(found == [.json, .plainText, .png])
  }

  @Test("the audience can be set to the own process")
  func audienceCanBeSetToTheOwnProcess() async throws {
    let endpoints = try SessionCarrierKind.socketPair.endpoints()
    let found = try await Self.types(over: endpoints, audience: .ownProcess, near: .ownProcess, isKnown: true)
    #expect(found == [.data, .json, .plainText, .png])
  }

  @Test("the peer at the other end of a pipe is unknown", arguments: [SessionCarrierKind.pipes, .nonBlockingPipes])
  func peerOfAPipeIsUnknown(_ carrier: SessionCarrierKind) async throws {
    let (one, other) = (try carrier.endpoints(), try carrier.endpoints())
    #expect(try await Self.types(over: one, near: .all, isKnown: false) == [.png])
    let found = try await Self.types(over: other, audience: .group, near: .group, isKnown: false)
    #expect(found == [.plainText, .png])
  }

  @Test("the peer of two descriptors is unknown, because they may belong to a tunnel")
  func peerOfTwoDescriptorsIsUnknown() async throws {
    let pair = try DescriptorPair.socketPair()
    let endpoints = (
      DropEndpoint.descriptors(input: pair.read, output: dup(pair.read)),
      DropEndpoint.descriptors(input: pair.write, output: dup(pair.write))
    )
    #expect(try await Self.types(over: endpoints, near: .all, isKnown: false) == [.png])
  }
}
