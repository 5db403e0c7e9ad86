// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import ItemTransfer

extension SenderFailure {
  /// What is said of `cause`: of what came from another sender, that one's words.
  init(_ cause: any Error) {
    if let failure = Self.original(cause) {
      self = failure
      return
    }
    let isCancelled = cause is CancellationError || (cause as? DropStreamError)?.code == .cancelled
    self.init(kind: isCancelled ? .cancelled : .failed, reason: isCancelled ? "" : "\(cause)")
  }

  /// The words of another sender that `cause` goes back to.
  static func original(_ cause: (any Error)?) -> SenderFailure? {
    switch cause {
    case let cause as DropStreamError: cause.senderFailure ?? original(cause.underlyingError)
    case let cause as ItemProviderError: original(cause.underlyingError)
    default: nil
    }
  }
}

extension DropStreamError {
  /// Whether it is about what is sent, and the stream is as it was.
  var isOfSource: Bool {
    switch code {
    case .representationFailed, .sourceUnavailable, .sourceChanged: true
    case .cancelled: true
    default: false
    }
  }

  /// What a representation that cannot be made is to the stream.
  init(_ error: ItemProviderError) {
    switch error.code {
    case .cancelled: self = .cancelled
    case .wrongSize: self.init(.sourceChanged, "\(error)", underlyingError: error)
    default: self.init(.representationFailed, "\(error)", underlyingError: error)
    }
  }
}
