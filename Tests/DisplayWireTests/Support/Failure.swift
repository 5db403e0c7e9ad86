// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Testing

@testable import DisplayWire

/// Returns the code and the description of the error that a function throws.
func failure<Value>(
  sourceLocation: SourceLocation = #_sourceLocation, _ body: () async throws -> Value
) async throws -> (code: DisplayError.Code, text: String) {
  do {
    _ = try await body()
  } catch let error as DisplayError {
    return (error.code, error.description)
  }
  try #require(Bool(false), "no error is thrown", sourceLocation: sourceLocation)
  throw CancellationError()
}

/// The error that a value is not the expected one.
struct Unexpected: Error {
  let value: String

  init(_ value: some Any) {
    self.value = "\(value)"
  }
}

/// Takes a descriptor.
///
/// - Throws: `Unexpected` if there is none, or if it was taken before.
func taken(_ descriptor: WaylandDescriptor?) throws -> OwnedDescriptor {
  guard let owned = descriptor?.take() else { throw Unexpected("no descriptor") }
  return owned
}
