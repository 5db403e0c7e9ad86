// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import ItemTransfer
internal import UniformTypes

extension NSItemProvider {
  /// Promises everything that a value can be had as, and makes the value when one is asked for.
  public func register<T: Transferable>(_ transferable: @autoclosure @escaping @Sendable () -> T) {
    itemProvider.register(T.self) { _ in transferable() }
  }

  /// Makes a value of the first representation that its type can import.
  ///
  /// - Parameters:
  ///   - type: The type of the value.
  ///   - completionHandler: Called once, with the value or with an error of ``errorDomain``.
  /// - Returns: Shows how far the load is, and cancels it.
  @preconcurrency
  public func loadTransferable<T: Transferable>(
    type: T.Type, completionHandler: @escaping @Sendable (Result<T, any Error>) -> Void
  ) -> Progress {
    load(String(describing: type)) { provider, _, progress in
      try await provider.value(as: T.self, progress: progress)
    } completionHandler: { value, error in
      if let value { completionHandler(.success(value)) }
      if let error { completionHandler(.failure(error)) }
    }
  }
}
