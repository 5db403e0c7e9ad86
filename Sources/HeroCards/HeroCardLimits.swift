// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// How much a reader is willing to take in before it gives up on a text from outside.
///
/// What a reader keeps in memory is bounded by ``elementBytes`` and the size of a chunk, however long the text is.
public struct HeroCardLimits: Hashable, Sendable {
  /// The most bytes one element may have: a hero, a card, or a whole column of cards; 16 MiB unless told otherwise.
  ///
  /// An envelope counts as one element up to where its heroes or columns begin.
  public let elementBytes: Int

  /// How many arrays and objects may lie inside one another, the outermost included; 512 unless told otherwise.
  public let depth: Int

  /// Sets limits; each is at least 1, and a depth never more than 512, since no decoder goes deeper.
  public init(elementBytes: Int = 16 << 20, depth: Int = 512) {
    self.elementBytes = min(max(elementBytes, 1), 1 << 40)
    self.depth = min(max(depth, 1), JSONGrammar.greatestDepth)
  }
}
