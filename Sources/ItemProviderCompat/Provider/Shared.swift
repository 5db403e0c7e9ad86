// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// What others own crosses threads here as it does on Apple's systems, where nobody is asked whether it may.
struct Shared<Value>: @unchecked Sendable {
  let value: Value

  init(_ value: Value) {
    self.value = value
  }
}
