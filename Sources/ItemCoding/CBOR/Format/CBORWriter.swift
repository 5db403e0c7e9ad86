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
  /// The capacity, in bytes, from which on a buffer grows by a quarter; a smaller buffer doubles.
  private static let slowGrowthCapacity = 1 << 16
  /// The capacity, in bytes, from which on the buffer is a ``CBORMapping``.
  private static let mappedCapacity = CBORMapping.initialCount

  init(capacity: Int = initialCapacity) {
    base = Self.memory(malloc(capacity))
    self.capacity = capacity
  }

  private var isMapped: Bool { capacity >= Self.mappedCapacity }

  func deallocate() {
    if isMapped { CBORMapping(start: base, count: capacity).release() } else { free(base) }
  }

  /// Makes room for `extra` more bytes.
  ///
  /// Call this before the methods whose names begin with `put`.
  @inline(__always)
  mutating func reserve(_ extra: Int) {
    if _slowPath(capacity &- count < extra) { grow(by: extra) }
  }

  @inline(never)
  private mutating func grow(by extra: Int) {
    let growth = capacity < Self.slowGrowthCapacity ? capacity : capacity / 4
    let grown = max(count + extra, capacity + growth)
    if grown < Self.mappedCapacity {
      base = Self.memory(realloc(base, grown))
      capacity = grown
      return
    }
    var mapping: CBORMapping
    if isMapped {
      mapping = CBORMapping(start: base, count: capacity)
    } else {
      mapping = .take()
      mapping.start.copyMemory(from: base, byteCount: count)
      free(base)
    }
    mapping.reserve(grown, writtenCount: count)
    (base, capacity) = (mapping.start, mapping.count)
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
    if isMapped { return CBORMapping(start: base, count: capacity).data(count: count) }
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
