// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import ItemProviderCompat
import ItemTransfer
import TestSupport
import Testing
import UniformTypes

/// File representations in Apple's API.
@Suite(.serialized, .limited, .timeLimit(.minutes(10))) struct FileRepresentationTests {
  private struct Answer: Sendable {
    var file: URL?
    var text: String?
    var isInPlace: Bool?
    var error: NSError?
  }

  private func loadInPlace(_ provider: NSItemProvider, _ type: UTType) async -> Answer {
    await withCheckedContinuation { continuation in
      _ = provider.loadFileRepresentation(for: type, openInPlace: true) { file, isInPlace, error in
        let text = file.flatMap { try? String(contentsOf: $0, encoding: .utf8) }
        continuation.resume(
          returning: Answer(file: file, text: text, isInPlace: isInPlace, error: error as NSError?))
      }
    }
  }

  private func load(_ provider: NSItemProvider, _ type: UTType) async -> Answer {
    await withCheckedContinuation { continuation in
      provider.loadFileRepresentation(forTypeIdentifier: type.identifier) { file, error in
        let text = file.flatMap { try? String(contentsOf: $0, encoding: .utf8) }
        continuation.resume(returning: Answer(file: file, text: text, error: error as NSError?))
      }
    }
  }

  @Test func fileExistsUnderItsNameDuringHandler() async throws {
    let provider = NSItemProvider()
    provider.suggestedName = "greeting"
    provider.registerDataRepresentation(for: .utf8PlainText) { completion in
      completion(Data("Hail".utf8), nil)
      return nil
    }
    let answer = await load(provider, .text)
    let file = try #require(answer.file)
    #expect(answer.text == "Hail")
    #expect(file.lastPathComponent == "greeting.txt")
    #expect(try await eventually { !FileManager.default.fileExists(atPath: file.path) })
    let text = try await provider.withFileRepresentation(forTypeIdentifier: "public.text") { file in
      try String(contentsOf: file, encoding: .utf8)
    }
    #expect(text == "Hail")
  }

  @Test func usesOriginalFileOnlyIfAllowed() async throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let original = try directory.write(Data("Hail".utf8), to: "greeting.txt")
    for isAllowed in [true, false] {
      let provider = NSItemProvider()
      provider.registerFileRepresentation(for: .utf8PlainText, openInPlace: isAllowed) { completion in
        completion(original, false, nil)
        return nil
      }
      #expect(provider.registeredContentTypesForOpenInPlace == (isAllowed ? [.utf8PlainText] : []))
      #expect(
        provider.hasRepresentationConforming(toTypeIdentifier: "public.text", fileOptions: .openInPlace) == isAllowed)
      let answer = await loadInPlace(provider, .text)
      #expect(answer.text == "Hail")
      #expect(answer.isInPlace == isAllowed)
      let file = try #require(answer.file)
      #expect((file.path == original.path) == isAllowed)
      try await Task.sleep(for: .milliseconds(200))
      #expect(FileManager.default.fileExists(atPath: file.path))
      if !isAllowed { try FileManager.default.removeItem(at: file.deletingLastPathComponent()) }
    }
  }

  @Test func sourceMayRemoveFileAfterCompletion() async throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let before = try temporaryDirectories()
    let provider = NSItemProvider()
    provider.registerFileRepresentation(for: .utf8PlainText) { completion in
      let file = directory.file(UUID().uuidString)
      try? Data("Hail".utf8).write(to: file)
      completion(file, false, nil)
      try? FileManager.default.removeItem(at: file)
      return nil
    }
    provider.registerFileRepresentation(for: .folder) { completion in
      let folder = directory.url.appendingPathComponent("Saga", isDirectory: true)
      let inside = folder.appendingPathComponent("deeds", isDirectory: true)
      try? FileManager.default.createDirectory(at: inside, withIntermediateDirectories: true)
      try? Data("Hail".utf8).write(to: inside.appendingPathComponent("greeting.txt"))
      completion(folder, false, nil)
      try? FileManager.default.removeItem(at: folder)
      return nil
    }
    for _ in 0..<10 {
      #expect(await load(provider, .utf8PlainText).text == "Hail")
      let copy = await loadInPlace(provider, .utf8PlainText)
      #expect(copy.text == "Hail")
      #expect(copy.isInPlace == false)
      try FileManager.default.removeItem(at: try #require(copy.file).deletingLastPathComponent())
      let data = try await provider.loadDataRepresentation(forTypeIdentifier: "public.text")
      #expect(data == Data("Hail".utf8))
      var chunks = Data()
      for try await chunk in try await provider.itemProvider.bytes(for: .text) { chunks += chunk }
      #expect(chunks == data)
      let text = try await provider.withFileRepresentation(forTypeIdentifier: "public.folder") { folder in
        try String(contentsOf: folder.appendingPathComponent("deeds/greeting.txt"), encoding: .utf8)
      }
      #expect(text == "Hail")
    }
    // Directories of concurrent tests disappear too, but hardly all at once.
    let left = try temporaryDirectories().subtracting(before)
    #expect(try await eventually { try temporaryDirectories().isDisjoint(with: left) })
  }

  @Test func offersFolderByLinkAndRejectsUnsupportedEntries() async throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let folder = directory.url.appendingPathComponent("Saga", isDirectory: true)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try Data("Hail".utf8).write(to: folder.appendingPathComponent("greeting.txt"))
    let link = directory.file("link")
    try FileManager.default.createSymbolicLink(atPath: link.path, withDestinationPath: "Saga")
    let provider = NSItemProvider()
    provider.registerFileRepresentation(for: .folder) { completion in
      completion(link, false, nil)
      return nil
    }
    let text = try await provider.withFileRepresentation(forTypeIdentifier: "public.folder") { folder in
      try String(contentsOf: folder.appendingPathComponent("greeting.txt"), encoding: .utf8)
    }
    #expect(text == "Hail")
    #expect(mkfifo(folder.appendingPathComponent("pipe").path, 0o600) == 0)
    #expect(await load(provider, .folder).error?.code == NSItemProvider.ErrorCode.itemUnavailableError.rawValue)
  }

  /// Returns the temporary directories of this package, including those of concurrent tests.
  private func temporaryDirectories() throws -> Set<String> {
    let directory = FileManager.default.temporaryDirectory.path
    return Set(try FileManager.default.contentsOfDirectory(atPath: directory).filter { $0.hasPrefix("dragpipe-") })
  }

  @Test func offersFileByURLEvenIfMissing() async throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let original = try directory.write(Data("Hail".utf8), to: "greeting.txt")
    let provider = try #require(NSItemProvider(contentsOf: original))
    #expect(provider.suggestedName == "greeting.txt")
    #expect(provider.hasItemConformingToTypeIdentifier("public.plain-text"))
    #expect(provider.canLoadObject(ofClass: URL.self))
    #expect(await load(provider, .plainText).text == "Hail")
    let missing = try #require(NSItemProvider(contentsOf: directory.url.appendingPathComponent("gone.txt")))
    #expect(await load(missing, .plainText).error?.code == NSItemProvider.ErrorCode.itemUnavailableError.rawValue)
    let link = try #require(NSItemProvider(contentsOf: URL(string: "https://example.org")))
    #expect(link.registeredTypeIdentifiers == ["public.url"])
  }

  @Test func rejectsURLsWithoutLocalFile() async throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let pipe = directory.file("pipe")
    #expect(mkfifo(pipe.path, 0o600) == 0)
    let strangers = [
      URL(string: "https://example.org/etc/hostname"), pipe, directory.file("gone"), URL(string: "/dev/null"),
    ]
    for file in strangers.compactMap(\.self) {
      for openInPlace in [false, true] {
        let provider = NSItemProvider()
        provider.registerFileRepresentation(for: .data, openInPlace: openInPlace) { completion in
          completion(file, false, nil)
          return nil
        }
        #expect(await load(provider, .data).error?.code == -1000, "\(file)")
        let inPlace: NSError? = await withCheckedContinuation { continuation in
          provider.loadInPlaceFileRepresentation(forTypeIdentifier: "public.data") { _, _, error in
            continuation.resume(returning: error as NSError?)
          }
        }
        #expect(inPlace?.code == -1000, "\(file)")
        await #expect(throws: NSError.self) {
          try await provider.loadDataRepresentation(forTypeIdentifier: "public.data")
        }
      }
    }
  }

  @Test(arguments: ["a\u{0}b", "a\u{1B}b", "..", "a/b", String(repeating: "x", count: 300)])
  func replacesInvalidFileNames(name: String) async throws {
    let provider = NSItemProvider()
    provider.suggestedName = name
    provider.registerDataRepresentation(for: .png) { completion in
      completion(Data([1]), nil)
      return nil
    }
    #expect(await load(provider, .png).file?.lastPathComponent == "item.png")
  }
}
