// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials
internal import Glibc

/// A growing buffer to which data items are appended, in preferred serialisation (RFC 8949, section 4.1).
///
/// The owner of the writer frees its memory.
struct CBORWriter {
  /// The address of the buffer, which has ``capacity`` bytes.
  private(set) var base: UnsafeMutableRawPointer
  /// The number of bytes that have been written.
  var count = 0
  private(set) var capacity: Int

  /// The capacity of a new writer in bytes, unless its owner states another.
  static let initialCapacity = 4096
  init(capacity: Int = initialCapacity) {
    base = Self.memory(malloc(capacity))
    self.capacity = capacity
  }

  func deallocate() {
    free(base)
  }

  /// The bytes that have been written, valid until the next change of the writer.
  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: base, count: count) }

  /// Makes room for `extra` more bytes.
  ///
  /// Call this before the methods whose names begin with `put`.
  @inline(__always)
  mutating func reserve(_ extra: Int) {
    if _slowPath(capacity &- count < extra) { grow(by: extra) }
  }

  @inline(never)
  private mutating func grow(by extra: Int) {
    // A large buffer grows slowly, so that it takes little more memory than the output.
    capacity = max(count + extra, capacity + (capacity < 1 << 16 ? capacity : capacity / 4))
    base = Self.memory(realloc(base, capacity))
  }

  private static func memory(_ pointer: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer {
    guard let pointer else { fatalError("out of memory") }
    return pointer
  }

  /// Returns the bytes without copying them, and continues with an empty buffer.
  ///
  /// At least one byte must have been written.
  mutating func take() -> Data {
    defer { self = CBORWriter() }
    return Data(bytesNoCopy: Self.memory(realloc(base, count)), count: count, deallocator: .free)
  }

  // MARK: Appending without reserving memory

  @inline(__always)
  mutating func put(_ byte: UInt8) {
    base.storeBytes(of: byte, toByteOffset: count, as: UInt8.self)
    count &+= 1
  }

  /// Appends the bytes that `body` stores at the address in its argument, which `body` moves past these bytes.
  @inline(__always)
  mutating func store(_ body: (inout UnsafeMutableRawPointer) -> Void) {
    var target = base + count
    body(&target)
    count = target - base
  }

  @inline(__always)
  mutating func put<Number: FixedWidthInteger>(bigEndian number: Number) {
    base.storeBytes(of: number.bigEndian, toByteOffset: count, as: Number.self)
    count &+= MemoryLayout<Number>.size
  }

  /// Writes a header of at most 9 bytes.
  @inline(__always)
  mutating func put(_ major: CBORMajorType, _ argument: UInt64) {
    if argument < 24 {
      put(major.initialByte | UInt8(truncatingIfNeeded: argument))
    } else {
      putLong(major, argument)
    }
  }

  @inline(__always)
  private mutating func putLong(_ major: CBORMajorType, _ argument: UInt64) {
    if argument <= 0xFF {
      put(bigEndian: UInt16(major.initialByte | 24) << 8 | UInt16(truncatingIfNeeded: argument))
    } else if argument <= 0xFFFF {
      put(major.initialByte | 25)
      put(bigEndian: UInt16(truncatingIfNeeded: argument))
    } else if argument <= 0xFFFF_FFFF {
      put(major.initialByte | 26)
      put(bigEndian: UInt32(truncatingIfNeeded: argument))
    } else {
      put(major.initialByte | 27)
      put(bigEndian: argument)
    }
  }

  @inline(__always)
  mutating func put(_ number: Int64) {
    // The argument of a negative number is -1 - number, the complement of all bits.
    if number >= 0 {
      put(.unsignedInteger, UInt64(bitPattern: number))
    } else {
      put(.negativeInteger, UInt64(bitPattern: ~number))
    }
  }

  /// Appends the shortest exact form, which has at most 9 bytes.
  @inline(__always)
  mutating func put(_ number: Double) {
    store { target in Self.store(number, at: &target) }
  }

  @inline(__always)
  mutating func put(_ number: Float) {
    store { target in Self.store(number, at: &target) }
  }
}

