// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// What stands behind an option or as operand, for help and for completions.
struct ArgumentValue: Sendable, ExpressibleByStringLiteral {
  /// What stands for the value in the help.
  var placeholder: String
  var completion: ArgumentCompletion

  init(_ placeholder: String, _ completion: ArgumentCompletion = .none) {
    self.placeholder = placeholder
    self.completion = completion
  }

  /// A value that a shell can only be told by hand.
  init(stringLiteral placeholder: String) {
    self.init(placeholder)
  }
}

/// What a shell may offer in the place of a value.
enum ArgumentCompletion: Sendable {
  case none
  case file
  case directory
  /// A uniform type; where the word has an equals sign, a file behind it.
  case type
  /// The same, or the word of a ``TypeFamily``.
  case typeOrFamily
  /// Where a stream comes from or goes to.
  case endpoint
  /// A program that is to be started.
  case command
  /// One of these, which are ASCII without spaces.
  case words([String])
}
