// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DisplayWire
import DropSystem
import DropTransport
import Foundation
import ItemTransfer
import TestSupport
import Testing
import UniformTypes

@testable import DropDesktop

/// Drags to and from windows of other toolkits, which run in their own processes.
@Suite(.serialized, .limited, .timeLimit(minutes: 10), .peers("Xvfb", "python3"))
struct DragInteroperabilityTests {
  private let stage: TestDesk

  init() async throws {
    stage = try await TestDesk()
  }

  private static let toolkits = DragPeer.Toolkit.allCases.filter(\.isInstalled)

  /// Returns the same text as the peer's script.
  private func text(_ count: Int) -> String {
    String(
      String.UnicodeScalarView((0..<count).map { $0 % 40 == 0 ? "é" : Unicode.Scalar(UInt8(0x61 + $0 % 26)) }))
  }

  /// Drags items onto the window of a peer, which prints the expected lines.
  private func drag(
    _ items: [ItemProvider], to toolkit: DragPeer.Toolkit, _ mode: String, expecting expected: [String],
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let peer = try await DragPeer(toolkit, ["target", mode], on: stage.screen.address)
    let pointer = try await stage.pointer()
    try await pointer.move(to: 600, 450)
    try await pointer.press()
    try await stage.withDisplay { display in
      let drag = DesktopDrag(display, items)
      async let outcome = drag.run()
      try await pointer.waitForGrab()
      for step: Int16 in 0..<10 {
        try await pointer.move(to: 160 - 4 * step, 160 - 4 * step)
        try await Task.sleep(for: .milliseconds(20))
      }
      try await pointer.release()
      try #require(try await outcome == .dropped(.copy), sourceLocation: sourceLocation)
      for line in expected {
        // A line with a path ends with the name of the file.
        let found = try await peer.next()
        #expect(found.map { ($0 as NSString).lastPathComponent } == line, sourceLocation: sourceLocation)
      }
      withExtendedLifetime(drag) {}
    }
  }

  @Test(arguments: toolkits, [0, 5, 5_000_000]) func textReachesATarget(toolkit: DragPeer.Toolkit, count: Int)
    async throws
  {
    // GTK treats an empty text as a failure.
    guard count > 0 || toolkit == .qt5 else { return }
    try await drag([DragItems.text(text(count))], to: toolkit, "text", expecting: ["text \(count) ok"])
  }

  @Test(arguments: toolkits.filter { $0 != .gtk4 }, [1, 5_000_000])
  func bytesReachATarget(toolkit: DragPeer.Toolkit, count: Int) async throws {
    try await drag([DragItems.picture(count)], to: toolkit, "bytes", expecting: ["bytes \(count) ok"])
  }

  @Test(arguments: toolkits) func promisedFilesReachATarget(toolkit: DragPeer.Toolkit) async throws {
    let items = [DragItems.text("one", name: "one & ü.txt"), DragItems.picture(2_000_000, name: "two.png")]
    try await drag(items, to: toolkit, "files", expecting: ["one & ü.txt", "two.png"])
  }

  /// Drags from the window of a peer onto a window of this program.
  private func drop<Result: Sendable>(
    from toolkit: DragPeer.Toolkit, _ arguments: String..., load: (ItemProvider) async throws -> Result
  ) async throws -> [Result] {
    let peer = try await DragPeer(toolkit, ["source"] + arguments, on: stage.screen.address)
    let pointer = try await stage.pointer()
    let found: [Result] = try await stage.withDisplay { display in
      let window = try await display.x11.window()
      return try await DesktopDrop(display, window: window.rawValue).withEvents { events in
        try await pointer.move(to: 100, 100)
        try await pointer.press()
        for step: Int16 in 0..<14 {
          try await pointer.move(to: 100 + 20 * step, 100 + 3 * step)
          try await Task.sleep(for: .milliseconds(30))
        }
        for await event in events {
          switch event {
          case .scrolled: break
          case .entered: try await pointer.move(to: 370, 150)
          case .moved: try await pointer.release()
          case .left: return []
          case .dropped(let session):
            var found: [Result] = []
            for item in try await session.items { found.append(try await load(item)) }
            try await session.finish(.copy)
            return found
          }
        }
        return []
      }
    }
    #expect(try await peer.next() == "end copy")
    return found
  }

