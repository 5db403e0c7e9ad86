// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// What is wrong with a command line.
package struct UsageError: Error, Equatable, CustomStringConvertible {
  package let description: String

  package init(_ description: String) {
    self.description = description
  }
}
