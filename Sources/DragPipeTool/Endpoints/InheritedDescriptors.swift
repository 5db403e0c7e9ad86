// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Glibc
internal import Synchronization

/// The descriptors that this process was given when it was started.
///
/// What it opens itself must never be taken for one of them: libraries open and close files at any time, and not all of
/// these are closed at an exec.
enum InheritedDescriptors {
  private static let noted = Lock<Set<CInt>?>(nil)

  /// Notes what is open now; to be called first of all.
  static func note() {
    guard let directory = opendir("/proc/self/fd") else { return }
    defer { closedir(directory) }
    var numbers: Set<CInt> = []
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { name in
        name.withMemoryRebound(to: CChar.self, capacity: 1) { String(cString: $0) }
      }
      if let number = CInt(name), number != dirfd(directory) { numbers.insert(number) }
    }
    noted.withLock { $0 = numbers }
  }

  /// Whether it was open then; true where that was not noted, as in a program that calls commands itself.
  static func contains(_ descriptor: CInt) -> Bool {
    noted.withLock { $0?.contains(descriptor) ?? true }
  }
}
