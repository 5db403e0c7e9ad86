// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// Returns the number of descriptors that this process has open, without the descriptor for this query.
///
/// Tests run in parallel. Compare two numbers only in a suite that runs alone, or wait for the number to decrease.
public func openDescriptorCount() throws -> Int {
  // Subtracts the directory's own descriptor, which every listing includes.
  try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count - 1
}
