// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// Answers questions about long lines of types that each have one parent, in logarithmic time.
///
/// A type with exactly one parent that this process named is a link; any other type is the top of the links below it.
/// Each link has a second pointer that jumps over others: see Myers, "An applicative random-access stack" (1983).
struct ParentChains {
  struct Link {
    /// The number of links up to the top.
    var depth: Int
    var top: Int
    fileprivate var parent: Int
    fileprivate var jump: Int
  }

  private var links: [Int: Link] = [:]

  /// Forgets all links, as the parents of a type have changed.
  mutating func removeAll() {
    links.removeAll()
  }

  /// The link of a type, made on first use together with those above it.
  ///
  /// - Parameters:
  ///   - slot: The type.
  ///   - parent: The only parent of a type; `nil` for a top. Links of one parent must not form a cycle.
  /// - Returns: The link, whose depth is 0 for a top.
  mutating func link(_ slot: Int, parent: (Int) -> Int?) -> Link {
    var missing: [(slot: Int, parent: Int)] = []
    var next = slot
    while links[next] == nil {
      guard let above = parent(next) else {
        links[next] = Link(depth: 0, top: next, parent: next, jump: next)
        break
      }
      missing.append((next, above))
      next = above
    }
    for (slot, parent) in missing.reversed() { links[slot] = link(below: parent) }
    return links[slot] ?? Link(depth: 0, top: slot, parent: slot, jump: slot)
  }

  /// Two jumps of the same length above a parent become one jump over both.
  private func link(below parent: Int) -> Link {
    guard let above = links[parent], let first = links[above.jump], let second = links[first.jump] else {
      return Link(depth: 1, top: parent, parent: parent, jump: parent)
    }
    let isEven = above.depth - first.depth == first.depth - second.depth && first.depth > second.depth
    return Link(depth: above.depth + 1, top: above.top, parent: parent, jump: isEven ? first.jump : parent)
  }

  /// Whether one type is another or above it on the same line; both must have a link.
  ///
  /// - Parameters:
  ///   - other: The type that may be above.
  ///   - slot: The type to start from.
  /// - Returns: Whether the way up from `slot` leads to `other` without passing a top.
  func isOnLine(_ other: Int, from slot: Int) -> Bool {
    guard let wanted = links[other], var link = links[slot], link.top == wanted.top else { return false }
    var slot = slot
    while link.depth > wanted.depth {
      let jump = links[link.jump]
      let takesJump = jump.map { $0.depth >= wanted.depth } ?? false
      slot = takesJump ? link.jump : link.parent
      guard let above = takesJump ? jump : links[link.parent] else { return false }
      link = above
    }
    return slot == other
  }
}
