// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import CoreTransferable

/// A provider of bytes.
func provider(_ data: Data, _ typeIdentifier: String) -> NSItemProvider {
  let provider = NSItemProvider()
  provider.registerDataRepresentation(forTypeIdentifier: typeIdentifier, visibility: .all) { completion in
    completion(data, nil)
    return nil
  }
  return provider
}

/// What a completion handler is told.
func answer<Value: Sendable>(_ ask: (@escaping @Sendable (Value?) -> Void) -> Void) async -> Value? {
  await withCheckedContinuation { continuation in
    ask { continuation.resume(returning: $0) }
  }
}

/// Lends a file with a greeting in it, whose name ends in `txt`.
func withFile(_ body: (URL) async throws -> Bool) async throws -> Bool {
  let file = FileManager.default.temporaryDirectory.appendingPathComponent("dragpipe-\(UUID().uuidString).txt")
  try Data("Hail".utf8).write(to: file)
  defer { try? FileManager.default.removeItem(at: file) }
  return try await body(file)
}

/// Has no more than what the protocols require.
final class Oath: NSObject, NSItemProviderWriting, NSItemProviderReading {
  let words: String

  init(words: String) {
    self.words = words
  }

  static var writableTypeIdentifiersForItemProvider: [String] { ["org.example.oath"] }

  func loadData(
    withTypeIdentifier typeIdentifier: String,
    forItemProviderCompletionHandler completionHandler: @escaping @Sendable (Data?, Error?) -> Void
  ) -> Progress? {
    completionHandler(Data(words.utf8), nil)
    return nil
  }

  static var readableTypeIdentifiersForItemProvider: [String] { ["org.example.oath"] }

  static func object(withItemProviderData data: Data, typeIdentifier: String) throws -> Oath {
    Oath(words: String(decoding: data, as: UTF8.self))
  }
}
