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
  public func registerObject<T: _ObjectiveCBridgeable & SendableMetatype>(
    ofClass type: T.Type, visibility: NSItemProviderRepresentationVisibility,
    loadHandler: @escaping @Sendable (@escaping @Sendable (T?, (any Error)?) -> Void) -> Progress?
  ) where T._ObjectiveCType: NSItemProviderWriting {
    registerObject(ofClass: T._ObjectiveCType.self, visibility: visibility) { completion in
      loadHandler { value, error in completion(value?._bridgeToObjectiveC(), error) }
    }
  }

  /// Whether a value can be made of what is offered.
  public func canLoadObject<T: _ObjectiveCBridgeable & SendableMetatype>(ofClass type: T.Type) -> Bool
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
  public func loadObject<T: _ObjectiveCBridgeable & SendableMetatype>(
    ofClass type: T.Type, completionHandler: @escaping @Sendable (T?, (any Error)?) -> Void
  ) -> Progress where T._ObjectiveCType: NSItemProviderReading {
    loadObject(ofClass: T._ObjectiveCType.self) { object, error in
      completionHandler((object as? T._ObjectiveCType).map { T._unconditionallyBridgeFromObjectiveC($0) }, error)
    }
  }
}
