// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A line of the list: a moment, or what somebody says of it.
struct Stamp: Codable, Sendable, Identifiable, Equatable {
  var id = UUID()
  var text: String

  /// Now.
  init() {
    text = Date().formatted(.iso8601)
  }

  init(_ text: String) {
    self.text = text
  }
}
