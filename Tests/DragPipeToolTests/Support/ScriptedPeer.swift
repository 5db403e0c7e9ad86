// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport

@testable import DropTransport

/// The peer of a session, as an endpoint `exec:`.
///
/// It sends given frames, and waits for frames of given lengths.
struct ScriptedPeer {
  static let hello = OutgoingFrame.hello(SessionHello())
  /// The number of bytes that a session sends first: preamble and handshake.
  static let handshake = 73
  /// The number of bytes that a session has sent after its first request.
  static let firstRequest = handshake + 52
  /// The number of further bytes that a session sends to finish an offer of which it kept one item.
  static let finish = 42

  /// A program that reads frames of the length in its first argument, after as many bytes as its second argument says.
  ///
  /// It does not count keep-alive frames, because their number depends on the load of the machine.
  private static let reader = """
    import os, sys
    def take(count):
        data = b""
        while len(data) < count:
            part = os.read(0, count - len(data))
            if not part: sys.exit(1)
            data += part
        return data
    left = int(sys.argv[1])
    take(int(sys.argv[2]))
    while left > 0:
        header = take(\(FrameHeader.length))
        length = int.from_bytes(header[8:16], "little")
        take(length + \(FrameHeader.checkLength))
        if header[0] != \(FrameType.keepAlive.rawValue): left -= \(FrameHeader.length + FrameHeader.checkLength) + length
    """

  private let fixture: DropFixture
  private var hasReadPreamble = false
  private var commands: [String] = []
  private var bytes = Preamble.bytes
  private var sequence: UInt32 = 0
  private var digest = StreamDigest(preambleCheck: Preamble.check)

  init(_ fixture: DropFixture) {
    self.fixture = fixture
  }

  /// Returns an offer of `count` files of three bytes each.
  static func offer(_ count: Int = 1, actions: DropActions = .copy) -> [OutgoingFrame] {
    let items = (0..<count).map { index in
      DropOffer(
        suggestedName: "file \(index)",
        representations: [DropOffer.Representation(typeIdentifier: "public.data", byteCount: 3)])
    }
    return [hello] + items.map { .offer($0, generation: 1) } + [
      .endOfOffers(generation: 1, itemCount: UInt32(count), actions: actions)
    ]
  }

  /// Returns the complete content of a requested file as one frame.
  static func content(_ number: UInt32, _ bytes: [UInt8] = [1, 2, 3]) -> OutgoingFrame {
    bytes.withUnsafeBytes { .data(number: number, $0, isWhole: true) }
  }

  mutating func send(_ frames: [OutgoingFrame]) throws {
    for frame in frames {
      var frame = frame
      frame.seal(sequence: sequence, digest: &digest)
      sequence += 1
      bytes += frame.bytes
    }
    let name = "frames \(commands.count)"
    try fixture.directory.write(Data(bytes), to: name)
    bytes = []
    commands.append("cat '\(fixture.path(name))'")
  }

  /// Waits until the session has sent `count` bytes; keep-alive frames do not count.
  mutating func read(_ count: Int) throws {
    try fixture.directory.write(Data(Self.reader.utf8), to: "reader.py")
    let preamble = hasReadPreamble ? 0 : Preamble.length
    hasReadPreamble = true
    commands.append("python3 '\(fixture.path("reader.py"))' \(count - preamble) \(preamble)")
  }

  /// Returns the endpoint of the peer.
  ///
  /// At the end, the peer exits if `leaves` is true, and otherwise becomes silent.
  func endpoint(leaves: Bool = false) -> String {
    "exec:" + (commands + (leaves ? [] : ["exec sleep 600"])).joined(separator: "; ")
  }
}
