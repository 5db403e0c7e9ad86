// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// Waits until something holds that another thread or process brings about, at most half a minute.
///
/// - Returns: Whether it holds.
public func eventually(
  isolation: isolated (any Actor)? = #isolation, _ condition: () throws -> Bool
) async throws -> Bool {
  for _ in 0..<6000 {
    if try condition() { return true }
    try await Task.sleep(for: .milliseconds(5))
  }
  return try condition()
}
