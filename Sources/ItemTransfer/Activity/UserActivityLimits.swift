// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// What is left of the values that an activity may consist of, as it is read or written.
///
/// Writing is bounded as well: what a source can send, every destination can read.
package struct UserActivityLimits {
  /// Values within values: the readers recurse, and must do with a thread of 512 KB in unoptimized code.
  package static let maximumDepth = 64
  /// Values at all depths, keywords and required keys together.
  static let maximumCount = 65_536

  private var countLeft = Self.maximumCount

  /// Takes values at a depth into account.
  ///
  /// - Returns: What there is too much of, `nil` while all is well.
  mutating func spend(_ count: Int, depth: Int) -> String? {
    guard count > 0 else { return nil }
    guard depth <= Self.maximumDepth else { return "values nested more than \(Self.maximumDepth) deep" }
    guard count <= countLeft else { return "more than \(Self.maximumCount) values" }
    countLeft -= count
    return nil
  }

  /// Takes a value that is to be written into account, with all that is in it.
  ///
  /// - Throws: `EncodingError` for what no destination could read.
  mutating func spend(_ value: UserActivityValue, path: [any CodingKey]) throws {
    guard let excess = spend(1, depth: 1) ?? spendContents(of: value, depth: 1) else { return }
    throw EncodingError.invalidValue(value, .init(codingPath: path, debugDescription: excess))
  }

  /// Ends at the depth limit, before the recursion can end at the stack's.
  private mutating func spendContents(of value: UserActivityValue, depth: Int) -> String? {
    switch value {
    case .array(let values): spend(values, depth: depth + 1)
    // Encoders forget the path of containers within containers; here it is known.
    case .date(let date): UserActivityDate.fault(of: date)
    case .dictionary(let values): spend(values.values, depth: depth + 1)
    case .set(let values): spend(values, depth: depth + 1)
    default: nil
    }
  }

  private mutating func spend(_ values: some Collection<UserActivityValue>, depth: Int) -> String? {
    if let excess = spend(values.count, depth: depth) { return excess }
    for value in values {
      if let excess = spendContents(of: value, depth: depth) { return excess }
    }
    return nil
  }
}
