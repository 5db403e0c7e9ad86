// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// The conversion of faults to the errors that the program gets.
extension CBORDecodingSession {
  func tooDeep(_ offset: Int) -> CBORFault {
    CBORFault(.limit, at: offset, "more than \(depthLimit) nested maps and arrays")
  }

  func tooManyVisits(_ offset: Int) -> CBORFault {
    CBORFault(.limit, at: offset, "decoding exceeds the limit of visits to the same bytes")
  }

  /// Returns `text` after the position of the byte at `offset`, such as `at byte 7: `.
  func located(_ text: String, at offset: Int) -> String {
    "at byte \(origin + offset): \(text)"
  }

  /// Returns the error for a fault at the current entry of `frame`.
  func error(_ fault: CBORFault, _ type: Any.Type, in frame: Frame) -> DecodingError {
    guard let key = frame.pointee.currentKey else { return error(fault, type, of: frame) }
    return error(fault, type, at: key, in: frame)
  }

  /// Returns the error for a fault at the entry with `key` in `frame`.
  func error(_ fault: CBORFault, _ type: Any.Type, at key: any CodingKey, in frame: Frame) -> DecodingError {
    if frame.pointee.entryPathOwner == frame.pointee.number {
      // This changes the path in place, unless the program retains the previous error, which shares the array.
      frame.pointee.entryPath[frame.pointee.entryPath.count - 1] = key
    } else {
      frame.pointee.entryPath = path(of: frame)
      frame.pointee.entryPath.append(key)
      frame.pointee.entryPathOwner = frame.pointee.number
    }
    requireTidying()
    charge(frame.pointee.entryPath.count)
    return error(fault, type, path: frame.pointee.entryPath)
  }

  /// Returns the error for a fault in the value of `frame`.
  func error(_ fault: CBORFault, _ type: Any.Type, of frame: Frame) -> DecodingError {
    error(fault, type, path: path(of: frame))
  }

  /// Returns the path of the value of `frame`, and stores it for the errors of further attempts to decode the value.
  ///
  /// The path of the next value in the same map or array differs only in its last step, which is replaced.
  private func path(of frame: Frame) -> [any CodingKey] {
    if frame.pointee.pathOwner == frame.pointee.number { return frame.pointee.path }
    if let parent = frame.pointee.parent, frame.pointee.keptPath == nil {
      // The same path is not stored twice: with a second reference, the next change would copy it.
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
    requireTidying()
    charge(frame.pointee.path.count)
    return frame.pointee.path
  }

  func error(_ fault: CBORFault, _ type: Any.Type, path: [any CodingKey]) -> DecodingError {
    // An error takes four times as long as a value.
    charge(4 * Self.visit)
    if _slowPath(isOverLimit) {
      // All further attempts fail as well; the limit is the cause to report.
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
