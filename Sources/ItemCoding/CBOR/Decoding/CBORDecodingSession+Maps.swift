// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The traversal of maps and arrays.
extension CBORDecodingSession {
  /// Opens the value of `frame` as a map or array; does nothing if it is already open as that kind.
  func open(_ frame: Frame, as major: CBORMajorType) throws(CBORFault) {
    let kind = major == .map ? CBORDecodingFrame.Kind.map : .array
    if frame.pointee.kind == kind { return }
    let expected: StaticString = major == .map ? "a map" : "an array"
    guard frame.pointee.start >= 0 else { throw CBORFault(.null, at: 0, "expected \(expected), found nothing") }
    var offset = frame.pointee.start
    let header = try input.pointee.untaggedHeader(&offset)
    guard header.major == major else { throw input.pointee.mismatch(header, expected, frame.pointee.start) }
    guard frame.pointee.nesting < depthLimit else { throw tooDeep(frame.pointee.start) }
    if header.isIndefinite {
      frame.pointee.total = -1
    } else {
      frame.pointee.total = try input.pointee.elementCount(header, frame.pointee.start, offset)
      if frame.pointee.total > lengthLimit {
        throw input.pointee.tooLong(frame.pointee.total, frame.pointee.start)
      }
    }
    frame.pointee.kind = kind
    frame.pointee.content = offset
    frame.pointee.cursor = offset
    frame.pointee.passed = 0
    frame.pointee.lastKeyPlace = -1
    frame.pointee.passedNames = 0
    frame.pointee.key.place = -1
    frame.pointee.index.clear()
    // If the program retains the decoder, the value around it is complete. Only this index then finds a repeated key.
    if frame.pointee.keptPath != nil, kind == .map { try makeIndex(frame) }
  }

  /// Returns whether `offset`, after `passed` entries or elements, is the end of the container.
  @inline(__always)
  func isAtEnd(_ frame: Frame, _ passed: Int, _ offset: Int) throws(CBORFault) -> Bool {
    if frame.pointee.total >= 0 { return passed >= frame.pointee.total }
    if try input.pointee.isBreak(at: offset) { return true }
    if passed >= lengthLimit {
      throw input.pointee.tooLong(passed + 1, frame.pointee.start)
    }
    return false
  }

  /// Returns the offset after the value of `frame`, and skips the parts that were not decoded.
  @inline(__always)
  func end(of frame: Frame) throws(CBORFault) -> Int {
    if frame.pointee.kind == .map, !frame.pointee.index.isMade {
      // Keys that were decoded in order are different, so none is repeated.
      if _fastPath(frame.pointee.passed == frame.pointee.total) { return frame.pointee.cursor }
    } else if frame.pointee.end >= 0 {
      return frame.pointee.end
    }
    return try findEnd(of: frame)
  }

  @inline(never)
  private func findEnd(of frame: Frame) throws(CBORFault) -> Int {
    var offset: Int
    switch frame.pointee.kind {
    case .map:
      try makeIndex(frame)
      return frame.pointee.end
    case .array:
      offset = frame.pointee.cursor
      var passed = frame.pointee.passed
      while try !isAtEnd(frame, passed, offset) {
        try skip(&offset)
        passed += 1
      }
      if frame.pointee.total < 0 { offset += 1 }
    case .unread, .value:
      offset = max(0, frame.pointee.start)
      try skip(&offset)
    }
    frame.pointee.end = offset
    return offset
  }

  // MARK: Keys

  /// Returns the offset of the value whose key is `text` or `number`.
  @inline(never)
  func findInIndex(
    _ text: UnsafeRawBufferPointer, _ number: Int?, _ frame: Frame
  ) throws(CBORFault) -> Int? {
    try makeIndex(frame)
    let named = frame.pointee.index.find(text: text, input.pointee)
    if let named, number == nil { return frame.pointee.index[named].value }
    let other = try frame.pointee.index.findOther { entry throws(CBORFault) in
      try matches(entry, text, number)
    }
    if let named, let other { throw CBORMapIndex.repeatedKey(at: frame.pointee.index[max(named, other)].keyStart) }
    return (named ?? other).map { frame.pointee.index[$0].value }
  }

  /// Returns the offset of the value whose key is `text` or `number`, for a key whose type has no table.
  func find(_ text: String, number: Int? = nil, in frame: Frame) throws(CBORFault) -> Int? {
    var text = text
    let found: Result<Int?, CBORFault> = text.withUTF8 { utf8 in
      Result { () throws(CBORFault) in try findInIndex(UnsafeRawBufferPointer(utf8), number, frame) }
    }
    return try found.get()
  }

