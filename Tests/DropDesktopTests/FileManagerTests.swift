// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import DropTransport
import Foundation
import ItemTransfer
import TestSupport
import Testing
import UniformTypes

@testable import DropDesktop

private let isInstalled = ["Xvfb", "thunar", "dbus-run-session"].allSatisfy { installedProgram($0) != nil }

/// Drags onto a window of the file manager Thunar.
@Suite(
  .serialized, .limited, .timeLimit(.minutes(30)),
  .enabled(if: isInstalled, "Xvfb, Thunar or D-Bus is not installed"))
struct FileManagerTests {
  private let stage: TestDesk
  private let directory: TemporaryDirectory

  init() async throws {
    stage = try await TestDesk()
    directory = try TemporaryDirectory()
  }

  /// Opens the directory's folder `in`; the program ends with the display.
  private func openWindow() throws -> URL {
    let (home, folder) = (directory.file("home"), directory.file("in"))
    for url in [home, folder] { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false) }
    let sink = try OwnedDescriptor.open("/dev/null", O_RDWR)
    _ = try ChildProcess(
      "dbus-run-session", ["--", "thunar", folder.path], input: sink.raw, output: sink.raw, errors: sink.raw,
      environment: [
        "DISPLAY": "\(stage.screen.address)", "HOME": home.path, "XDG_CONFIG_HOME": home.path,
        "XDG_CACHE_HOME": home.path, "XDG_DATA_HOME": home.path, "GSETTINGS_BACKEND": "memory", "GIO_USE_VFS": "local",
        "NO_AT_BRIDGE": "1",
      ])
    return folder
  }

  @Test(arguments: [DesktopDrag.PromisedFileDelivery.directSave, .addresses, .all])
  func promisedFileReachesTheFolder(delivery: DesktopDrag.PromisedFileDelivery) async throws {
    let folder = try openWindow()
    let pointer = try await stage.pointer()
    try await stage.withDisplay { display in
      let end = ContinuousClock.now + .seconds(180)
      let content = DragItems.bytes(3_000_000)
      var last: DesktopDrag?
      var stepCount = 0
      while last == nil, ContinuousClock.now < end {
        // The window refuses drags until it shows the folder, and until it has the addresses.
        stepCount += 10
        let item = ItemProvider(suggestedName: "hero.png")
        item.register(.png) { _ in content }
        let drag = DesktopDrag(display, [item], promisedFiles: delivery)
        // The program would grab the pointer of a button that is pressed on its window.
        _ = try await display.window(x: 560, y: 400, width: 80, height: 80)
        if try await run(drag, pointer, stepCount) == .dropped(.copy) { last = drag }
      }
      let file = folder.appendingPathComponent("hero.png")
      #expect(
        try await eventually { FileManager.default.contents(atPath: file.path) == content })
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