/// Methods that write items or their headers, and reserve the memory for them.
extension CBORWriter {
  /// The maximum length of a header or number in bytes.
  static let headerCapacity = 9

  @inline(__always)
  mutating func write(byte: UInt8) {
    reserve(1)
    put(byte)
  }

  @inline(__always)
  mutating func write(_ value: Bool) {
    write(byte: value ? CBORByte.true : CBORByte.false)
  }

  @inline(__always)
  mutating func write(_ major: CBORMajorType, _ argument: UInt64) {
    reserve(Self.headerCapacity)
    put(major, argument)
  }

  @inline(__always)
  mutating func write<Number: FixedWidthInteger>(_ number: Number) {
    if Number.bitWidth > 64 {
      writeWide(Int128(truncatingIfNeeded: number), isSigned: Number.isSigned)
    } else {
      reserve(Self.headerCapacity)
      if Number.isSigned {
        put(Int64(truncatingIfNeeded: number))
      } else {
        put(.unsignedInteger, UInt64(truncatingIfNeeded: number))
      }
    }
  }

  /// Writes an integer of 128 bits; `isSigned` states whether its highest bit is a sign.
  private mutating func writeWide(_ number: Int128, isSigned: Bool) {
    let isNegative = isSigned && number < 0
    let magnitude = UInt128(truncatingIfNeeded: isNegative ? ~number : number)
    writeInteger(isNegative: isNegative, argument: magnitude)
  }

  /// Writes the integer `argument`, or -1 - `argument` if `isNegative` is set.
  ///
  /// An argument of more than 64 bits makes a bignum without leading zero bytes (RFC 8949, section 3.4.3).
  mutating func writeInteger(isNegative: Bool, argument: UInt128) {
    if let short = UInt64(exactly: argument) {
      write(isNegative ? .negativeInteger : .unsignedInteger, short)
      return
    }
    write(.tag, isNegative ? CBORTag.negativeBignum : CBORTag.positiveBignum)
    let length = (128 - argument.leadingZeroBitCount + 7) / 8
    write(.byteString, UInt64(length))
    reserve(length)
    for index in (0..<length).reversed() {
      put(UInt8(truncatingIfNeeded: argument >> (8 * UInt128(index))))
    }
  }

  @inline(__always)
  mutating func write(_ number: Double) {
    reserve(Self.headerCapacity)
    put(number)
  }

  @inline(__always)
  mutating func write(_ number: Float) {
    reserve(Self.headerCapacity)
    put(number)
  }

  @inline(__always)
  mutating func write(_ text: String) {
    let isWritten: Void? = text.utf8.withContiguousStorageIfAvailable { utf8 in
      write(.textString, UnsafeRawBufferPointer(utf8))
    }
    if isWritten == nil { writeCopied(text) }
  }

  @inline(never)
  private mutating func writeCopied(_ text: String) {
    var text = text
    text.withUTF8 { write(.textString, UnsafeRawBufferPointer($0)) }
  }

  /// Writes a name as text.
  @inline(__always)
  mutating func write(_ name: StaticString) {
    let length = name.utf8CodeUnitCount
    reserve(length &+ Self.headerCapacity)
    put(.textString, UInt64(truncatingIfNeeded: length))
    put(UnsafeRawBufferPointer(start: name.utf8Start, count: length))
  }

  /// Appends bytes without reserving memory.
  @inline(__always)
  mutating func put(_ bytes: UnsafeRawBufferPointer) {
    if let source = bytes.baseAddress { (base + count).copyMemory(from: source, byteCount: bytes.count) }
    count &+= bytes.count
  }

  /// Writes the name of a key.
  @inline(__always)
  mutating func write(_ name: CBORKeyNames.Name) {
    reserve(name.count)
    put(UnsafeRawBufferPointer(start: name.bytes, count: name.count))
  }

