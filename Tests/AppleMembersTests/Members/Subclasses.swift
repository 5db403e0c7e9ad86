// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import CoreTransferable

/// A subclass that inherits every initializer.
class BareProvider: NSItemProvider, @unchecked Sendable {
  var didEnd: (@Sendable () -> Void)?
}

/// A mock, as tests of programs for Apple's systems use it.
///
/// It completes loads without a loader.
final class MockProvider: NSItemProvider, @unchecked Sendable {
  override init(item: NSSecureCoding?, typeIdentifier: String?) {
    super.init(item: item, typeIdentifier: typeIdentifier)
  }

  override var registeredTypeIdentifiers: [String] { ["org.example.mock"] }

  override func hasItemConformingToTypeIdentifier(_ typeIdentifier: String) -> Bool { true }

  override func canLoadObject(ofClass aClass: NSItemProviderReading.Type) -> Bool { true }

  override func loadDataRepresentation(
    forTypeIdentifier typeIdentifier: String, completionHandler: @escaping @Sendable (Data?, Error?) -> Void
  ) -> Progress {
    completionHandler(Data(typeIdentifier.utf8), nil)
    return Progress(totalUnitCount: 1)
  }

  override func loadObject(
    ofClass aClass: NSItemProviderReading.Type,
    completionHandler: @escaping @Sendable (NSItemProviderReading?, Error?) -> Void
  ) -> Progress {
    completionHandler("mock" as NSString, nil)
    return Progress(totalUnitCount: 1)
  }

  override func loadItem(
    forTypeIdentifier typeIdentifier: String, options: [AnyHashable: Any]? = nil,
    completionHandler: NSItemProvider.CompletionHandler? = nil
  ) {
    completionHandler?("mock" as NSString, nil)
  }
}

/// A subclass that counts in its user info how often it becomes current.
final class CountingActivity: NSUserActivity, @unchecked Sendable {
  override func becomeCurrent() {
    super.becomeCurrent()
    addUserInfoEntries(from: ["count": (userInfo?["count"] as? Int ?? 0) + 1])
  }
}

/// Wrappers that most programs define themselves. The compiler prefers them to the variants of this package.
extension NSItemProvider {
  func loadObject<Object: NSItemProviderReading>(ofClass aClass: Object.Type) async throws -> Object? {
    try await withCheckedThrowingContinuation {
      (continuation: CheckedContinuation<Box<NSItemProviderReading?>, Error>) in
      loadObject(ofClass: aClass as NSItemProviderReading.Type) { object, error in
        if let error { continuation.resume(throwing: error) } else { continuation.resume(returning: Box(object)) }
      }
    }.value as? Object
  }

  func loadDataRepresentation(forTypeIdentifier typeIdentifier: String) async throws -> Data? {
    try await withCheckedThrowingContinuation { continuation in
      loadDataRepresentation(forTypeIdentifier: typeIdentifier) { data, error in
        if let error { continuation.resume(throwing: error) } else { continuation.resume(returning: data) }
      }
    }
  }

  /// A helper from a university course on such apps.
  func loadFirst<T: _ObjectiveCBridgeable>(ofType theType: T.Type) -> Bool
  where T._ObjectiveCType: NSItemProviderReading {
    canLoadObject(ofClass: theType)
  }
}

struct Box<Value>: @unchecked Sendable {
  let value: Value

  init(_ value: Value) {
    self.value = value
  }
}

/// Returns whether all subclasses work.
func subclassesWork() async throws -> Bool {
  let bare = BareProvider(object: "Hail" as NSString)
  let text = try await bare.loadObject(ofClass: NSString.self)
  let data: Data? = try await bare.loadDataRepresentation(forTypeIdentifier: "public.text")
  let mock = MockProvider(item: nil, typeIdentifier: nil)
  let mocked: Data? = try await mock.loadDataRepresentation(forTypeIdentifier: "org.example.mock")
  let item = try await mock.loadItem(forTypeIdentifier: "org.example.mock")
  let activity = CountingActivity(activityType: "org.example.count")
  activity.becomeCurrent()
  activity.becomeCurrent()
  return text == "Hail" && data == Data("Hail".utf8) && mocked == Data("org.example.mock".utf8)
    && item as? NSString == "mock" && activity.userInfo?["count"] as? Int == 2
    && bare.loadFirst(ofType: String.self) && BareProvider(contentsOf: URL(fileURLWithPath: "/saga.txt")) != nil
}
