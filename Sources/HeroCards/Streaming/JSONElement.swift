// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials

/// One value cut out of a longer JSON text, sound and whole, with where it came from.
struct JSONElement: Sendable {
  /// The bytes of the value, without anything around it.
  let bytes: Data

  /// Where the first of the bytes is in the whole text.
  let byteOffset: Int

  /// The keys of the objects around the element.
  let keys: [String]

  /// The place in the array around the element, or `nil` for an outermost value.
  let index: Int?

  /// The way from the outermost value to the element.
  var path: JSONPath { JSONPath(keys: keys, index: index) }
}

/// Where in a JSON text the elements are that somebody is after.
struct JSONElementLayout: Sendable {
  /// The keys which lead from an outermost object to an array of elements.
  ///
  /// An outermost object without such an array is an element itself; an outermost array is one of elements. With `nil`,
  /// outermost objects and arrays are elements, whatever is in them.
  let route: [String]?

  /// The code of the error for a text that holds something else.
  let unfit: HeroCardError.Code
}
