// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Searches `PATH` for a program.
///
/// Tests use such a program only if it is installed.
///
/// - Parameter name: The name of the program.
/// - Returns: The path; `nil` if the program is not installed.
public func installedProgram(_ name: String) -> String? {
  (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map { "\($0)/\(name)" }
    .first { FileManager.default.isExecutableFile(atPath: $0) }
}
