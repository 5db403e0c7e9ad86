// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
public import Testing

/// Returns the path of a program in `PATH`; `nil` if it is not installed.
public func installedProgram(_ name: String) -> String? {
  (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map { "\($0)/\(name)" }
    .first { FileManager.default.isExecutableFile(atPath: $0) }
}

/// Returns the path of a program, or of another product, that was built with the tests.
public func builtProduct(_ name: String) -> String {
  URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
    .appendingPathComponent(name).path
}

/// Whether tests may start programs of others: `DRAGPIPE_PEER_TESTS`.
public let startsPeers = ProcessInfo.processInfo.environment["DRAGPIPE_PEER_TESTS"] != nil

extension Trait where Self == ConditionTrait {
  /// A condition for tests that start programs of others, which are not part of each system.
  ///
  /// Such tests run only with `DRAGPIPE_PEER_TESTS`, and only if all programs are installed.
  public static func peers(_ names: String...) -> Self {
    let missing = names.filter { installedProgram($0) == nil }
    return .enabled(
      if: startsPeers && missing.isEmpty,
      startsPeers ? "not installed: \(missing.joined(separator: ", "))" : "only with DRAGPIPE_PEER_TESTS: \(names)")
  }
}
