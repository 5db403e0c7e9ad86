// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DisplayWire
import DropTransport
import Foundation
import ItemTransfer
import TestSupport
import Testing
import UniformTypes

@testable import DropDesktop

/// The direct save protocol: first its file addresses, then both sides on a virtual display.
@Suite(
  .serialized, .limited, .timeLimit(.minutes(30)), .enabled(if: VirtualDisplay.isInstalled, "Xvfb is not installed"))
struct DragSavingTests {
  private let stage: TestDesk
  private let directory: TemporaryDirectory

  init() async throws {
    stage = try await TestDesk()
    directory = try TemporaryDirectory()
  }

  /// Saves content at an address, as the source of a drag does.
  private func save(_ content: String, at address: String, dropTime: Date = Date()) async throws {
    let item = DragItems.text(content)
    try await DirectSaveAddress(parsing: Array(address.utf8), dropTime: dropTime)
      .write(try await item.bytes(for: .utf8PlainText))
  }

  private func text(of name: String) -> String? { try? String(contentsOf: directory.file(name), encoding: .utf8) }

  @Test func sourceWritesANewFile() async throws {
    try await save("hero", at: directory.file("a b.txt").absoluteString)
    #expect(text(of: "a b.txt") == "hero")
  }

  @Test func sourceReplacesNoFile() async throws {
    try directory.write(Data("old".utf8), to: "full")
    _ = try directory.writeOld(Data(), to: "old-empty")
    try FileManager.default.createSymbolicLink(at: directory.file("link"), withDestinationURL: directory.file("new"))
    for name in ["full", "old-empty", "link"] {
      await #expect(throws: (any Error).self, "\(name)") {
        try await save("hero", at: directory.file(name).absoluteString)
      }
    }
    #expect(text(of: "full") == "old")
    #expect(text(of: "old-empty") == "")
    #expect(text(of: "new") == nil)
    // The target has just created this empty file to reserve its name, so the source may replace it.
    try directory.write(Data(), to: "reserved")
    try await save("hero", at: directory.file("reserved").absoluteString)
    #expect(text(of: "reserved") == "hero")
  }

  @Test func failedItemLeavesNoFile() async throws {
    struct Failure: Error {}
    let item = ItemProvider()
    item.registerStream(.data) { _ in
      AsyncThrowingStream<Data, any Error> { continuation in
        continuation.yield(Data("part".utf8))
        continuation.finish(throwing: Failure())
      }
    }
    let address = try DirectSaveAddress(
      parsing: Array(directory.file("x").absoluteString.utf8), dropTime: Date())
    await #expect(throws: (any Error).self) { try await address.write(try await item.bytes(for: .data)) }
    #expect(text(of: "x") == nil)
  }

  @Test(arguments: [
    "http://localhost/tmp/x", "file://another.host/tmp/x", "x.txt", "file:///tmp/", "file:///tmp/..", "file:///tmp/.",
    "file:///tmp/a%00b", "", "file:///tmp/x?y",
  ]) func otherAddressesAreRefused(address: String) {
    #expect(throws: DesktopError.self) { try DirectSaveAddress(parsing: Array(address.utf8), dropTime: Date()) }
  }

  @Test func onlyOneItemWithAValidNameIsSaved() {
    let named = DragItems.text("x", name: "a/b")
    #expect(DirectSave.name(of: [named]) == nil)
    #expect(DirectSave.name(of: [DragItems.text("x", name: "hero"), DragItems.text("x", name: "b")]) == nil)
    #expect(DirectSave.name(of: [DragItems.text("x")]) == nil)
    #expect(DirectSave.name(of: [DragItems.text("x", name: "hero")]) == "hero.txt")
  }

  // MARK: Both ends

  /// Drags from a source that the test controls.
  ///
  /// It offers types and answers requests with the values of `respond`.
  private func dragging<Result: Sendable>(
    _ names: [String], name: String, respond: @escaping @Sendable (String, String) async -> Data?,
    drop: @escaping @Sendable (DesktopDrop.Session) async throws -> Result
  ) async throws -> Result {
    let directory = directory.url
    return try await stage.withDisplay { display in
      let window = try await display.window()
      return try await stage.withDisplay { other in
        let source = try await HostileSource(other, names: names, name: name)
        let target = DesktopDrop(display, window: window.rawValue, directory: directory)
        return try await target.withEvents { events in
          async let serving: Void = source.serve(respond)
          try await source.dropOn(window)
          for await event in events {
            guard case .dropped(let session) = event else { continue }
            let result = try await drop(session)
            session.refuse(because: "the end of the test")
            source.stop()
            await serving
            return result
          }
          throw CancellationError()
        }
      }
    }
  }

  @Test func savedFileArrivesUnderItsName() async throws {
    let found = try await dragging(["XdndDirectSave0", "application/octet-stream"], name: "ü & hero.txt") {
      target, address in
      guard target == "XdndDirectSave0", let url = URL(string: address) else { return nil }
      return Data(((try? Data("hero".utf8).write(to: url)) != nil ? "S" : "E").utf8)
    } drop: { session in
      let item = try #require(try await session.items.first)
      return [item.suggestedName ?? "", String(decoding: try await item.data(for: .plainText), as: UTF8.self)]
    }
    #expect(found == ["ü & hero.txt", "hero"])
  }

  /// Firefox creates the file and reports it, and writes it afterwards.
  @Test(arguments: ["closed", "open"]) func contentWrittenAfterTheReportArrives(emptyFile: String) async throws {
    let content = Data(repeating: 0x61, count: 100_000)
    let found = try await dragging(["XdndDirectSave0"], name: "picture.png") { _, address in
      guard let url = URL(string: address),
        FileManager.default.createFile(atPath: url.path, contents: nil)
      else { return nil }
      let openFile = emptyFile == "open" ? try? FileHandle(forWritingTo: url) : nil
      Thread.detachNewThread {
        Thread.sleep(forTimeInterval: 0.3)
        guard let file = openFile ?? (try? FileHandle(forWritingTo: url)) else { return }
        for part in [content.prefix(1000), content.dropFirst(1000)] {
          try? file.write(contentsOf: part)
          Thread.sleep(forTimeInterval: 0.3)
        }
        try? file.close()
      }
      return Data("S".utf8)
    } drop: { session in
      try await session.items.first?.data(for: .png)
    }
    #expect(found?.count == content.count)
  }

  @Test func emptyFileArrivesAfterAWait() async throws {
    let found = try await dragging(["XdndDirectSave0"], name: "none.txt") { _, address in
      guard let url = URL(string: address), (try? Data().write(to: url)) != nil else { return nil }
      return Data("S".utf8)
    } drop: { session in
      try await session.items.first?.data(for: .plainText)
    }
    #expect(found == Data())
  }

  @Test func bytesFollowIfTheSourceCannotSave() async throws {
    let found = try await dragging(["XdndDirectSave0", "application/octet-stream"], name: "map.png") { target, _ in
      Data((target == "XdndDirectSave0" ? "F" : "bytes of the map").utf8)
    } drop: { session in
      let item = try #require(try await session.items.first)
      return [item.suggestedName ?? "", String(decoding: try await item.data(for: .png), as: UTF8.self)]
    }
    #expect(found == ["map.png", "bytes of the map"])
  }

  @Test(arguments: ["E", "S", "link", "nonsense"]) func falseReportsAreErrors(report: String) async throws {
    _ = try await dragging(["XdndDirectSave0"], name: "passwd") { _, address in
      guard report == "link", let url = URL(string: address) else { return Data(report.utf8) }
      try? FileManager.default.createSymbolicLink(atPath: url.path, withDestinationPath: "/etc/passwd")
      return Data("S".utf8)
    } drop: { session in
      await #expect { _ = try await session.items } throws: { ($0 as? DesktopError)?.code == .sourceFailed }
    }
  }

  @Test(arguments: ["../../etc/passwd", "a/b", "", ".hidden", "a\nb"])
  func unsafeNamesAreNotSaved(name: String) async throws {
    let asked = Collector<String>()
    let found = try await dragging(["XdndDirectSave0", "text/plain"], name: name) { target, _ in
      asked.add(target)
      return Data("text".utf8)
    } drop: { session in
      let item = try #require(try await session.items.first)
      return try await item.value(as: String.self)
    }
    #expect(found == "text")
    #expect(asked.values == ["text/plain"])
  }

  @Test func ownEndsSaveDirectly() async throws {
    let created = Collector<Int>()
    let pointer = try await stage.pointer()
    try await pointer.press()
    let item = DragItems.picture(3_000_000, name: "map.png", created: created)
    async let outcome = stage.withDisplay { display in
      try await DesktopDrag(display, [item], promisedFiles: .directSave).run()
    }
    try await pointer.waitForGrab()
    let directory = directory.url
    let count = try await stage.withDisplay { display in
      let window = try await display.window()
      let target = DesktopDrop(display, window: window.rawValue, directory: directory)
      return try await target.withEvents { events in
        try await pointer.move(to: 320, 120)
        for await event in events {
          if case .moved = event { try await pointer.release() }
          guard case .dropped(let session) = event else { continue }
          #expect(!session.position.typeNames.contains("text/uri-list"))
          #expect(created.values.isEmpty)
          // Removes the type of complete drops, as a program does that does not know the type.
          let names = session.position.typeNames.filter { $0 != TargetName.drop }
          let items = try await session.load(names).items
          let count = try await items.first?.data(for: .png).count
          try await session.finish(.copy)
          return count
        }
        return nil
      }
    }
    #expect(try await outcome == .dropped(.copy))
    #expect(count == 3_000_000)
    #expect(created.values == [3_000_000])
  }
}
