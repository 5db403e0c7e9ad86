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
    if frame.pointee.entryPathOwner == frame.pointee.number {
      // In place, unless the program keeps the error that was there before.
      frame.pointee.entryPath[frame.pointee.entryPath.count - 1] = key
    } else {
      frame.pointee.entryPath = path(of: frame)
      frame.pointee.entryPath.append(key)
      frame.pointee.entryPathOwner = frame.pointee.number
    }
    state.pointee.mustTidy = true
    charge(frame.pointee.entryPath.count)
    return error(fault, type, path: frame.pointee.entryPath)
  }

  /// `fault` as users see it, in the value of `frame`.
  func error(_ fault: CBORFault, _ type: Any.Type, of frame: Frame) -> DecodingError {
    error(fault, type, path: path(of: frame))
  }

  /// The path of the value of `frame`, kept for the errors of further attempts to read it.
  ///
  /// The path of the next value in the same map or array differs in its last step, which replaces that of this one.
  private func path(of frame: Frame) -> [any CodingKey] {
    if frame.pointee.pathOwner == frame.pointee.number { return frame.pointee.path }
    if let parent = frame.pointee.parent, frame.pointee.keptPath == nil {
      // The same path: a second reference to it would have the next step copy it.
      guard let step = frame.pointee.ownKey ?? parent.pointee.currentKey else { return path(of: parent) }
      let last = frame.pointee.path.count - 1
      if last >= 0, frame.pointee.pathParent == parent.pointee.number {
        frame.pointee.path[last] = step
      } else {
        frame.pointee.path = path(of: parent)
        frame.pointee.path.append(step)
        frame.pointee.pathParent = parent.pointee.number
      }
    } else {
      frame.pointee.path = frame.path()
      frame.pointee.pathParent = -1
    }
    frame.pointee.pathOwner = frame.pointee.number
    state.pointee.mustTidy = true
    charge(frame.pointee.path.count)
    return frame.pointee.path
  }

  func error(_ fault: CBORFault, _ type: Any.Type, path: [any CodingKey]) -> DecodingError {
    // As long as it takes, next to a value.
    charge(4 * Self.visit)
    let origin = state.pointee.origin
    if _slowPath(state.pointee.credit < 0) {
      // Whatever else is tried fails as well from there on; it is not what is wrong.
      return .dataCorrupted(
        DecodingError.Context(codingPath: path, debugDescription: tooManyVisits(fault.offset).located(from: origin)))
    }
    let context = DecodingError.Context(codingPath: path, debugDescription: fault.located(from: origin))
    return switch fault.kind {
    case .mismatch: .typeMismatch(type, context)
    case .null: .valueNotFound(type, context)
    case .truncated, .malformed, .missing, .limit: .dataCorrupted(context)
    }
  }
}
