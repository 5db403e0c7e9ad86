// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

public import UniformTypes

/// Why an item, or one representation of it, could not be had.
///
/// Absent, failed and cancelled are different codes; an empty representation is no error at all.
public struct ItemProviderError: Error, Sendable {
  /// The kinds of failure.
  @nonexhaustive public enum Code: Hashable, Sendable {
    /// Nothing that was offered conforms to the type asked for.
    case noRepresentation
    /// The source promised the representation and could not make it.
    case representationFailed
    /// The task that asked, or the progress, was cancelled.
    case cancelled
    /// The bytes came, and are no value of the type asked for.
    case undecodable
    /// A file could not be written or read.
    case fileUnavailable
    /// The source has promised an exact size and has not kept it; the underlying error is an ``ItemSizeError``.
    case wrongSize
  }

  /// Which kind of failure it is.
  public let code: Code
  /// The type that was asked for or being made.
  public let contentType: UTType?
  /// What a loader, a decoder or the system threw.
  public let underlyingError: (any Error)?

  package init(_ code: Code, contentType: UTType?, underlyingError: (any Error)? = nil) {
    self.code = code
    self.contentType = contentType
    self.underlyingError = underlyingError
  }

  /// Runs `body` and turns what it throws into this type.
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

  /// Runs code of a source or a destination, and turns what it throws into this type.
  ///
  /// An error of this type that comes from there is about another load, and is kept as the cause: otherwise what that
  /// load did not find would be said to be absent here. Only cancellation passes, and what is of the same kind already:
  /// it is wrapped once.
  package static func wrappingForeign<Value>(
    _ contentType: UTType?, as code: Code = .representationFailed,
    isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Value
  ) async throws(ItemProviderError) -> Value {
    do {
      return try await body()
    } catch {
      throw ItemProviderError(caughtForeign: error, contentType: contentType, as: code)
    }
  }

  /// What something is that such code has thrown.
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

  /// What something that was caught is: one of these errors passes unchanged, and is wrapped only once.
  ///
  /// Whatever a body throws that is cancelled, `cancelled` is why; not all of them throw `CancellationError`.
  init(caught error: any Error, contentType: UTType?, as code: Code, isCancelled: Bool = Task.isCancelled) {
    if let known = error as? ItemProviderError {
      self = known
    } else if error is CancellationError {
      self.init(.cancelled, contentType: contentType)
    } else {
      self.init(isCancelled ? .cancelled : code, contentType: contentType, underlyingError: error)
    }
  }

  /// Holds a source to the size that it has promised.
  static func check(
    _ count: Int64, against size: ItemSize, isLast: Bool, contentType: UTType
  ) throws(ItemProviderError) {
    guard let promised = size.promised, count > promised || isLast && count < promised else { return }
    let error = ItemSizeError(promised: promised, actual: count)
    throw ItemProviderError(.wrongSize, contentType: contentType, underlyingError: error)
  }

  /// What an untyped edge throws: there, a load that was cancelled is a `CancellationError` like every other.
  var atUntypedEdge: any Error { code == .cancelled ? CancellationError() : self }
}

extension ItemProviderError: CustomStringConvertible {
  /// A sentence with the type and the cause.
  public var description: String {
    let type = contentType.map { " \($0)" } ?? ""
    let ofType = contentType.map { " of \($0)" } ?? ""
    let sentence =
      switch code {
      case .noRepresentation: contentType.map { "no representation conforms to \($0)" } ?? "no representation conforms"
      case .representationFailed: "the representation\(type) could not be made"
      case .cancelled: "the load\(ofType) was cancelled"
      case .undecodable: "the bytes\(ofType) are no such value"
      case .fileUnavailable: "the file\(ofType) could not be used"
      case .wrongSize: "the representation\(type) is not as long as its source has promised"
      }
    return underlyingError.map { "\(sentence): \($0)" } ?? sentence
  }
}
