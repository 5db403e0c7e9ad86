// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

extension String {
  /// The text that bytes are in UTF-8; `nil` where they are none.
  ///
  /// `String(validating:as:)` takes three times as long, for looking up generic types.
  @inline(__always)
  package init?(utf8 bytes: UnsafeRawBufferPointer) {
    guard let utf8 = try? UTF8Span(validating: Span(_unsafeElements: bytes.assumingMemoryBound(to: UInt8.self))) else {
      return nil
    }
    self.init(copying: utf8)
  }
}
