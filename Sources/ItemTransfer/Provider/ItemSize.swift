// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// What a source knows of a representation's size before it is made, in bytes.
public enum ItemSize: Sendable, Hashable {
  /// Exactly so many; a representation that turns out shorter or longer is an error.
  ///
  /// A negative number promises nothing.
  case exact(Int64)

  /// About so many, for progress only.
  case estimated(Int64)

  /// Nobody knows.
  case unknown

  /// The number to show progress against, where there is one.
  public var expected: Int64? {
    switch self {
    case .exact(let count), .estimated(let count): count < 0 ? nil : count
    case .unknown: nil
    }
  }

  /// The number to hold the source to.
  package var promised: Int64? {
    if case .exact(let count) = self, count >= 0 { count } else { nil }
  }
}

/// A representation that is not as long as its source has promised.
public struct ItemSizeError: Error, Sendable, Hashable, CustomStringConvertible {
  /// How many bytes were promised.
  public let promised: Int64
  /// How many there are; of a representation that is too long, how many were seen before it was given up.
  public let actual: Int64

  /// Both numbers in a sentence.
  public var description: String {
    actual < promised
      ? "it ended after \(actual) of the \(promised) bytes that were promised"
      : "it has at least \(actual) bytes where \(promised) were promised"
  }
}
