// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import ItemTransfer
import TestSupport
import Testing
import UniformTypes

/// The ways to load an item, for tests that apply to all of them.
enum LoadKind: CaseIterable, Sendable {
  case data
  case bytes
  case value
  case valueOfFile
  case file
  case inPlaceFile
  case savedFile
  case preview
  case handle
  case handleOfValue
  case handleOfFile

  /// The type that the provider must offer.
  var contentType: UTType {
    switch self {
    case .value, .handleOfValue: .hero
    case .valueOfFile: .scroll
    default: .png
    }
  }

  /// The bytes that the loader must return.
  var content: Data {
    switch self {
    case .value, .handleOfValue: Data(#"{"name":"Ajax","strength":1}"#.utf8)
    default: Data("whole".utf8)
    }
  }

  /// Whether the load starts in a task of its own, instead of the caller's task.
  var isHandle: Bool { [.handle, .handleOfValue, .handleOfFile].contains(self) }

  /// Returns a provider of the content.
  func provider() -> ItemProvider {
    ItemProvider(of: contentType, suggestedName: "a.png") { _ in content }
  }

  /// Returns a provider whose loader opens `began`, and then waits for the cancellation of its task.
  func waiting(_ began: Gate, runs: Counter = Counter()) -> ItemProvider {
    ItemProvider(of: contentType, suggestedName: "a.png") { _ in
      runs.increase()
      began.open()
      try await Task.sleep(for: waitingLimit)
      return content
    }
  }

  /// Loads the item in this way, and returns the loaded bytes.
  func load(_ provider: ItemProvider, into directory: URL, progress: ItemProgress? = nil) async throws -> Data {
    switch self {
    case .data: return try await provider.data(for: .png, progress: progress)
    case .bytes:
      var all = Data()
      for try await chunk in try await provider.bytes(for: .png, progress: progress) { all += chunk }
      return all
    case .value: return encoded(try await provider.value(as: Hero.self, progress: progress))
    case .valueOfFile: return Data(try await provider.value(as: Scroll.self, progress: progress).text.utf8)
    case .file: return try await provider.withFile(for: .png, progress: progress) { try Data(contentsOf: $0) }
    case .inPlaceFile:
      return try await provider.withInPlaceFile(for: .png, progress: progress) { try Data(contentsOf: $0.file) }
    case .savedFile: return try taken(try await provider.saveFile(for: .png, in: directory, progress: progress))
    case .preview: return try await provider.preview(progress: progress).data
    case .handle: return try await provider.startLoading(.png, progress: progress ?? ItemProgress()).awaited
    case .handleOfValue:
      return encoded(try await provider.startLoading(as: Hero.self, progress: progress ?? ItemProgress()).awaited)
    case .handleOfFile:
      let load = provider.startSavingFile(for: .png, in: directory, progress: progress ?? ItemProgress())
      return try taken(try await load.awaited)
    }
  }

  private func encoded(_ hero: Hero) -> Data {
    Data(#"{"name":"\#(hero.name)","strength":\#(hero.strength)}"#.utf8)
  }

  /// Returns the bytes of a saved file, and removes the file.
  private func taken(_ file: URL) throws -> Data {
    defer { try? FileManager.default.removeItem(at: file) }
    return try Data(contentsOf: file)
  }

  /// Expects that a load ended with the cancellation that its function documents.
  func expectCancelled(_ result: Result<Data, any Error>, sourceLocation: SourceLocation = #_sourceLocation) {
    guard case .failure(let error) = result else {
      Issue.record("\(self) has a result", sourceLocation: sourceLocation)
      return
    }
    let known = error as? ItemProviderError
    #expect(
      known?.code == .cancelled && known?.contentType == contentType, "\(self): \(error)",
      sourceLocation: sourceLocation)
  }
}

extension ItemLoad {
  /// The value of the load.
  ///
  /// Unlike `value`, this property cancels the load if the waiting task is cancelled.
  var awaited: Value {
    get async throws {
      try await withTaskCancellationHandler {
        try await value
      } onCancel: {
        cancel()
      }
    }
  }
}
