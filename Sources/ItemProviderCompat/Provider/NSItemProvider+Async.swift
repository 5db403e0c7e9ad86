// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
public import Foundation
internal import ItemTransfer
internal import Synchronization

/// Asynchronous variants of the functions that load. They are additions to Apple's members, and a program's own
/// variants take precedence.
extension NSItemProvider {
  /// Loads the first representation that conforms to a type, as bytes.
  ///
  /// This is an addition to Apple's members. Cancelling the task cancels the load.
  ///
  /// - Throws: An error of ``errorDomain``.
  @_disfavoredOverload
  public func loadDataRepresentation(forTypeIdentifier typeIdentifier: String) async throws -> Data {
    try await loading { continuation in
      loadDataRepresentation(forTypeIdentifier: typeIdentifier) { Self.resume(continuation, $0, $1) }
    }
  }

  /// Loads the first representation that conforms to a type, as a file that exists while a closure runs.
  ///
  /// This is an addition to Apple's members.
  ///
  /// - Parameters:
  ///   - typeIdentifier: The requested type.
  ///   - body: Uses the file, which is removed when the closure returns.
  /// - Returns: The result of `body`.
  /// - Throws: The errors of `body`; an error of ``errorDomain``.
  @_disfavoredOverload
  public func withFileRepresentation<Result: Sendable>(
    forTypeIdentifier typeIdentifier: String, _ body: @escaping @Sendable (URL) throws -> Result
  ) async throws -> Result {
    try await loading { continuation in
      loadFileRepresentation(forTypeIdentifier: typeIdentifier) { file, error in
        do {
          Self.resume(continuation, try file.map(body), error)
        } catch {
          continuation.resume(throwing: error)
        }
      }
    }
  }

  /// Creates an object from the first representation that its class can read.
  ///
  /// This is an addition to Apple's members. Cancelling the task cancels the load.
  ///
  /// - Throws: An error of ``errorDomain``.
  @_disfavoredOverload
  public func loadObject<Object: NSItemProviderReading>(ofClass aClass: Object.Type) async throws -> sending Object {
    let object: Shared<any NSItemProviderReading> = try await loading { continuation in
      loadObject(ofClass: aClass as any NSItemProviderReading.Type) { object, error in
        Self.resume(continuation, object.map(Shared.init), error)
      }
    }
    guard let made = object.value as? Object else {
      throw Self.error(.unexpectedValueClassError, "the class created an object of a different class")
    }
    nonisolated(unsafe) let result = made
    return result
  }

  /// Creates a value from the first representation that its class can read.
  ///
  /// This is an addition to Apple's members. Cancelling the task cancels the load.
  ///
  /// - Throws: An error of ``errorDomain``.
  @_disfavoredOverload
  public func loadObject<T: _ObjectiveCBridgeable & Sendable>(ofClass type: T.Type) async throws -> T
  where T._ObjectiveCType: NSItemProviderReading {
    try await loading { continuation in
      loadObject(ofClass: type) { Self.resume(continuation, $0, $1) }
    }
  }

  private func loading<Value: Sendable>(
    _ start: (CheckedContinuation<Value, any Error>) -> Progress
  ) async throws -> Value {
    let progress = Lock<Progress?>(nil)
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let started = start(continuation)
        progress.withLock { $0 = started }
        // The task may have been cancelled before the progress existed.
        if Task.isCancelled { started.cancel() }
      }
    } onCancel: {
      progress.withLock { $0 }?.cancel()
    }
  }

  /// Waits for the item that a completion handler receives.
  nonisolated(nonsending) static func awaiting(
    _ start: (@escaping CompletionHandler) -> Void
  ) async throws -> any NSSecureCoding {
    try await withCheckedThrowingContinuation { continuation in
      start { item, error in resume(continuation, item.map(Shared.init), error) }
    }.value
  }

  private static func resume<Value: Sendable>(
    _ continuation: CheckedContinuation<Value, any Error>, _ value: Value?, _ error: (any Error)?
  ) {
    if let value {
      continuation.resume(returning: value)
    } else {
      continuation.resume(
        throwing: error ?? Self.error(.unknownError, "the handler completed with neither a value nor an error"))
    }
  }
}
