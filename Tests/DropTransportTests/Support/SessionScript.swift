// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import ItemTransfer
import UniformTypes

@testable import DropTransport

/// The encoded frames of one side of a session.
struct SessionScript {
  private(set) var bytes = Preamble.bytes
  /// The offset of each frame in ``bytes``.
  private(set) var starts: [Int] = []
  private var sequence: UInt32 = 0
  private var digest = StreamDigest(preambleCheck: Preamble.check)

  mutating func append(_ frame: OutgoingFrame) {
    var frame = frame
    frame.seal(sequence: sequence, digest: &digest)
    sequence += 1
    starts.append(bytes.count)
    bytes += frame.bytes
  }

  init(_ frames: [OutgoingFrame]) {
    for frame in frames { append(frame) }
  }

  static let content = pattern(300)

  static var offer: DropOffer {
    DropOffer(
      suggestedName: "saga.txt",
      representations: [
        DropOffer.Representation(typeIdentifier: "public.plain-text", byteCount: UInt64(content.count))
      ])
  }

  /// Returns an offer of one item, and a response in two chunks to the request for it.
  static func shortSource(_ content: [UInt8] = content) -> [OutgoingFrame] {
    let chunk = { (part: ArraySlice<UInt8>) in
      part.withUnsafeBytes { OutgoingFrame.data(number: 1, $0, isWhole: false) }
    }
    return [
      .hello(SessionHello(features: .descriptors)), .offer(offer, generation: 1),
      .endOfOffers(generation: 1, itemCount: 1, actions: [.copy, .move]), chunk(content[..<100]),
      chunk(content[100...]),
      .endOfRepresentation(number: 1, byteCount: UInt64(content.count)), .acknowledgement(generation: 1, isKnown: true),
      .bye,
    ]
  }

  /// Returns the messages as text.
  ///
  /// The last line is the ending.
  static func meaning(of bytes: [UInt8], limits: DropStreamLimits = DropStreamLimits()) -> [String] {
    let (messages, ending) = messages(in: bytes, limits: limits)
    return messages.map { "\($0)" } + [ending]
  }

  /// Decodes the messages and the ending.
  static func messages(
    in bytes: [UInt8], limits: DropStreamLimits = DropStreamLimits()
  ) -> (messages: [SessionMessage], ending: String) {
    let (messages, hasEnded, error) = parse(bytes, limits: limits)
    return (messages, error.map { "\($0.code)" } ?? (hasEnded ? "end" : "cut"))
  }

  /// Returns the error in the messages, if any.
  static func error(in bytes: [UInt8]) -> DropStreamError? { parse(bytes).error }

  private static func parse(
    _ bytes: [UInt8], limits: DropStreamLimits = DropStreamLimits()
  ) -> (messages: [SessionMessage], hasEnded: Bool, error: DropStreamError?) {
    var decoder = FrameDecoder()
    var parser = SessionParser(limits: limits)
    var messages: [SessionMessage] = []
    var used = 0
    do throws(DropStreamError) {
      while true {
        let next = bytes.withUnsafeBytes { bytes in
          Result { () throws(DropStreamError) -> (SessionMessage?, Int)? in
            let rest = UnsafeRawBufferPointer(rebasing: bytes[used...])
            guard let (event, count) = try decoder.next(in: rest) else { return nil }
            return (try parser.take(event, at: decoder.frameOffset), count)
          }
        }
        guard let (message, count) = try next.get() else { break }
        used += count
        if let message { messages.append(message) }
      }
      return (messages, parser.hasEnded && used == bytes.count, nil)
    } catch {
      return (messages, false, error)
    }
  }
}
