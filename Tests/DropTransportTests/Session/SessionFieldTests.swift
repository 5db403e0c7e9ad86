// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import DropTransport

/// Fields that may occur only once.
@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct SessionFieldTests {
  /// A frame with a repeated field.
  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let type: FrameType
    var number: UInt32 = 1
    var start: [UInt8] = []
    let tag: UInt8
    let value: [UInt8]

    func frame(_ count: Int) -> OutgoingFrame {
      var frame = OutgoingFrame(type, number: number) { payload in
        payload += start
        for _ in 0..<count { payload.appendField(tag) { $0 += value } }
      }
      frame.endsWithDigest = type == .bye || type == .endOfRepresentation
      return frame
    }
  }

  private static let versions: [UInt8] = [SessionField.versions, 2, 0, 0, 0, 1, 1]
  private static let range: [UInt8] = [SessionField.range, 16, 0, 0, 0] + [UInt8](repeating: 0, count: 16)
  private static let refusal: [UInt8] = [1, 1, 0, 0, 0, 1]

  static let cases = [
    Case(testDescription: "versions", type: .hello, number: 0, tag: SessionField.versions, value: [1, 1]),
    Case(
      testDescription: "features", type: .hello, number: 0, start: versions, tag: SessionField.features,
      value: [UInt8](repeating: 0, count: 8)),
    Case(
      testDescription: "requests", type: .hello, number: 0, start: versions, tag: SessionField.requests,
      value: [9, 0, 0, 0]),
    Case(
      testDescription: "actions", type: .endOfOffers, start: [0, 0, 0, 0], tag: SessionField.actions, value: [1]),
    Case(
      testDescription: "range", type: .request, start: [UInt8](repeating: 0, count: 24), tag: SessionField.range,
      value: [UInt8](repeating: 0, count: 16)),
    Case(
      testDescription: "checksum of a request", type: .request, start: [UInt8](repeating: 0, count: 24) + range,
      tag: SessionField.startCheck, value: [0, 0, 0, 0]),
    Case(
      testDescription: "digest of an end of representation", type: .endOfRepresentation,
      start: [UInt8](repeating: 0, count: 8), tag: SessionField.digest, value: [0, 0, 0, 0]),
    Case(
      testDescription: "digest of a bye", type: .bye, number: 0, tag: SessionField.digest, value: [0, 0, 0, 0]),
    Case(
      testDescription: "check", type: .descriptor, start: [3] + [UInt8](repeating: 0, count: 8),
      tag: SessionField.check, value: [0, 0, 0, 0]),
    Case(testDescription: "kept", type: .finish, start: [1], tag: SessionField.kept, value: [0, 0, 0, 0, 1, 0, 0, 0]),
    Case(testDescription: "kept, of nothing", type: .finish, start: [1], tag: SessionField.kept, value: []),
    Case(testDescription: "refusal", type: .finish, start: [0], tag: SessionField.refusal, value: refusal),
    Case(testDescription: "kind of a failure", type: .cancellation, tag: 1, value: [1]),
    Case(testDescription: "reason of a failure", type: .withdrawal, start: refusal, tag: 2, value: [65]),
  ]

  @Test func aChecksumWithoutARangeIsRefused() {
    let request = Case(
      testDescription: "", type: .request, start: [UInt8](repeating: 0, count: 24), tag: SessionField.startCheck,
      value: [0, 0, 0, 0])
    #expect(
      SessionScript.meaning(of: SessionScript([.hello(SessionHello()), request.frame(1)]).bytes).last == "damaged")
  }

  @Test("a field that may occur once is refused when it occurs twice", arguments: cases)
  func repeatedFieldIsRefused(_ one: Case) {
    let before: [OutgoingFrame] = one.type == .hello ? [] : [.hello(SessionHello())]
    let once = SessionScript.meaning(of: SessionScript(before + [one.frame(1)]).bytes)
    #expect(once.last == (one.type == .bye ? "end" : "cut"))
    #expect(once.count == before.count + 2)
    #expect(SessionScript.meaning(of: SessionScript(before + [one.frame(2)]).bytes).last == "damaged")
  }
}
