// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// What is wrong, as users see it.
extension CBORDecodingSession {
  func tooDeep(_ offset: Int) -> CBORFault {
    CBORFault(.limit, at: offset, "more than \(depthLimit) maps and arrays within one another")
  }

  /// What is said of the byte at `offset`.
  func located(_ text: String, at offset: Int) -> String {
    "at byte \(state.pointee.origin + offset): \(text)"
  }

  /// `fault` as users see it, at the entry in progress in `frame`.
  func error(_ fault: CBORFault, _ type: Any.Type, in frame: Frame) -> DecodingError {
    error(fault, type, path: frame.pointee.codingPath + (frame.pointee.currentKey.map { [$0] } ?? []))
  }

  func error(_ fault: CBORFault, _ type: Any.Type, path: [any CodingKey]) -> DecodingError {
    // Who tries one type after another pays for the errors, each of which has a path as long as the value is deep.
    state.pointee.visits &-= path.count
    // Whatever else is tried fails as well from there on; it is not what is wrong.
    let fault = state.pointee.visits < 0 ? tooManyVisits(fault.offset) : fault
    let context = DecodingError.Context(
      codingPath: path, debugDescription: located(fault.text, at: fault.offset))
    return switch fault.kind {
    case .mismatch: .typeMismatch(type, context)
    case .null: .valueNotFound(type, context)
    case .truncated, .malformed, .missing, .limit: .dataCorrupted(context)
    }
  }
}
