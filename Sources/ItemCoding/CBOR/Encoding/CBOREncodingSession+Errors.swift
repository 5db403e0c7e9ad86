// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// What is wrong, as users see it.
extension CBOREncodingSession {
  func tooDeep(_ frame: Frame) -> EncodingError {
    .invalidValue(
      frame.pointee.nesting, context(frame, "more than \(depthLimit) maps and arrays within one another"))
  }

  func misused(_ frame: Frame) -> EncodingError {
    let text = frame.pointee.misuse.map { "\($0)" } ?? ""
    frame.pointee.misuse = nil
    return .invalidValue(text, EncodingError.Context(codingPath: frame.path(), debugDescription: text))
  }

  /// The error for a value that comes too late, or as a second one.
  func refusal(of value: Any, _ frame: Frame) -> EncodingError {
    let text =
      switch frame.pointee.kind {
      case .finished: "written to a container that is finished"
      case .map, .array: "written to a container while a value inside of it is being written, or as a second thing"
      case .empty, .value: "a value wrote itself as two kinds of things"
      }
    return .invalidValue(value, EncodingError.Context(codingPath: frame.path(), debugDescription: text))
  }

  /// What is said of the entry in progress in `frame`.
  func context(_ frame: Frame, _ text: String) -> EncodingError.Context {
    let path = frame.path() + (frame.pointee.currentKey.map { [$0] } ?? [])
    return EncodingError.Context(codingPath: path, debugDescription: text)
  }
}
