// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// Chains of types that each have one parent, searched in logarithmic time.
///
/// A type is a link of a chain if it has exactly one parent and that parent is not a type of the system. Any other type
/// is a top, at which a chain ends. Each link has a pointer to its parent, and a pointer that may jump over several
/// links: see Myers, "An applicative random-access stack" (1983).
struct ParentChains {
  struct Link {
    /// The number of steps from the type to the top.
    var depth: Int
    var top: Int
    fileprivate var parent: Int
    fileprivate var jump: Int
  }

  private var links: [Int: Link] = [:]

  /// Removes all links, after the parents of a type have changed.
  mutating func removeAll() {
    links.removeAll()
  }

  /// Returns the link of a type; on first use, creates the link and the missing links above it.
  ///
  /// - Parameters:
  ///   - slot: The type.
  ///   - parent: Returns the only parent of a type; `nil` for a top. The links must not form a cycle.
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

  /// Returns a new link below a parent.
  ///
  /// If the jump of the parent and the jump after it have the same length, the new link jumps over both.
  private func link(below parent: Int) -> Link {
    guard let above = links[parent], let first = links[above.jump], let second = links[first.jump] else {
      return Link(depth: 1, top: parent, parent: parent, jump: parent)
    }
    let isEven = above.depth - first.depth == first.depth - second.depth && first.depth > second.depth
    return Link(depth: above.depth + 1, top: above.top, parent: parent, jump: isEven ? first.jump : parent)
  }

  /// Returns whether `other` is `slot`, or is above `slot` on the same chain.
  ///
  /// - Parameters:
  ///   - other: The type that may be above; it must have a link.
  ///   - slot: The type to start from; it must have a link.
  /// - Returns: Whether the path up from `slot` leads to `other` without passing a top.
  func isOnChain(_ other: Int, from slot: Int) -> Bool {
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
