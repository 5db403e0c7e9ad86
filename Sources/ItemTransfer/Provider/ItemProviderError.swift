// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

public import UniformTypes

/// A failure to load an item or one of its representations.
///
/// An absent, a failed and a cancelled representation have different codes. An empty representation is not an error.
public struct ItemProviderError: Error, Sendable {
  /// The kinds of failure.
  @nonexhaustive public enum Code: Hashable, Sendable {
    /// No representation conforms to the requested type, or conditions exclude all that do.
    case noRepresentation
    /// The source failed to create the representation.
    case representationFailed
    /// The task or the progress was cancelled.
    case cancelled
    /// The bytes are not a value of the requested type.
    case undecodable
    /// A file could not be written or read.
    case fileUnavailable
    /// The source broke its promise of an exact size; the underlying error is an ``ItemSizeError``.
    case wrongSize
    /// The load took longer than its timeout.
    case timedOut
    /// The load got a progress that had ended: each load needs a progress of its own.
    case progressEnded
  }

  /// The kind of failure.
  public let code: Code
  /// The requested type, or the type of the representation; `nil` if there is neither.
  public let contentType: UTType?
  /// The cause, such as the error of a loader, a decoder or the system.
  public let underlyingError: (any Error)?

  /// Creates an error, for example for a loader that passes the failure of another load on.
  ///
  /// - Parameters:
  ///   - code: The kind of failure.
  ///   - contentType: The requested type, or the type of the representation.
  ///   - underlyingError: The cause.
  public init(_ code: Code, contentType: UTType?, underlyingError: (any Error)? = nil) {
    self.code = code
    self.contentType = contentType
    self.underlyingError = underlyingError
  }

  /// Runs `body`, and converts its error to this type.
  package static func wrapping<Value>(
    _ contentType: UTType?, as code: Code = .representationFailed,
    isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Value
  ) async throws(ItemProviderError) -> Value {
    do {
      return try await body()
    } catch {
      throw ItemProviderError(caught: error, contentType: contentType, as: code)
    }
  }

  /// Runs code of a source or a destination, and converts its error to this type.
  ///
  /// An error of this type from such code is about a different load, so it becomes the underlying error. A cancellation
  /// keeps its code, and an error with the same code passes unchanged, so that an error is wrapped only once.
  static func wrappingForeign<Value>(
    _ contentType: UTType?, as code: Code = .representationFailed,
    isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Value
  ) async throws(ItemProviderError) -> Value {
    do {
      return try await body()
    } catch {
      throw ItemProviderError(caughtForeign: error, contentType: contentType, as: code)
    }
  }

  /// Creates the error for an error that code of a source or a destination has thrown.
  init(
    caughtForeign error: any Error, contentType: UTType?, as code: Code = .representationFailed,
    isCancelled: Bool = Task.isCancelled
  ) {
    guard let known = error as? ItemProviderError else {
      self.init(caught: error, contentType: contentType, as: code, isCancelled: isCancelled)
      return
    }
    if known.code == .cancelled || isCancelled {
      self.init(.cancelled, contentType: contentType)
    } else if known.code == code {
      self = known
    } else {
      self.init(code, contentType: contentType, underlyingError: known)
    }
  }

  /// Creates the error for a caught error.
  ///
  /// An error of this type passes unchanged, so that it is wrapped only once.
  ///
  /// In a cancelled task, every other error becomes `cancelled`: not all code throws `CancellationError`.
  init(caught error: any Error, contentType: UTType?, as code: Code, isCancelled: Bool = Task.isCancelled) {
    if let known = error as? ItemProviderError {
      self = known
    } else if error is CancellationError {
      self.init(.cancelled, contentType: contentType)
    } else {
      self.init(isCancelled ? .cancelled : code, contentType: contentType, underlyingError: error)
    }
  }

  /// Throws `wrongSize` if the number of bytes contradicts a promised size.
  static func check(
    _ count: Int64, against size: ItemSize, isLast: Bool, contentType: UTType
  ) throws(ItemProviderError) {
    guard let promised = size.promised, count > promised || isLast && count < promised else { return }
    let error = ItemSizeError(promised: promised, actual: count)
    throw ItemProviderError(.wrongSize, contentType: contentType, underlyingError: error)
  }
}

extension Error {
  /// Whether the error means that a task or a load was cancelled.
  package var isCancellation: Bool {
    self is CancellationError || (self as? ItemProviderError)?.code == .cancelled
  }
}

extension ItemProviderError: CustomStringConvertible {
  /// The error in one sentence, with the type and the cause.
  public var description: String {
    let type = contentType.map { " \($0)" } ?? ""
    let ofType = contentType.map { " of \($0)" } ?? ""
    let sentence =
      switch code {
      case .noRepresentation: contentType.map { "no representation conforms to \($0)" } ?? "no representation conforms"
      case .representationFailed: "the representation\(type) could not be created"
      case .cancelled: "the load\(ofType) was cancelled"
      case .undecodable: "the bytes\(ofType) are not a valid value"
      case .fileUnavailable: "the file\(ofType) could not be used"
      case .wrongSize: "the representation\(type) does not have the promised size"
      case .timedOut: "the load\(ofType) took longer than its timeout"
      case .progressEnded: "the load\(ofType) got a progress that had ended"
      }
    return underlyingError.map { "\(sentence): \($0)" } ?? sentence
  }
}
