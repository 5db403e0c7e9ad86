// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
public import Foundation
internal import ItemTransfer
internal import Synchronization

/// Forms that wait in a task, where every program of Apple's writes its own: that one is taken where there is one.
extension NSItemProvider {
  /// Loads the first representation that conforms to a type, as bytes.
  ///
  /// Ours; cancelling the task cancels the load.
  ///
  /// - Throws: An error of ``errorDomain``.
  @_disfavoredOverload
  public func loadDataRepresentation(forTypeIdentifier typeIdentifier: String) async throws -> Data {
    try await loading { continuation in
      loadDataRepresentation(forTypeIdentifier: typeIdentifier) { Self.resume(continuation, $0, $1) }
    }
  }

  /// Loads the first representation that conforms to a type, as a file for as long as a closure runs.
  ///
  /// Ours.
  ///
  /// - Parameters:
  ///   - typeIdentifier: The type wanted.
  ///   - body: Uses the file, which is removed when it returns.
  /// - Returns: What `body` returns.
  /// - Throws: What `body` throws; an error of ``errorDomain``.
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

  /// Makes an object of the first representation that its class can read.
  ///
  /// Ours; cancelling the task cancels the load.
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
      throw Self.error(.unexpectedValueClassError, "the class has made an object of another one")
    }
    nonisolated(unsafe) let result = made
    return result
  }

  /// Makes a value of the first representation that its class can read.
  ///
  /// Ours; cancelling the task cancels the load.
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
        // Cancelled before there was anything to cancel.
        if Task.isCancelled { started.cancel() }
      }
    } onCancel: {
      progress.withLock { $0 }?.cancel()
    }
  }

  /// Waits for an item that a completion handler is given.
  static func awaiting(_ start: (@escaping CompletionHandler) -> Void) async throws -> any NSSecureCoding {
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
      continuation.resume(throwing: error ?? Self.error(.unknownError, "neither a value nor an error came"))
    }
  }
}
