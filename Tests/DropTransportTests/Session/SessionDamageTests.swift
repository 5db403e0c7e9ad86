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

/// Corrupt sessions.
///
/// Each side must accept only messages that its peer really sent.
@Suite(.serialized, .limited, .timeLimit(.minutes(10))) struct SessionDamageTests {
  private static let sides = ["source", "destination"]

  private static func script(_ side: String) -> SessionScript {
    SessionScript(side == "source" ? SessionScript.source() : SessionScript.destination)
  }

  @Test("every flipped bit is detected", arguments: sides)
  func everyFlippedBitIsDetected(_ side: String) async {
    let bytes = Self.script(side).bytes
    let meaning = SessionScript.meaning(of: bytes)
    #expect(meaning.last == "end")
    for index in bytes.indices {
      // Lets other tests run, since they have timeouts.
      await Task.yield()
      for bit in 0..<8 {
        var damaged = bytes
        damaged[index] ^= 1 << bit
        let found = SessionScript.meaning(of: damaged)
        #expect(found.last != "end" && meaning.starts(with: found.dropLast()), "bit \(bit) of byte \(index)")
      }
    }
  }

  @Test("a truncated session and bytes after its end are rejected", arguments: sides)
  func truncatedSessionAndBytesAfterItsEndAreRejected(_ side: String) async {
    let bytes = Self.script(side).bytes
    let meaning = SessionScript.meaning(of: bytes)
    for count in bytes.indices {
      await Task.yield()
      let found = SessionScript.meaning(of: Array(bytes[..<count]))
      #expect(found.last == "cut" && meaning.starts(with: found.dropLast()), "after \(count) bytes")
    }
    #expect(SessionScript.meaning(of: bytes + bytes).last == "damaged")
    #expect(SessionScript.meaning(of: bytes + [0]).last == "cut")
  }

  @Test("missing, repeated and swapped frames are detected", arguments: sides)
  func missingRepeatedAndSwappedFramesAreDetected(_ side: String) async {
    let script = Self.script(side)
    let ends = script.starts.dropFirst() + [script.bytes.count]
    let frames = zip(script.starts, ends).map { Array(script.bytes[$0..<$1]) }
    let start = Array(script.bytes[..<Preamble.length])
    for index in frames.indices {
      await Task.yield()
      var without = frames
      without.remove(at: index)
      #expect(SessionScript.meaning(of: start + without.joined()).last != "end", "without frame \(index)")
      var doubled = frames
      doubled.insert(frames[index], at: index)
      #expect(SessionScript.meaning(of: start + doubled.joined()).last != "end", "frame \(index) twice")
      for other in frames.indices where other != index {
        var swapped = frames
        swapped.swapAt(index, other)
        #expect(SessionScript.meaning(of: start + swapped.joined()).last != "end", "\(index) for \(other)")
      }
    }
  }

  @Test("a valid frame of another session with the right number is detected")
  func validFrameOfAnotherSessionIsDetected() {
    let script = SessionScript(SessionScript.shortSource())
    let other = SessionScript(SessionScript.shortSource(Array(SessionScript.content.reversed())))
    let range = script.starts[3]..<script.starts[4]
    var bytes = script.bytes
    bytes.replaceSubrange(range, with: other.bytes[range])
    #expect(bytes != script.bytes)
    #expect(SessionScript.meaning(of: bytes).last == "damaged")
  }

  @Test("a session that ends early is never complete, at any byte")
  func sessionThatEndsEarlyIsNeverComplete() async throws {
    let script = SessionScript(SessionScript.shortSource())
    for count in stride(from: 0, through: script.bytes.count, by: 1) {
      let code = try await Self.receive(Array(script.bytes[..<count]), answersFrom: script.starts[3])
      // After the acknowledgement, the destination has all items and closes the session itself.
      let isWhole = count >= script.starts[7]
      let isRight = code == .peerGone || isWhole && code == nil
      #expect(isRight, "after \(count) bytes: \(String(describing: code))")
    }
  }

  /// Receives the bytes of a script.
  ///
  /// The part from `answers` on is sent only after the destination's request.
  private static func receive(_ bytes: [UInt8], answersFrom answers: Int) async throws -> DropStreamError.Code? {
    let pair = try DescriptorPair.socketPair()
    let script = Task {
      try await onThread {
        defer { close(pair.write) }
        let start = bytes.prefix(answers)
        try start.withUnsafeBytes { try SystemCalls.writeAll(pair.write, $0) }
        if start.count == answers {
          // The destination sends its handshake and its request.
          let request = SessionRequest(generation: 1, item: 0, representation: 0, credit: 300)
          let expected = SessionScript([.hello(SessionHello()), .request(number: 1, request)]).bytes.count
          var count = 0
          var buffer = [UInt8](repeating: 0, count: 4096)
          while count < expected {
            let more = try buffer.withUnsafeMutableBytes { try SystemCalls.read(pair.write, $0) }
            if more == 0 { return }
            count += more
          }
        }
        try bytes.dropFirst(answers).withUnsafeBytes { try SystemCalls.writeAll(pair.write, $0) }
      }
    }
    let code = await failureCode {
      try await DropStream.withSession(over: .descriptor(pair.read)) { session in
        for try await drop in session.drops {
          let data = try await drop.items[0].data(for: .plainText)
          #expect(data == Data(SessionScript.content))
          try await drop.finish(.copy)
        }
      }
    }
    _ = await script.result
    return code
  }
}
