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
    guard let key = frame.pointee.currentKey else { return error(fault, type, of: frame) }
    return error(fault, type, at: key, in: frame)
  }

  /// `fault` as users see it, at the entry with `key` in `frame`.
  func error(_ fault: CBORFault, _ type: Any.Type, at key: any CodingKey, in frame: Frame) -> DecodingError {
    let path = frame.path(to: key)
    charge(path.count)
    return error(fault, type, path: path)
  }

  /// `fault` as users see it, in the value of `frame`.
  func error(_ fault: CBORFault, _ type: Any.Type, of frame: Frame) -> DecodingError {
    // A value that is tried as one type after another needs its path once.
    if state.pointee.failedFrame != frame {
      state.pointee.failedPath = frame.path()
      state.pointee.failedFrame = frame
      charge(state.pointee.failedPath.count)
    }
    return error(fault, type, path: state.pointee.failedPath)
  }

  func error(_ fault: CBORFault, _ type: Any.Type, path: [any CodingKey]) -> DecodingError {
    // As long as it takes, next to a value.
    charge(4 * Self.visit)
    // Whatever else is tried fails as well from there on; it is not what is wrong.
    let fault = state.pointee.credit < 0 ? tooManyVisits(fault.offset) : fault
    let context = DecodingError.Context(codingPath: path, debugDescription: fault.located(from: state.pointee.origin))
    return switch fault.kind {
    case .mismatch: .typeMismatch(type, context)
    case .null: .valueNotFound(type, context)
    case .truncated, .malformed, .missing, .limit: .dataCorrupted(context)
    }
  }
}
