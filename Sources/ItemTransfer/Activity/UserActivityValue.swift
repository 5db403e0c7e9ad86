// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

/// A value that an activity can carry: one of the kinds that Apple allows in `userInfo`.
///
/// The kinds stay apart under way, so that `1`, `1.0` and `true` are three values.
///
/// ```swift
/// let userInfo: [String: UserActivityValue] = [
///   "heroID": 7, "weight": 92.5, "isFavourite": true, "team": nil, "powers": ["strength", "courage"],
///   "born": .date(Date()), "portrait": .url(portrait), "tags": .set(["iliad", "odyssey"]),
/// ]
/// userInfo["heroID"]?.intValue        // 7
/// userInfo["heroID"]?.stringValue     // nil
/// ```
public enum UserActivityValue: Sendable {
  /// Values in their order.
  case array([UserActivityValue])
  /// True or false, which is no number here.
  case bool(Bool)
  /// Any bytes.
  case data(Data)
  /// A point in time, between `Date.distantPast` and `Date.distantFuture` to travel.
  case date(Date)
  /// Values by their names.
  case dictionary([String: UserActivityValue])
  /// A floating-point number.
  case double(Double)
  /// A whole number.
  case integer(Int64)
  /// Nothing, which is more than an absent entry says.
  case null
  /// Values without order, each once.
  case set(Set<UserActivityValue>)
  /// Any text.
  case string(String)
  /// A whole number that may exceed `Int64`; equal to the ``integer(_:)`` of the same amount.
  case unsignedInteger(UInt64)
  /// An address; a relative one travels as the absolute one it stands for.
  case url(URL)
  /// A universally unique identifier.
  case uuid(UUID)
}

extension UserActivityValue: Hashable {
  /// Whether both say the same.
  ///
  /// Floating-point numbers are compared by what is written of them: zero differs from minus zero, and not-a-number
  /// equals itself, without which no set or activity with one in it would equal itself.
  public static func == (lhs: UserActivityValue, rhs: UserActivityValue) -> Bool {
    switch (lhs, rhs) {
    case (.array(let lhs), .array(let rhs)): lhs == rhs
    case (.bool(let lhs), .bool(let rhs)): lhs == rhs
    case (.data(let lhs), .data(let rhs)): lhs == rhs
    case (.date(let lhs), .date(let rhs)): lhs == rhs
    case (.dictionary(let lhs), .dictionary(let rhs)): lhs == rhs
    case (.double(let lhs), .double(let rhs)): lhs.written == rhs.written
    case (.integer(let lhs), .integer(let rhs)): lhs == rhs
    case (.integer(let lhs), .unsignedInteger(let rhs)): lhs == rhs
    case (.null, .null): true
    case (.set(let lhs), .set(let rhs)): lhs == rhs
    case (.string(let lhs), .string(let rhs)): lhs == rhs
    case (.unsignedInteger(let lhs), .unsignedInteger(let rhs)): lhs == rhs
    case (.unsignedInteger(let lhs), .integer(let rhs)): lhs == rhs
    case (.url(let lhs), .url(let rhs)): lhs == rhs
    case (.uuid(let lhs), .uuid(let rhs)): lhs == rhs
    default: false
    }
  }

  /// Feeds the kind, one for all whole numbers, and the contents into `hasher`.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(rank)
    switch self {
    case .array(let values): hasher.combine(values)
    case .bool(let flag): hasher.combine(flag)
    // All bytes: `Data` itself feeds in the first few, so that a hostile set of thousands could share one hash.
    case .data(let data): data.withUnsafeBytes { hasher.combine(bytes: $0) }
    case .date(let date): hasher.combine(date)
    case .dictionary(let values): hasher.combine(values)
    case .double(let number): hasher.combine(number.written)
    case .integer(let number): hasher.combine(UInt64(bitPattern: number))
    case .null: break
    case .set(let values): hasher.combine(values)
    case .string(let text): hasher.combine(text)
    // Only numbers that exceed `Int64` share these bits with negative ones, to which they are unequal.
    case .unsignedInteger(let number): hasher.combine(number)
    case .url(let url): hasher.combine(url)
    case .uuid(let uuid): hasher.combine(uuid)
    }
  }
}

extension Double {
  /// The bits of the number, which are the same ones for every not-a-number.
  var written: UInt64 {
    isNaN ? Double.nan.bitPattern : bitPattern
  }
}
