// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// A step of a coding path that no key of a program stands for: an index, a key of a dictionary, `super`.
struct CBORCodingKey: CodingKey {
  let stringValue: String
  let intValue: Int?

  init(stringValue: String) {
    self.stringValue = stringValue
    intValue = nil
  }

  init(intValue: Int) {
    stringValue = "\(intValue)"
    self.intValue = intValue
  }

  /// The element at `index` of an array, named as Foundation's coders name it.
  init(index: Int) {
    stringValue = "Index \(index)"
    intValue = index
  }

  static let `super` = CBORCodingKey(stringValue: "super")
}
