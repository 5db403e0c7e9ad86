// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials

/// The content that this program offers to other programs.
protocol OfferedContent: Sendable {
  /// The names of the types, best name first.
  var targets: [String] { get }

  /// Creates the bytes for a type.
  ///
  /// - Parameter target: One of ``targets``.
  /// - Returns: The type of the value, mostly the target itself, and the bytes.
  /// - Throws: The reason why the bytes cannot be created. The requesting program learns only that there is no value.
  func value(for target: String) async throws -> OfferedValue
}

/// The value of offered content for one target.
struct OfferedValue: Sendable {
  /// The name of the type of the bytes.
  var type: String
  /// The number of bytes, if known.
  var byteCount: Int?
  /// Returns the next part, which is not empty; `nil` at the end.
  var next: @Sendable () async throws -> Data?
}
