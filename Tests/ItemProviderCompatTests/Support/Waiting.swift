// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Testing

/// Waits until something holds that another thread brings about, and fails where it does not in half a minute.
func eventually(
  isolation: isolated (any Actor)? = #isolation, sourceLocation: SourceLocation = #_sourceLocation,
  _ condition: () throws -> Bool
) async throws {
  for _ in 0..<6000 {
    if try condition() { return }
    try await Task.sleep(for: .milliseconds(5))
  }
  #expect(try condition(), sourceLocation: sourceLocation)
}
