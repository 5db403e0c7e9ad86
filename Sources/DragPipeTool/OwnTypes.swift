// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import HeroCards
internal import UniformTypes

/// The types that this program itself exports.
enum OwnTypes {
  /// Has them known by name, too: they are declared when they are first used, and a name is no use.
  static func declare() {
    _ = [UTType.hero, .heroCBOR, .card, .cardCBOR]
  }
}
