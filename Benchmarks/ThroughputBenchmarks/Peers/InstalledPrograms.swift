// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Programs that are compared with where they happen to be installed.
enum InstalledPrograms {
  static func has(_ name: String) -> Bool {
    guard let path = getenv("PATH").map({ String(cString: $0) }) else { return false }
    return path.split(separator: ":").contains { access("\($0)/\(name)", X_OK) == 0 }
  }
}
