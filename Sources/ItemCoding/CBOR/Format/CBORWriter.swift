// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// Bytes that grow at their end: where data items are written, in preferred serialisation (RFC 8949, section 4.1).
///
/// Memory is the caller's to free: this is a part of a session, which does.
struct CBORWriter {
  /// The first byte; good for ``capacity`` bytes.
  private(set) var base: UnsafeMutableRawPointer
  /// How many bytes have been written.
  var count = 0
  private(set) var capacity: Int
  /// How many bytes of a region of pages are there in fact; 0 for memory of the heap.
  private var populated = 0
  private var reserved = 0

  /// The memory of a writer at rest.
  static let initialCapacity = 4096
  /// From here on bytes lie in a region of pages.
  private static let mappedCapacity = 1 << 16
  /// From here on those are large, which are quicker to make and of which one in part unused is no longer much.
  private static let largePageCapacity = 1 << 23
  private static let largePage = 1 << 21

  init(capacity: Int = initialCapacity) {
    base = Self.memory(malloc(capacity))
    self.capacity = capacity
  }

  func deallocate() {
    if reserved > 0 {
      munmap(base, reserved)
    } else {
      free(base)
    }
  }

  /// Makes room for `extra` more bytes; all other methods that begin with `put` rely on it.
  @inline(__always)
  mutating func reserve(_ extra: Int) {
    if _slowPath(capacity &- count < extra) { grow(by: extra) }
  }

  @inline(never)
  private mutating func grow(by extra: Int) {
    let needed = count + extra
    if needed > Self.mappedCapacity, needed <= reserved || map(needed) { return populate(needed) }
    precondition(reserved == 0, "out of memory")
    capacity = max(needed, capacity * 2)
    base = Self.memory(realloc(base, capacity))
  }

  /// Moves to a region of addresses so large that it need not be left again.
  ///
  /// Growing then takes no copying, and little more memory than there are bytes. Where such a region is not to be had,
  /// the heap has to do.
  private mutating func map(_ needed: Int) -> Bool {
    let size = max(1 << 32, needed &* 4)
    let region = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
    guard let region, region != UnsafeMutableRawPointer(bitPattern: -1) else { return false }
    region.copyMemory(from: base, byteCount: count)
    deallocate()
    base = region
    reserved = size
    populated = 0
    return true
  }

  /// Has the kernel make pages by the hundred, which is quicker than one by one as they are touched; at most a quarter
  /// more than are written.
  private mutating func populate(_ needed: Int) {
    let usesLargePages = needed >= Self.largePageCapacity
    let step = usesLargePages ? Self.largePage : max(Self.mappedCapacity, needed / 4)
    let end = min(reserved, (needed + step) & ~(Self.mappedCapacity - 1))
    // A kernel that knows neither does nothing, and the bytes are the same.
    #if os(Linux)
      if usesLargePages { madvise(base + populated, reserved - populated, CInt(MADV_HUGEPAGE)) }
      madvise(base + populated, end - populated, Self.populateForWriting)
    #endif
    populated = end
    capacity = end
  }

  /// `MADV_POPULATE_WRITE` of Linux 5.14.
  private static let populateForWriting: CInt = 23

  private static func memory(_ pointer: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer {
    guard let pointer else { fatalError("out of memory") }
    return pointer
  }

  /// Gives the bytes away, in memory of their size, and starts anew.
  ///
  /// - Returns: The bytes, and whether `munmap` takes them back rather than `free`.
  mutating func take() -> (bytes: UnsafeMutableRawPointer, count: Int, isMapped: Bool) {
    defer { self = CBORWriter() }
    guard reserved > 0 else { return (Self.memory(realloc(base, max(count, 1))), count, false) }
    let page = sysconf(CInt(_SC_PAGESIZE))
    let used = max(page, (count + page - 1) / page * page)
    munmap(base + used, reserved - used)
    return (base, count, true)
  }

  // MARK: Without checking for room

  @inline(__always)
  mutating func put(_ byte: UInt8) {
    base.storeBytes(of: byte, toByteOffset: count, as: UInt8.self)
    count &+= 1
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
    // The argument of a negative number is -1 - number: all its bits, turned round.
    if number >= 0 {
      put(.unsignedInteger, UInt64(bitPattern: number))
    } else {
      put(.negativeInteger, UInt64(bitPattern: ~number))
    }
  }

  /// The shortest of the three forms that says the same; 9 bytes at most.
  @inline(__always)
  mutating func put(_ number: Double) {
    let single = Float(number)
    if _fastPath(Double(single) != number && number == number) {
      put(CBORByte.doubleFloat)
      put(bigEndian: number.bitPattern)
    } else {
      putShort(number)
    }
  }

  @inline(never)
  private mutating func putShort(_ number: Double) {
    guard number == number else { return putNotANumber(number.bitPattern) }
    put(Float(number))
  }

  @inline(__always)
  mutating func put(_ number: Float) {
    guard number == number else { return putNotANumber(Self.widened(number.bitPattern)) }
    if let half = Self.half(number.bitPattern) {
      put(CBORByte.halfFloat)
      put(bigEndian: half)
    } else {
      put(CBORByte.singleFloat)
      put(bigEndian: number.bitPattern)
    }
  }

  /// Keeps the payload, in the shortest form that has room for it.
  @inline(never)
  private mutating func putNotANumber(_ bits: UInt64) {
    let sign = bits >> 63
    let payload = bits & 0xF_FFFF_FFFF_FFFF
    if payload & (1 << 42 - 1) == 0 {
      put(CBORByte.halfFloat)
      put(bigEndian: UInt16(sign << 15 | 0x7C00 | payload >> 42))
    } else if payload & (1 << 29 - 1) == 0 {
      put(CBORByte.singleFloat)
      put(bigEndian: UInt32(sign << 31 | 0x7F80_0000 | payload >> 29))
    } else {
      put(CBORByte.doubleFloat)
      put(bigEndian: bits)
    }
  }

  /// The bits of a single-precision NaN as a double-precision one.
  private static func widened(_ bits: UInt32) -> UInt64 {
    UInt64(bits >> 31) << 63 | 0x7FF << 52 | UInt64(bits & 0x7F_FFFF) << 29
  }

  /// The same number, which is no NaN, in half precision; `nil` where it has no such form.
  @inline(__always)
  static func half(_ bits: UInt32) -> UInt16? {
    // 13 bits of fraction must be zero in any case; most numbers are done with here.
    guard bits & 0x1FFF == 0 else { return nil }
    let sign = UInt16(truncatingIfNeeded: bits >> 16) & 0x8000
    let exponent = Int(bits >> 23 & 0xFF)
    let fraction = bits & 0x7F_FFFF
    switch exponent {
    case 113...142:
      return sign | UInt16(exponent - 112) << 10 | UInt16(fraction >> 13)
    case 103...112:
      // Subnormal: the leading one, which is implied in single precision, takes part in the shift.
      let significand = fraction | 0x80_0000
      let shift = UInt32(126 - exponent)
      guard significand & (1 << shift - 1) == 0 else { return nil }
      return sign | UInt16(significand >> shift)
    case 0:
      return fraction == 0 ? sign : nil
    case 255:
      return sign | 0x7C00
    default:
      return nil
    }
  }
}
