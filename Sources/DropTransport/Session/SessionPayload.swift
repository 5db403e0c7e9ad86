// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem

/// A decoder for the payload of a session frame, which a hostile peer may have written.
struct SessionPayload {
  private let payload: [UInt8]
  private let frameOffset: UInt64

  init(_ payload: [UInt8], frameOffset: UInt64) {
    self.payload = payload
    self.frameOffset = frameOffset
  }

  func hello() throws(DropStreamError) -> SessionHello {
    let fields = reader("a handshake")
    var versions: ClosedRange<UInt8>?
    var features: UInt64?
    var requests: UInt32?
    try fields.forEachField(in: payload[...]) { (tag, value) throws(DropStreamError) in
      switch tag {
      case SessionField.versions:
        guard versions == nil, value.count == 2, let lowest = value.first, let highest = value.last, lowest <= highest
        else { throw fields.malformed("unreadable versions") }
        versions = lowest...highest
      case SessionField.features:
        features = try integer(value, instead: features, of: fields)
      case SessionField.requests:
        requests = try integer(value, instead: requests, of: fields)
      default: return false
      }
      return true
    }
    guard let versions else { throw fields.malformed("no versions") }
    return SessionHello(
      versions: versions, features: SessionHello.Features(rawValue: features ?? 0),
      requests: max(1, requests ?? SessionHello().requests))
  }

  func endOfOffers() throws(DropStreamError) -> (itemCount: UInt32, DropActions) {
    var actions: UInt8?
    let fields = reader("the end of an offer")
    let itemCount: UInt32 = try leading(4, fields) { (tag, value) throws(DropStreamError) in
      guard tag == SessionField.actions else { return false }
      actions = try integer(value, instead: actions, of: fields)
      return true
    }.littleEndian(at: 0)
    guard let actions else { throw fields.malformed("no actions") }
    return (itemCount, DropActions(rawValue: actions))
  }

  func request() throws(DropStreamError) -> SessionRequest {
    let fields = reader("a request")
    var range: Range<UInt64>?
    var startDigest: [UInt8]?
    let start = try leading(SessionRequest.length, fields) { (tag, value) throws(DropStreamError) in
      if tag == SessionField.startDigest {
        guard startDigest == nil, value.count == SHA256.length else { throw fields.malformed("an invalid digest") }
        startDigest = Array(value)
        return true
      }
      guard tag == SessionField.range else { return false }
      guard range == nil, value.count == 16 else { throw fields.malformed("an invalid range") }
      let (first, count): (UInt64, UInt64) = value.withUnsafeBytes { ($0.littleEndian(at: 0), $0.littleEndian(at: 8)) }
      let (end, overflow) = first.addingReportingOverflow(count)
      guard !overflow, end <= UInt64(Int64.max) else { throw fields.malformed("a range beyond 2^63-1 bytes") }
      range = first..<end
      return true
    }
    guard startDigest == nil || range != nil else { throw fields.malformed("a digest without a range") }
    return start.withUnsafeBytes { bytes in
      SessionRequest(
        generation: bytes.littleEndian(at: 0), item: bytes.littleEndian(at: 4),
        representation: bytes.littleEndian(at: 8),
        accepts: SessionRequest.Acceptance(rawValue: bytes.littleEndian(at: 12)),
        credit: bytes.littleEndian(at: 16), range: range, startDigest: startDigest)
    }
  }

  func preparation() throws(DropStreamError) -> (completed: UInt64, total: UInt64?) {
    let start = try leading(16, reader("a progress")) { _, _ in false }
    let (completed, total): (UInt64, UInt64) = (start.littleEndian(at: 0), start.littleEndian(at: 8))
    return (completed, total == .max ? nil : total)
  }

  func endOfRepresentation() throws(DropStreamError) -> (byteCount: UInt64, digest: UInt32) {
    var digest: UInt32?
    let fields = reader("the end of a representation")
    let start = try leading(8, fields) { (tag, value) throws(DropStreamError) in
      guard tag == SessionField.digest else { return false }
      digest = try integer(value, instead: digest, of: fields)
      return true
    }
    guard let digest else { throw fields.malformed("no digest") }
    return (start.littleEndian(at: 0), digest)
  }

  func bye() throws(DropStreamError) -> UInt32 {
    var digest: UInt32?
    let fields = reader("a close frame")
    _ = try leading(0, fields) { (tag, value) throws(DropStreamError) in
      guard tag == SessionField.digest else { return false }
      digest = try integer(value, instead: digest, of: fields)
      return true
    }
    guard let digest else { throw fields.malformed("no digest") }
    return digest
  }

