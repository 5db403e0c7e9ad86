// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// Patterns without wildcards, found by hashing what they match, and who claims them.
///
/// The claims on all patterns share one block of memory, each with the number of the next one on its pattern.
struct MIMEGlobIndex: Sendable {
  private struct Claim: Sendable {
    let glob: MIMEGlob
    var next: Int32
  }

  private var keys: MIMENameTable
  /// The number of the heaviest claim on each pattern.
  private var heads: [Int32] = []
  private var claims: [Claim] = []
  /// Which lengths the patterns have; the last bit stands for all that are longer.
  private var lengths: UInt64 = 0

  init(ignoresCase: Bool) {
    keys = MIMENameTable(ignoresCase: ignoresCase)
  }

  /// Adds a claim, behind those that weigh as much.
  ///
  /// - Returns: The pattern's number, unless the type's claim was there already or is one too many.
  mutating func insert(_ key: Span<UInt8>, _ glob: MIMEGlob) -> MIMENameTable.ID? {
    let id = keys.insert(key)
    if Int(id) == heads.count {
      heads.append(-1)
      lengths |= Self.bit(of: key)
    }
    var count = 0
    var before: Int32 = -1
    var number = heads[Int(id)]
    while number >= 0 {
      let claim = claims[Int(number)]
      count += 1
      if claim.glob.type == glob.type || count == MIMEGlobTable.maximumClaims { return nil }
      if claim.glob.weight >= glob.weight { before = number }
      number = claim.next
    }
    let new = Int32(claims.count)
    claims.append(Claim(glob: glob, next: before < 0 ? heads[Int(id)] : claims[Int(before)].next))
    if before < 0 { heads[Int(id)] = new } else { claims[Int(before)].next = new }
    return id
  }

  /// The claims on a pattern, heaviest first.
  func find(_ key: Span<UInt8>) -> [MIMEGlob] {
    guard lengths & Self.bit(of: key) != 0, let id = keys.find(key) else { return [] }
    var found: [MIMEGlob] = []
    var number = heads[Int(id)]
    while number >= 0 {
      found.append(claims[Int(number)].glob)
      number = claims[Int(number)].next
    }
    return found
  }

  func key(_ id: MIMENameTable.ID) -> String {
    keys.name(id)
  }

  private static func bit(of key: Span<UInt8>) -> UInt64 {
    1 << UInt64(min(key.count, 63))
  }
}