  /// Writes a byte string or text string.
  @inline(__always)
  mutating func write(_ major: CBORMajorType, _ bytes: UnsafeRawBufferPointer) {
    let length = bytes.count
    reserve(length &+ Self.headerCapacity)
    put(major, UInt64(truncatingIfNeeded: length))
    put(bytes)
  }

  // MARK: Changes

  /// Inserts `bytes` at `offset`.
  mutating func insert(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
    guard let source = bytes.baseAddress, bytes.count > 0 else { return }
    reserve(bytes.count)
    memmove(base + offset + bytes.count, base + offset, count - offset)
    (base + offset).copyMemory(from: source, byteCount: bytes.count)
    count += bytes.count
  }

  /// Inserts `pieces` at their offsets, which ascend.
  ///
  /// All pieces together have `byteCount` bytes.
  mutating func insert(_ pieces: [(offset: Int, bytes: UnsafeRawBufferPointer)], byteCount: Int) {
    reserve(byteCount)
    var (end, shift) = (count, byteCount)
    // The loop starts with the last piece, so that every byte is moved only once.
    for piece in pieces.reversed() {
      memmove(base + piece.offset + shift, base + piece.offset, end - piece.offset)
      shift -= piece.bytes.count
      if let source = piece.bytes.baseAddress {
        (base + piece.offset + shift).copyMemory(from: source, byteCount: piece.bytes.count)
      }
      end = piece.offset
    }
    count += byteCount
  }

  /// Sorts the map entries, set elements or dictionary pairs at `starts` by their bytes.
  ///
  /// Comparing whole entries gives the order of their keys, because no data item is a prefix of a different data item.
  /// The last entry ends at the end of the bytes. With ``CBOREncoder/KeyOrder/lengthFirst``, the lengths of the keys
  /// are compared first.
  mutating func sortEntries(at starts: ArraySlice<Int>, _ order: CBOREncoder.KeyOrder = .deterministic) {
    guard let first = starts.first, starts.count > 1 else { return }
    // The last entry may be shorter than a prefix, which is loaded nevertheless.
    reserve(MemoryLayout<UInt64>.size)
    let base = base
    func precedes(_ one: Entry, _ other: Entry) -> Bool {
      if one.prefix != other.prefix { return one.prefix < other.prefix }
      return memcmp(base + one.start, base + other.start, min(one.end - one.start, other.end - other.start)) < 0
    }
    var entries: [Entry] = []
    entries.reserveCapacity(starts.count)
    var isSorted = true
    for index in starts.indices {
      let start = starts[index]
      let prefix =
        order == .lengthFirst
        ? UInt64(endOfItem(at: start) - start)
        : UInt64(bigEndian: base.loadUnaligned(fromByteOffset: start, as: UInt64.self))
      let entry = Entry(prefix: prefix, start: start, end: index + 1 < starts.endIndex ? starts[index + 1] : count)
      if isSorted, let last = entries.last { isSorted = !precedes(entry, last) }
      entries.append(entry)
    }
    if isSorted { return }
    entries.sort(by: precedes)
    var sorted = CBORWriter(capacity: count - first)
    defer { sorted.deallocate() }
    for entry in entries {
      sorted.put(UnsafeRawBufferPointer(start: base + entry.start, count: entry.end - entry.start))
    }
    (base + first).copyMemory(from: sorted.base, byteCount: sorted.count)
  }

  /// Returns the offset after the item at `start`, one of the items in the bytes.
  func endOfItem(at start: Int) -> Int {
    let input = CBORInput(base: UnsafePointer(base.assumingMemoryBound(to: UInt8.self)), count: count)
    var offset = start
    do {
      _ = try input.skip(&offset, depth: .max)
    } catch {
      preconditionFailure("the writer's own bytes are malformed: \(error)")
    }
    return offset
  }

  /// An entry that is sorted, and a number that decides most comparisons: its first eight bytes, or the key's length.
  private struct Entry {
    let prefix: UInt64
    let start: Int
    let end: Int
  }

