// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Where a program is that tests can use where it happens to be installed; `nil` where it is not.
///
/// - Parameter name: As a shell looks for it in `PATH`.
public func installedProgram(_ name: String) -> String? {
  (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map { "\($0)/\(name)" }
    .first { FileManager.default.isExecutableFile(atPath: $0) }
}
