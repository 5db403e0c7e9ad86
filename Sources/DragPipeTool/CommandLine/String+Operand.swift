// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem

extension String {
  /// What a message calls the file that an operand or a value names.
  var shownAsOperand: String {
    switch self {
    case "-": "standard input"
    case "": "\"\""
    default: escapedForDisplay()
    }
  }
}
