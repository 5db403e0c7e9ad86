// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import CDropShims
internal import DropSystem
internal import FoundationEssentials
internal import Glibc
internal import Synchronization

/// The memory of a large output, which is mapped by the kernel and is not part of the heap.
///
/// The kernel moves the pages of a mapping that grows, so the peak memory is at most one and a half times the output.
/// `realloc` may copy the bytes, depending on the layout of the heap, and then takes twice the output.
struct CBORMapping: @unchecked Sendable {
  private(set) var start: UnsafeMutableRawPointer
  /// The number of bytes, all of which may be written.
  private(set) var count: Int

  /// The maximum length of a mapping that is kept for the next output, in bytes.
  private static let maximumSpareCount = 32 << 20
  /// The number of bytes of a new mapping.
  static let initialCount = 1 << 19
  private static let pageSize = sysconf(CInt(_SC_PAGESIZE))
  /// `MADV_POPULATE_WRITE`.
  private static let populateForWriting: CInt = 23

  /// The mapping of an earlier output.
  ///
  /// It is reused because the first access to a new page takes longer than encoding the content of a page.
  private static let spare = Lock<CBORMapping?>(nil)

  /// Returns the mapping of an earlier output, or a new mapping of ``initialCount`` bytes.
  static func take() -> CBORMapping {
    if let mapping = spare.withLock({ $0.take() }) { return mapping }
    let memory = mmap(nil, initialCount, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    return CBORMapping(start: checked(memory), count: initialCount)
  }

  /// Makes the mapping at least `capacity` bytes long.
  ///
  /// - Parameters:
  ///   - capacity: The number of bytes.
  ///   - writtenCount: The number of bytes in use.
  mutating func reserve(_ capacity: Int, writtenCount: Int) {
    if capacity <= count { return }
    resize(to: capacity)
    // Requesting many pages at once takes less time than a page fault for each page. On Linux before 5.14, the call
    // fails without effect.
    let first = Self.roundedUp(writtenCount)
    madvise(start + first, count - first, Self.populateForWriting)
  }

  /// Returns the first `count` bytes as data that own the mapping, and ``release()`` it at their end.
  consuming func data(count: Int) -> Data {
    resize(to: count)
    return Data(
      bytesNoCopy: start, count: count,
      deallocator: .custom { start, count in CBORMapping(start: start, count: Self.roundedUp(count)).release() })
  }

  /// Keeps the mapping for the next output, in place of a shorter mapping, or unmaps it.
  func release() {
    let excess = Self.spare.withLock { spare -> CBORMapping? in
      if count > Self.maximumSpareCount || count < spare?.count ?? 0 { return self }
      defer { spare = self }
      return spare
    }
    if let excess { munmap(excess.start, excess.count) }
  }

  private mutating func resize(to newCount: Int) {
    let newCount = Self.roundedUp(newCount)
    if newCount == count { return }
    start = Self.checked(dragpipe_remap(start, count, newCount))
    count = newCount
  }

  private static func roundedUp(_ count: Int) -> Int { (count + pageSize - 1) & ~(pageSize - 1) }

  private static func checked(_ memory: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer {
    guard let memory, memory != MAP_FAILED else { fatalError("out of memory") }
    return memory
  }
}
