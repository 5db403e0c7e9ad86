// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// A step of a coding path that no key of a program stands for: an index, a key of a dictionary, `super`.
///
/// No larger than what an existential holds without memory of its own; the text of a number is made on demand.
struct CBORCodingKey: CodingKey {
  private enum Step {
    case text(String)
    case number(Int)
    case index(Int)
  }

  private let step: Step

  init(stringValue: String) {
    step = .text(stringValue)
  }

  init(intValue: Int) {
    step = .number(intValue)
  }

  /// The element at `index` of an array, named as Foundation's coders name it.
  init(index: Int) {
    step = .index(index)
  }

  var stringValue: String {
    switch step {
    case .text(let text): text
    case .number(let number): "\(number)"
    case .index(let index): "Index \(index)"
    }
  }

  var intValue: Int? {
    switch step {
    case .text: nil
    case .number(let number), .index(let number): number
    }
  }

  static let `super` = CBORCodingKey(stringValue: "super")
}