  @Test(arguments: toolkits, [5, 5_000_000]) func textOfASourceArrives(toolkit: DragPeer.Toolkit, count: Int)
    async throws
  {
    // GTK 4.8 announces that it sends a long text in parts, but sends none. Long data that is not text arrives.
    guard count < 1000 || toolkit != .gtk4 else { return }
    let found = try await drop(from: toolkit, "text", "\(count)") { try await $0.value(as: String.self) }
    let isEqual = found == [text(count)]
    #expect(isEqual, "\(found.map(\.utf8.count)) bytes")
  }

  @Test(arguments: toolkits, [1, 5_000_000]) func bytesOfASourceArrive(toolkit: DragPeer.Toolkit, count: Int)
    async throws
  {
    let found = try await drop(from: toolkit, "bytes", "\(count)") { try await $0.data(for: .png) }
    let isEqual = found == [DragItems.bytes(count)]
    #expect(isEqual, "\(found.map(\.count)) bytes")
  }

  @Test(arguments: toolkits) func filesOfASourceArrive(toolkit: DragPeer.Toolkit) async throws {
    let directory = try TemporaryDirectory()
    let paths = try ["a b.txt", "ü.txt"].map { try directory.write(Data($0.utf8), to: $0).path }
    let found = try await drop(from: toolkit, "files", paths[0], paths[1]) { item in
      String(decoding: try await item.data(for: .plainText), as: UTF8.self)
    }
    #expect(found == ["a b.txt", "ü.txt"])
  }
}

/// Drags onto a window of the file manager Thunar.
@Suite(.serialized, .limited, .timeLimit(minutes: 10), .peers("Xvfb", "thunar", "dbus-run-session"))
struct FileManagerTests {
  private let stage: TestDesk
  private let directory: TemporaryDirectory

  init() async throws {
    stage = try await TestDesk()
    directory = try TemporaryDirectory()
  }

  @Test(arguments: [DesktopDrag.PromisedFileDelivery.directSave, .addresses, .all])
  func promisedFileReachesTheFolder(delivery: DesktopDrag.PromisedFileDelivery) async throws {
    let folder = directory.file("in")
    try openThunar(folder, on: stage.screen.address)
    let pointer = try await stage.pointer()
    try await stage.withDisplay { display in
      let content = DragItems.bytes(3_000_000)
      var last: DesktopDrag?
      var stepCount = 0
      try await wait(for: "a window that accepts the drag") {
        // The window refuses drags until it shows the folder, and until it has the addresses.
        stepCount += 10
        let item = ItemProvider(suggestedName: "hero.png")
        item.register(.png) { _ in content }
        let drag = DesktopDrag(display, [item], promisedFiles: delivery)
        last = drag
        // The program would grab the pointer of a button that is pressed on its window.
        _ = try await display.x11.window(x: 560, y: 400, width: 80, height: 80)
        return try await run(drag, pointer, stepCount) == .dropped(.copy)
      }
      let file = folder.appendingPathComponent("hero.png")
      try await wait(for: "the file") { FileManager.default.contents(atPath: file.path) == content }
      // The copy has the permissions of any new file, so that other users may read it.
      let other = try directory.write(Data(), to: "other")
      #expect(try permissions(of: file) == permissions(of: other))
      // The temporary file exists as long as the drag.
      withExtendedLifetime(last) {}
    }
  }

  private func permissions(of file: URL) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
  }

  /// Drags onto the folder's view.
  private func run(_ drag: DesktopDrag, _ pointer: TestPointer, _ stepCount: Int) async throws -> DesktopDrag.Outcome {
    try await pointer.move(to: 600, 440)
    try await pointer.press()
    async let outcome = drag.run()
    try await pointer.waitForGrab()
    for step in 0..<stepCount {
      try await pointer.move(to: 400 + Int16(step % 20), 300)
      try await Task.sleep(for: .milliseconds(30))
    }
    try await pointer.release()
    return try await outcome
  }
}
