// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// Waits until another thread or process fulfils a condition, for at most three minutes.
///
/// - Returns: Whether the condition holds.
public func eventually(
  isolation: isolated (any Actor)? = #isolation, _ condition: () async throws -> Bool
) async throws -> Bool {
  let end = ContinuousClock.now + .seconds(180)
  while ContinuousClock.now < end {
    if try await condition() { return true }
    try await Task.sleep(for: .milliseconds(5))
  }
  return try await condition()
}