  func descriptor() throws(DropStreamError) -> SessionDescriptor {
    let fields = reader("a descriptor")
    var check: UInt32?
    let start = try leading(9, fields) { (tag, value) throws(DropStreamError) in
      guard tag == SessionField.check else { return false }
      check = try integer(value, instead: check, of: fields)
      return true
    }
    guard let kind = SessionDescriptor.Kind(rawValue: start[0]), kind != .sealedMemory || check != nil else {
      throw fields.malformed("no readable kind")
    }
    return SessionDescriptor(kind: kind, byteCount: start.littleEndian(at: 1), check: check)
  }

  func finish() throws(DropStreamError) -> SessionFinish {
    let fields = reader("a finish")
    var finish = SessionFinish()
    var hasKept = false
    let start = try leading(1, fields) { (tag, value) throws(DropStreamError) in
      switch tag {
      case SessionField.kept:
        guard !hasKept else { throw fields.malformed("kept items twice") }
        hasKept = true
        finish.kept = try kept(value, fields)
      case SessionField.refusal:
        guard finish.refusal == nil else { throw fields.malformed("two refusals") }
        finish.refusal = try SenderFailure(Array(value), frameOffset: frameOffset)
      default: return false
      }
      return true
    }
    if start[0] != 0 {
      guard let action = DropAction(rawValue: start[0]) else { throw fields.malformed("unknown action \(start[0])") }
      finish.action = action
    }
    return finish
  }

  /// Decodes the runs of kept items.
  ///
  /// A run is encoded as its first index and its length.
  private func kept(_ value: ArraySlice<UInt8>, _ fields: FieldReader) throws(DropStreamError) -> [Range<UInt32>] {
    guard value.count % 8 == 0 else { throw fields.malformed("an invalid list of kept items") }
    var kept: [Range<UInt32>] = []
    for offset in stride(from: 0, to: value.count, by: 8) {
      let (first, count): (UInt32, UInt32) = value.withUnsafeBytes {
        ($0.littleEndian(at: offset), $0.littleEndian(at: offset + 4))
      }
      let (end, overflow) = first.addingReportingOverflow(count)
      guard !overflow, count > 0, kept.last.map({ $0.upperBound <= first }) ?? true else {
        throw fields.malformed("kept items that are not in order")
      }
      kept.append(first..<end)
    }
    return kept
  }

  func acknowledgement() throws(DropStreamError) -> Bool {
    try leading(1, reader("an acknowledgement")) { _, _ in false }[0] == 1
  }

  func senderFailure() throws(DropStreamError) -> SenderFailure {
    try SenderFailure(payload, frameOffset: frameOffset)
  }

  func leadingInteger(of owner: String) throws(DropStreamError) -> UInt64 {
    try reader(owner).leadingInteger(payload)
  }

  // MARK: -

  private func reader(_ owner: String) -> FieldReader {
    FieldReader(owner: owner, frameOffset: frameOffset)
  }

  /// Returns the first `count` bytes of the payload, and passes each field after them to `field`.
  private func leading(
    _ count: Int, _ fields: FieldReader, field: (UInt8, ArraySlice<UInt8>) throws(DropStreamError) -> Bool
  ) throws(DropStreamError) -> [UInt8] {
    guard payload.count >= count else { throw fields.malformed("a wrong length") }
    try fields.forEachField(in: payload[count...], field)
    return Array(payload[..<count])
  }

  /// Returns the integer in a field.
  ///
  /// - Throws: `damaged` if the field is repeated or its length is wrong.
  private func integer<Value: FixedWidthInteger>(
    _ value: ArraySlice<UInt8>, instead former: Value?, of fields: FieldReader
  ) throws(DropStreamError) -> Value {
    guard former == nil else { throw fields.malformed("a number twice") }
    guard value.count == MemoryLayout<Value>.size else { throw fields.malformed("a number of a wrong length") }
    return value.withUnsafeBytes { $0.littleEndian(at: 0) }
  }
}

extension [UInt8] {
  /// Returns the integer at `offset`.
  ///
  /// - Precondition: All of its bytes lie inside the array.
  func littleEndian<Value: FixedWidthInteger>(at offset: Int, as type: Value.Type = Value.self) -> Value {
    withUnsafeBytes { $0.littleEndian(at: offset) }
  }
}
