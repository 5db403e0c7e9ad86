// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import ItemTransfer
import TestSupport
import Testing

@testable import DropTransport

/// The real content of a response, and what each frame and each look of the requesting task must do.
private struct ExploredContent: Explored {
  enum Event: CustomStringConvertible {
    case bytes(Int), whole(Int), zeros(UInt64), descriptor, end(UInt64), failure, look

    var description: String {
      switch self {
      case .bytes(let count): "\(count) bytes"
      case .whole(let count): "all \(count) bytes"
      case .zeros(let count): "\(count) zeros"
      case .descriptor: "a descriptor"
      case .end(let count): "the end at \(count)"
      case .failure: "a failure"
      case .look: "a look"
      }
    }
  }

  enum Outcome: Equatable {
    case accepted, refused, unwanted
    case nothing, ended, failed
    case taken(Piece, credit: UInt64)
  }

  struct Piece: Equatable {
    let kind: Character
    let count: UInt64
  }

  enum Ending: UInt8 { case none, success, failure }

  static let window: UInt64 = 4
  static let descriptor: SharedDescriptor = {
    do {
      return SharedDescriptor(try OwnedDescriptor.open("/dev/null", 0))
    } catch {
      fatalError("\(error)")
    }
  }()

  /// The size that the offer declares, which also limits zeros.
  let promised: UInt64?
  let zerosEnd: UInt64
  /// All events until now: the content is an object, so each step repeats them with a new object.
  private var word: [Event] = []
  /// The bytes that the peer may send in all, and the bytes that it has sent, without zeros.
  private var granted = window
  private var sent: UInt64 = 0
  private var byteCount: UInt64 = 0
  private var takenSinceGrant: UInt64 = 0
  private var pieces: [Piece] = []
  private var ending = Ending.none
  /// Whether an ending came after the first one, which must have no effect.
  private var hasLateEnding = false
  /// Whether the session passes no more frames to the content.
  private var isClosed = false

  init(promised: UInt64?, zerosEnd: UInt64) {
    self.promised = promised
    self.zerosEnd = zerosEnd
  }

  var key: [UInt8] {
    [UInt8(granted - sent), UInt8(byteCount), UInt8(takenSinceGrant)]
      + [ending.rawValue, isClosed ? 1 : 0, hasLateEnding ? 1 : 0]
      + pieces.flatMap { [$0.kind.asciiValue ?? 0, UInt8($0.count)] }
  }

  var events: [Event] {
    // A time-out or the end of the session can follow the last frame.
    guard !isClosed else { return [.look, .failure] }
    return [
      .look, .bytes(1), .bytes(3), .whole(0), .whole(4), .whole(5), .zeros(1), .zeros(4), .descriptor, .failure,
      .end(byteCount), .end(byteCount + 1),
    ]
  }

  mutating func take(_ event: Event) -> String? {
    let content = SessionContent(
      number: 1, window: Self.window, promised: promised, zerosEnd: zerosEnd, progress: ItemProgress())
    for event in word { _ = Self.apply(event, to: content) }
    word.append(event)
    let outcome = Self.apply(event, to: content)
    if case .look = event { return checkLook(outcome) }
    let expected = expectedOutcome(of: event)
    if outcome == .refused { end(.failure) }
    return outcome == expected ? nil : "\(outcome) instead of \(expected)"
  }

  /// Does what a session does for a frame: a frame that is refused ends all content.
  private static func apply(_ event: Event, to content: SessionContent) -> Outcome {
    do throws(DropStreamError) {
      switch event {
      case .bytes(let count): return try content.append(Data(count: count), isWhole: false) ? .accepted : .unwanted
      case .whole(let count): return try content.append(Data(count: count), isWhole: true) ? .accepted : .unwanted
      case .zeros(let count): try content.append(zeros: count)
      case .descriptor: try content.append(SessionDescriptor(kind: .fileToCopy, byteCount: 0, check: nil), descriptor)
      case .end(let count): try content.end(byteCount: count)
      case .failure: content.end(.withdrawnOffer)
      case .look: return look(content)
      }
      return .accepted
    } catch {
      content.end(error)
      return .refused
    }
  }

