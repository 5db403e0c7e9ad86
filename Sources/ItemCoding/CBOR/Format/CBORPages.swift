// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Glibc
internal import Synchronization

/// A region of pages, in which a large output is written and given away.
///
/// To have pages made and cleared takes the kernel several times as long as it takes to fill them with numbers. So those
/// of an output that nobody has any longer are kept for the next one, up to a limit, and the kernel is told that it may
/// have them back whenever it is short of memory.
package struct CBORPages: @unchecked Sendable {
  let base: UnsafeMutableRawPointer
  /// In bytes; whole pages.
  let count: Int

  private static let idle = Lock<[CBORPages]>([])
  /// What the heap of the C library keeps of what it was given back is of the same order.
  static let idleLimit = 32 << 20
  /// More than that are not written at a time.
  private static let idleCapacity = 4

  /// Pages that are there already, which hold whatever was written to them or zeros, with room for `least` bytes.
  static func take(holding least: Int) -> CBORPages? {
    idle.withLock { idle in
      guard let last = idle.last, last.count >= least else { return nil }
      return idle.popLast()
    }
  }

  /// Lets go of the pages: whoever takes them next, or the kernel, may have them.
  func giveBack() {
    guard count <= Self.idleLimit else { return unmap() }
    // Before anybody else can write to them.
    madvise(base, count, CInt(MADV_FREE))
    let isKept = Self.idle.withLock { idle in
      let total = idle.reduce(count) { $0 + $1.count }
      guard idle.count < Self.idleCapacity, total <= Self.idleLimit else { return false }
      idle.append(self)
      return true
    }
    if !isKept { unmap() }
  }

  /// Gives those in nobody's use back at once, as before memory is measured.
  package static func unmapIdle() {
    let all = idle.withLock { idle in
      defer { idle = [] }
      return idle
    }
    for pages in all { pages.unmap() }
  }

  func unmap() {
    munmap(base, count)
  }

  // MARK: Addresses

  private static let protection = PROT_READ | PROT_WRITE
  private static let flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE

  /// A region of addresses whose pages are yet to be made.
  static func region(_ size: Int) -> CBORPages? {
    pages(mmap(nil, size, protection, flags, -1, 0), size)
  }

  /// Makes the region that ends at `end` longer, by the first of `sizes` for which the addresses are free.
  ///
  /// - Returns: By how much.
  static func addresses(behind end: UnsafeMutableRawPointer, _ sizes: [Int]) -> Int? {
    #if os(Linux)
      for size in sizes {
        guard let found = pages(mmap(end, size, protection, flags | fixedUnlessTaken, -1, 0), size) else { continue }
        if found.base == end { return size }
        // A kernel before 4.17 takes the address for a wish.
        found.unmap()
      }
    #endif
    return nil
  }

  /// `MAP_FIXED_NOREPLACE`.
  private static let fixedUnlessTaken: CInt = 0x100000

  private static func pages(_ address: UnsafeMutableRawPointer?, _ size: Int) -> CBORPages? {
    guard let address, address != UnsafeMutableRawPointer(bitPattern: -1) else { return nil }
    return CBORPages(base: address, count: size)
  }
}