  enum Key {
    case text(String)
    case number(Int)
  }

  /// Returns the key at an index; `nil` if it is neither text nor an integer.
  func key(at place: Int, of frame: Frame) -> Key? {
    var offset = frame.pointee.index[place].keyStart
    if let text = try? input.pointee.text(&offset) { return .text(text) }
    offset = frame.pointee.index[place].keyStart
    return (try? input.pointee.integer(&offset)).map { .number($0) }
  }

  /// Returns whether a key that is not text of definite length equals `text` or `number`.
  private func matches(
    _ entry: CBORMapIndex.Entry, _ text: UnsafeRawBufferPointer, _ number: Int?
  ) throws(CBORFault) -> Bool {
    var offset = entry.keyStart
    try pay(1, at: offset)
    switch try input.pointee.untaggedHeader(&offset).major {
    case .textString:
      offset = entry.keyStart
      return try input.pointee.text(&offset).utf8.elementsEqual(text)
    case .unsignedInteger, .negativeInteger:
      guard let number else { return false }
      offset = entry.keyStart
      let key: Int128 = try input.pointee.integer(&offset)
      return key == Int128(number)
    default: return false
    }
  }

  /// Indexes all entries of the map, and throws if it has a repeated key.
  func makeIndex(_ frame: Frame) throws(CBORFault) {
    if frame.pointee.index.isMade { return }
    frame.pointee.index.clear()
    var offset = frame.pointee.content
    var count = 0
    while try !isAtEnd(frame, count, offset) {
      let keyStart = offset
      let header = try input.pointee.untaggedHeader(&offset)
      var textLength = -1
      var digest: UInt64 = 0
      if header.major == .textString, !header.isIndefinite {
        textLength = try input.pointee.length(header, keyStart, offset)
        let text = UnsafeRawBufferPointer(start: input.pointee.base + offset, count: textLength)
        digest = CBORMapIndex.digest(of: text)
        offset &+= textLength
      } else {
        offset = keyStart
        try skip(&offset)
      }
      let value = offset
      try pay(1, at: offset)
      try skip(&offset)
      frame.pointee.index.append(
        CBORMapIndex.Entry(keyStart: keyStart, textLength: textLength, value: value, digest: digest))
      count &+= 1
    }
    if frame.pointee.total < 0 { offset += 1 }
    let names = frame.pointee.lastKeyPlace >= 0 ? frame.pointee.lastKeyNames : nil
    try frame.pointee.index.finish(input.pointee, names.map { Unmanaged.fromOpaque($0).takeUnretainedValue() })
    if frame.pointee.index.isLarge { requireTidying() }
    frame.pointee.end = offset
  }
}

extension CBORInput {
  /// Returns whether the bytes at `offset` are equal to the bytes of `name`.
  @inline(__always)
  func hasBytes(_ name: CBORKeyNames.Name, at offset: Int) -> Bool {
    guard _fastPath(name.count <= count &- offset) else { return false }
    return Self.areEqual(base + offset, UnsafeRawPointer(name.bytes.unsafelyUnwrapped), name.count)
  }

  /// Returns whether the text at `offset` equals `text`, which has fewer than 24 bytes.
  @inline(__always)
  func hasText(_ text: UnsafePointer<UInt8>, _ length: Int, at offset: Int) -> Bool {
    guard _fastPath(length < count &- offset) else { return false }
    return base[offset] == CBORMajorType.textString.initialByte | UInt8(truncatingIfNeeded: length)
      && Self.areEqual(base + (offset &+ 1), text, length)
  }

  /// Returns whether the `length` bytes at two addresses are equal.
  @inline(__always)
  static func areEqual(_ one: UnsafeRawPointer, _ other: UnsafeRawPointer, _ length: Int) -> Bool {
    // Two overlapping loads are faster than a call of `memcmp`.
    if length >= 8, length <= 16 {
      return one.loadUnaligned(as: UInt64.self) == other.loadUnaligned(as: UInt64.self)
        && one.loadUnaligned(fromByteOffset: length &- 8, as: UInt64.self)
          == other.loadUnaligned(fromByteOffset: length &- 8, as: UInt64.self)
    }
    if length >= 4, length < 8 {
      return one.loadUnaligned(as: UInt32.self) == other.loadUnaligned(as: UInt32.self)
        && one.loadUnaligned(fromByteOffset: length &- 4, as: UInt32.self)
          == other.loadUnaligned(fromByteOffset: length &- 4, as: UInt32.self)
    }
    return memcmp(one, other, length) == 0
  }
}