  /// Replaces the header of one byte at `start` by a header for `count`, and moves the content if necessary.
  @inline(never)
  mutating func lengthenHeader(_ major: CBORMajorType, _ count: Int, at start: Int) {
    var header = CBORWriter(capacity: Self.headerCapacity)
    defer { header.deallocate() }
    header.put(major, UInt64(count))
    base.storeBytes(of: header.base.load(as: UInt8.self), toByteOffset: start, as: UInt8.self)
    insert(UnsafeRawBufferPointer(rebasing: header.bytes.dropFirst()), at: start + 1)
  }
}

/// Methods that store numbers in their shortest encoding.
///
/// The target must have room for ``headerCapacity`` bytes, and is moved past the number. In a loop, the target can stay
/// in a register.
extension CBORWriter {
  @inline(__always)
  static func store(_ number: Double, at target: inout UnsafeMutableRawPointer) {
    // With one of these bits set, the number, or the payload of a NaN, does not fit into single precision.
    if _fastPath(number.bitPattern & 0x1FFF_FFFF != 0) {
      store(double: number.bitPattern, at: &target)
    } else {
      target = storeShort(number, at: target)
    }
  }

  /// Writes a number in the shortest floating-point form that preserves its value.
  ///
  /// - Returns: The address after the number.
  @inline(never)
  private static func storeShort(_ number: Double, at start: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer {
    var target = start
    let bits = number.bitPattern
    if number != number {
      // The payload is copied, because a conversion would make a signalling NaN quiet.
      let (sign, rest) = (UInt32(truncatingIfNeeded: bits >> 63) << 31, UInt32(truncatingIfNeeded: bits >> 29))
      store(single: sign | rest & 0x7FFF_FFFF, at: &target)
    } else if Double(Float(number)) == number {
      store(Float(number), at: &target)
    } else {
      store(double: bits, at: &target)
    }
    return target
  }

  @inline(__always)
  static func store(_ number: Float, at target: inout UnsafeMutableRawPointer) {
    store(single: number.bitPattern, at: &target)
  }

  @inline(__always)
  private static func store(single bits: UInt32, at target: inout UnsafeMutableRawPointer) {
    if let half = half(bits) {
      target.storeBytes(of: CBORByte.halfFloat, as: UInt8.self)
      target.storeBytes(of: half.bigEndian, toByteOffset: 1, as: UInt16.self)
      target += 3
    } else {
      target.storeBytes(of: CBORByte.singleFloat, as: UInt8.self)
      target.storeBytes(of: bits.bigEndian, toByteOffset: 1, as: UInt32.self)
      target += 5
    }
  }

  @inline(__always)
  private static func store(double bits: UInt64, at target: inout UnsafeMutableRawPointer) {
    target.storeBytes(of: CBORByte.doubleFloat, as: UInt8.self)
    target.storeBytes(of: bits.bigEndian, toByteOffset: 1, as: UInt64.self)
    target += 9
  }

  /// Returns the number in half precision, or a NaN with its payload; `nil` if that is not exact.
  @inline(__always)
  private static func half(_ bits: UInt32) -> UInt16? {
    // The low 13 bits of the fraction must be zero, also for a NaN. Most numbers fail this test.
    guard bits & 0x1FFF == 0 else { return nil }
    let sign = UInt16(truncatingIfNeeded: bits >> 16) & 0x8000
    let exponent = Int(bits >> 23 & 0xFF)
    let fraction = bits & 0x7F_FFFF
    switch exponent {
    case 113...142:
      return sign | UInt16(exponent - 112) << 10 | UInt16(fraction >> 13)
    case 103...112:
      // Subnormal: the leading one, which is implicit in single precision, is shifted as well.
      let significand = fraction | 0x80_0000
      let shift = UInt32(126 - exponent)
      guard significand & (1 << shift - 1) == 0 else { return nil }
      return sign | UInt16(significand >> shift)
    case 0:
      return fraction == 0 ? sign : nil
    case 255:
      return sign | 0x7C00 | UInt16(fraction >> 13)
    default:
      return nil
    }
  }
}
