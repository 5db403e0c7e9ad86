// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import ItemTransfer

/// How far a transfer is, for another program: one object of JSON Lines.
///
/// What nobody knows is absent. The last one has an ``ending``, and no other has.
struct ProgressRecord: Encodable, Sendable {
  /// What a line is at most, so that one write to a pipe is whole or not there.
  ///
  /// A name has the greatest part in it: a character of it takes twelve bytes at most.
  static let byteLimit = 4096
  private static let nameLimit = 255

  let phase: String
  /// Which item is on its way, from 1.
  let item: Int?
  /// Its name, whole up to 255 characters.
  let name: String?
  let bytes: UInt64
  let totalBytes: UInt64?
  /// How many items are done.
  let items: Int
  let totalItems: Int?
  let bytesPerSecond: UInt64?
  let secondsRemaining: UInt64?
  let ending: String?

  init(_ snapshot: TransferSnapshot, rate: TransferRate, ending: ItemProgress.Ending? = nil) {
    phase = snapshot.phase.word
    item = snapshot.item > 0 ? snapshot.item : nil
    name = snapshot.name.map { String(String.UnicodeScalarView($0.unicodeScalars.prefix(Self.nameLimit))) }
    bytes = snapshot.bytes
    let total = snapshot.totalBytes.map { max($0, snapshot.bytes) }
    totalBytes = total
    items = ending == .finished ? snapshot.item : max(0, snapshot.item - 1)
    totalItems = snapshot.totalItems
    bytesPerSecond = rate.bytesPerSecond
    secondsRemaining = total.flatMap { rate.secondsRemaining(for: $0 - snapshot.bytes) }
    self.ending = ending?.word
  }

  /// The object, without anything in it that could act on a terminal, and the line's end.
  var line: String {
    // Integers and text: nothing in it can fail to be encoded.
    (try? JSONOutput().text(self)).map { $0 + "\n" } ?? ""
  }
}

extension ItemProgress.Phase {
  /// What it is called, by people and programs.
  var word: String {
    switch self {
    case .preparing: "preparing"
    case .transferring: "transferring"
    case .verifying: "verifying"
    }
  }
}

extension ItemProgress.Ending {
  /// What it is called by programs.
  var word: String {
    switch self {
    case .finished: "finished"
    case .cancelled: "cancelled"
    case .failed: "failed"
    }
  }
}
