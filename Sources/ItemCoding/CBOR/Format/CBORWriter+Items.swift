// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import Glibc

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
    put(UnsafeRawPointer(name.utf8Start), length)
  }

  /// Appends bytes without reserving memory.
  @inline(__always)
  mutating func put(_ bytes: UnsafeRawBufferPointer) {
    if let source = bytes.baseAddress { put(source, bytes.count) }
  }

  /// Appends the bytes at `source` without reserving memory.
  @inline(__always)
  private mutating func put(_ source: UnsafeRawPointer, _ length: Int) {
    let target = base + count
    // Copying two overlapping blocks is faster than a call of `memcpy`.
    if length >= 4, length <= 16 {
      if length >= 8 {
        copyEnds(source, target, length, as: UInt64.self)
      } else {
        copyEnds(source, target, length, as: UInt32.self)
      }
    } else {
      target.copyMemory(from: source, byteCount: length)
    }
    count &+= length
  }

  @inline(__always)
  private func copyEnds<Block: FixedWidthInteger & BitwiseCopyable>(
    _ source: UnsafeRawPointer, _ target: UnsafeMutableRawPointer, _ length: Int, as type: Block.Type
  ) {
    let last = length &- MemoryLayout<Block>.size
    let end = source.loadUnaligned(fromByteOffset: last, as: Block.self)
    target.storeBytes(of: source.loadUnaligned(as: Block.self), as: Block.self)
    target.storeBytes(of: end, toByteOffset: last, as: Block.self)
  }

  /// Writes the name of a key.
  ///
  /// A block of 32 bytes, which is enough for most names, is copied without a loop.
  @inline(__always)
  mutating func write(_ name: CBORKeyNames.Name) {
    reserve(name.count &+ CBORKeyNames.step)
    let source = name.bytes.unsafelyUnwrapped
    let target = base + count
    typealias Block = SIMD32<UInt8>
    target.storeBytes(of: source.loadUnaligned(as: Block.self), as: Block.self)
    if _slowPath(name.count > CBORKeyNames.step) { target.copyMemory(from: source, byteCount: name.count) }
    count &+= name.count
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

  /// Replaces the header of one byte at `start` by a header for `count`, and moves the content if necessary.
  @inline(never)
  mutating func lengthenHeader(_ major: CBORMajorType, _ count: Int, at start: Int) {
    var header = CBORWriter(capacity: Self.headerCapacity)
    defer { header.deallocate() }
    header.put(major, UInt64(count))
    base.storeBytes(of: header.base.load(as: UInt8.self), toByteOffset: start, as: UInt8.self)
    insert(UnsafeRawBufferPointer(start: header.base + 1, count: header.count - 1), at: start + 1)
  }
}