  private static func look(_ content: SessionContent) -> Outcome {
    switch content.nextWithoutWaiting() {
    case nil: return .nothing
    case .failure: return .failed
    case .success(nil): return .ended
    case .success(let found?):
      switch found.piece {
      case .bytes(let data, let isWhole):
        return .taken(Piece(kind: isWhole ? "w" : "b", count: UInt64(data.count)), credit: found.credit)
      case .zeros(let count): return .taken(Piece(kind: "z", count: count), credit: found.credit)
      case .descriptor: return .taken(Piece(kind: "d", count: 0), credit: found.credit)
      }
    }
  }

  private mutating func end(_ ending: Ending) {
    hasLateEnding = self.ending != .none
    if !hasLateEnding { self.ending = ending }
    isClosed = true
  }

  private mutating func expectedOutcome(of event: Event) -> Outcome {
    switch event {
    case .bytes(let count): return add(UInt64(count), isWhole: false)
    case .whole(let count): return add(UInt64(count), isWhole: true)
    case .zeros(let count):
      // Zeros use no credit.
      guard byteCount + count <= zerosEnd else { return .refused }
      byteCount += count
      if let last = pieces.last, last.kind == "z" {
        pieces[pieces.count - 1] = Piece(kind: "z", count: last.count + count)
      } else {
        pieces.append(Piece(kind: "z", count: count))
      }
    case .descriptor:
      guard byteCount == 0, pieces.isEmpty else { return .refused }
      pieces.append(Piece(kind: "d", count: 0))
      end(.success)
    case .end(let count):
      guard count == byteCount else { return .refused }
      end(promised.map { $0 == count } ?? true ? .success : .failure)
    case .failure: end(.failure)
    case .look: break
    }
    return .accepted
  }

  private mutating func add(_ count: UInt64, isWhole: Bool) -> Outcome {
    guard sent + count <= granted, !isWhole || byteCount == 0 else { return .refused }
    sent += count
    byteCount += count
    if let promised, isWhole ? byteCount != promised : byteCount > promised {
      end(.failure)
      return .unwanted
    }
    pieces.append(Piece(kind: isWhole ? "w" : "b", count: count))
    if isWhole { end(.success) }
    return .accepted
  }

  private mutating func checkLook(_ outcome: Outcome) -> String? {
    guard let first = pieces.first else {
      let expected: Outcome = ending == .none ? .nothing : ending == .success ? .ended : .failed
      return outcome == expected ? nil : "\(outcome) instead of \(expected)"
    }
    guard case .taken(first, let credit) = outcome else { return "\(outcome) instead of \(first)" }
    pieces.removeFirst()
    if first.kind == "b" { takenSinceGrant += first.count }
    guard credit > 0 else {
      let isDue = first.kind == "b" && ending == .none && takenSinceGrant >= Self.window / 2
      return isDue ? "the peer gets no new credit" : nil
    }
    guard ending == .none, credit == takenSinceGrant else { return "a wrong credit of \(credit) bytes" }
    granted += credit
    takenSinceGrant = 0
    return nil
  }
}

/// Every order of the frames of one response and of the looks of its task.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct SessionContentTests {
  @Test(arguments: [(5, 5), (nil, 0), (nil, 5)] as [(UInt64?, UInt64)])
  func contentKeepsToItsCreditItsSizeAndItsFirstEndingInEveryOrder(promised: UInt64?, zerosEnd: UInt64) {
    let start = ExploredContent(promised: promised, zerosEnd: zerosEnd)
    let (states, words) = explore(start, "content of \(promised ?? 0) bytes", length: isFullRun ? 10 : 8)
    #expect(states > 100 && words > 10_000)
  }
}
