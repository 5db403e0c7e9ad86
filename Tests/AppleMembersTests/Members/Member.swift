// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import CoreTransferable

/// A member of an Apple module, with its status in this package.
struct Member: Sendable {
  enum Status: Sendable {
    case implemented
    /// The behaviour differs. The text describes the difference in one sentence.
    case differs(String)
    /// The member does not exist. The text states the reason in one sentence.
    case absent(String)
  }

  /// The type or module of the member.
  var owner: String
  var name: String
  var status: Status
  /// Uses the member, and returns whether it works as documented.
  var use: (@Sendable () async throws -> Bool)?
}

/// The members in the order of Apple's documentation.
struct MemberList {
  private(set) var members: [Member] = []
  private var owner = ""

  mutating func of(_ owner: String) {
    self.owner = owner
  }

  mutating func has(_ names: String..., use: @escaping @Sendable () async throws -> Bool) {
    for name in names { members.append(Member(owner: owner, name: name, status: .implemented, use: use)) }
  }

  mutating func differs(_ name: String, _ how: String, use: @escaping @Sendable () async throws -> Bool) {
    members.append(Member(owner: owner, name: name, status: .differs(how), use: use))
  }

  mutating func lacks(_ name: String, _ why: String) {
    members.append(Member(owner: owner, name: name, status: .absent(why)))
  }
}

/// Returns a provider of bytes.
func provider(_ data: Data, _ typeIdentifier: String) -> NSItemProvider {
  let provider = NSItemProvider()
  provider.registerDataRepresentation(forTypeIdentifier: typeIdentifier, visibility: .all) { completion in
    completion(data, nil)
    return nil
  }
  return provider
}

/// Returns the argument of a completion handler.
func answer<Value: Sendable>(_ ask: (@escaping @Sendable (Value?) -> Void) -> Void) async -> Value? {
  await withCheckedContinuation { continuation in
    ask { continuation.resume(returning: $0) }
  }
}

/// Passes `body` a temporary file with the extension `txt` and a short text, and removes the file afterwards.
func withFile(_ body: (URL) async throws -> Bool) async throws -> Bool {
  let file = FileManager.default.temporaryDirectory.appendingPathComponent("dragpipe-\(UUID().uuidString).txt")
  try Data("Hail".utf8).write(to: file)
  defer { try? FileManager.default.removeItem(at: file) }
  return try await body(file)
}

/// A class with only the members that both protocols require.
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
