// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// Why something could not be measured, where it is not a system call that has failed.
struct MeasurementFailure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}
