// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// How many descriptors this process has open, the one needed for counting not included.
///
/// Tests run beside each other: compare with what it was only in a suite that is alone, or wait for it to come down.
public func openDescriptorCount() throws -> Int {
  // The directory's own descriptor is in the list, or has been closed by now; either way for every call alike.
  try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count - 1
}
