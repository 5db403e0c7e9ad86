// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Looks for a program that tests use where it happens to be installed.
///
/// - Parameter name: As a shell looks for it in `PATH`.
/// - Returns: Its path; `nil` where it is not there.
public func installedProgram(_ name: String) -> String? {
  (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map { "\($0)/\(name)" }
    .first { FileManager.default.isExecutableFile(atPath: $0) }
}
