// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// Swift types by the classes they are bridged to: `String` and `URL`.
extension NSItemProvider {
  /// Promises a value, which is made when one of its representations is asked for.
  ///
  /// - Parameters:
  ///   - type: The type of the value.
  ///   - visibility: Who may have it.
  ///   - loadHandler: Makes the value, and calls what it is given with it or with an error.
  @preconcurrency
  public func registerObject<T: _ObjectiveCBridgeable>(
    ofClass type: T.Type, visibility: NSItemProviderRepresentationVisibility,
    loadHandler: @escaping @Sendable (@escaping @Sendable (T?, (any Error)?) -> Void) -> Progress?
  ) where T._ObjectiveCType: NSItemProviderWriting {
    let handler = Shared { (completion: @escaping @Sendable ((any NSItemProviderWriting)?, (any Error)?) -> Void) in
      loadHandler(answering { value, error in completion(value?._bridgeToObjectiveC(), error) })
    }
    registerObject(ofClass: T._ObjectiveCType.self, visibility: visibility) { handler.value($0) }
  }

  /// Whether a value can be made of what is offered.
  public func canLoadObject<T: _ObjectiveCBridgeable>(ofClass type: T.Type) -> Bool
  where T._ObjectiveCType: NSItemProviderReading {
    canLoadObject(ofClass: T._ObjectiveCType.self)
  }

  /// Makes a value of the first representation that its class can read.
  ///
  /// - Parameters:
  ///   - type: The type of the value.
  ///   - completionHandler: Called once, with the value or with an error.
  /// - Returns: Shows how far the load is, and cancels it.
  @preconcurrency
  public func loadObject<T: _ObjectiveCBridgeable>(
    ofClass type: T.Type, completionHandler: @escaping @Sendable (T?, (any Error)?) -> Void
  ) -> Progress where T._ObjectiveCType: NSItemProviderReading {
    loadObject(
      ofClass: T._ObjectiveCType.self,
      completionHandler: answering { object, error in
        let value = object as? T._ObjectiveCType
        completionHandler(value.map { T._unconditionallyBridgeFromObjectiveC($0) }, error)
      })
  }
}

/// A handler that crosses threads although Swift does not know whether the conformances of its types may: Apple's
/// signatures do not ask.
private func answering<Value>(
  _ handler: @escaping (Value?, (any Error)?) -> Void
) -> @Sendable (Value?, (any Error)?) -> Void {
  let shared = Shared(handler)
  return { value, error in shared.value(value, error) }
}
