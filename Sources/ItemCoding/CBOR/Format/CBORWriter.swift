// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import Glibc

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

  /// Moves to pages that are in nobody's use, or to a region of addresses so large that it need not be left again.
  ///
  /// Growing then takes no copying, and little more memory than there are bytes. Where such a region is not to be had,
  /// the heap has to do.
  private mutating func map(_ needed: Int) -> Bool {
    if reserved == 0, let pages = CBORPages.take(holding: count) {
      move(to: pages)
      populated = pages.count
      if needed <= reserved { return true }
    }
    let size = max(1 << 32, needed &* 4)
    if reserved > 0, let more = CBORPages.addresses(behind: base + reserved, [size, needed &* 4]) {
      reserved += more
      return true
    }
    guard let region = CBORPages.region(size) else { return false }
    move(to: region)
    populated = 0
    return true
  }

  private mutating func move(to region: CBORPages) {
    region.base.copyMemory(from: base, byteCount: count)
    deallocate()
    base = region.base
    reserved = region.count
  }

  /// Has the kernel make pages by the hundred, which is quicker than one by one as they are touched; at most a quarter
  /// more than are written.
  private mutating func populate(_ needed: Int) {
    defer { capacity = populated }
    if needed <= populated { return }
    let usesLargePages = needed >= Self.largePageCapacity
    let step = usesLargePages ? Self.largePage : max(Self.mappedCapacity, needed / 4)
    let end = min(reserved, (needed + step) & ~(Self.mappedCapacity - 1))
    // A kernel that knows neither does nothing, and the bytes are the same.
    #if os(Linux)
      if usesLargePages { madvise(base + populated, reserved - populated, CInt(MADV_HUGEPAGE)) }
      madvise(base + populated, end - populated, Self.populateForWriting)
    #endif
    populated = end
  }

  /// `MADV_POPULATE_WRITE` of Linux 5.14.
  private static let populateForWriting: CInt = 23

  private static func memory(_ pointer: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer {
    guard let pointer else { fatalError("out of memory") }
    return pointer
  }

  /// Gives the bytes away, in memory of their size, and starts anew.
  ///
  /// - Returns: The bytes, for `free` to take back; or the pages they are on, to be given back as such.
  mutating func take() -> (bytes: UnsafeMutableRawPointer, count: Int, pages: CBORPages?) {
    defer { self = CBORWriter() }
    guard reserved > 0 else { return (Self.memory(realloc(base, max(count, 1))), count, nil) }
    let page = sysconf(CInt(_SC_PAGESIZE))
    let used = max(page, (count + page - 1) / page * page)
    if used < reserved { munmap(base + used, reserved - used) }
    return (base, count, CBORPages(base: base, count: used))
  }

  // MARK: Without checking for room

  @inline(__always)
  mutating func put(_ byte: UInt8) {
    base.storeBytes(of: byte, toByteOffset: count, as: UInt8.self)
    count &+= 1
  }

  /// Puts what `body` stores from where it is given, up to where it leaves that.
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
    store { target in Self.store(number, at: &target) }
  }

  @inline(__always)
  mutating func put(_ number: Float) {
    store { target in Self.store(number, at: &target) }
  }
}
