// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DisplayWire
import DropSystem
import Foundation
import ItemTransfer
import TestSupport
import Testing

@testable import DropDesktop

/// Transfers through the portal of xdg-desktop-portal and a message bus of their own, which need FUSE.
@Suite(
  .serialized, .limited, .timeLimit(minutes: 5), .peers("dbus-daemon"),
  .enabled("needs xdg-document-portal, and the right to mount its file system") { try await BusDaemon.canStartPortal() }
)
struct FileTransferPortalPeerTests {
  private let daemon: BusDaemon
  private let service: ChildProcess
  private let directory: TemporaryDirectory

  init() async throws {
    daemon = try await BusDaemon()
    service = try #require(try await daemon.startPortal())
    directory = try TemporaryDirectory()
    let mounts = try String(contentsOfFile: "/proc/self/mountinfo", encoding: .utf8)
    #expect(FileTransferPortal.isMounted(in: mounts, of: try #require(daemon.environment["XDG_RUNTIME_DIR"])))
  }

  /// Runs a test, and then stops the portal, which unmounts its file system.
  private func withPortal<Result>(_ body: (FileTransferPortal) async throws -> Result) async throws -> Result {
    do {
      let result = try await body(try client())
      await service.stop()
      return result
    } catch {
      await service.stop()
      throw error
    }
  }

  /// Returns another client of the portal.
  private func client() throws -> FileTransferPortal {
    let addresses = try BusAddress.session(daemon.environment)
    return FileTransferPortal(
      BusConnection(timeout: .seconds(60)) { (timeout) throws(DisplayError) in
        try BusAddress.connect(to: addresses, timeout: timeout)
      })
  }

  private func files(_ count: Int) throws -> [String] {
    try (0..<count).map { try directory.write(Data("\($0)".utf8), to: "labor & \($0) é").path }
  }

  @Test func filesArePassedOnce() async throws {
    try await withPortal { source in
      let target = try client()
      let paths = try files(40)
      let keys = [try await source.share(paths), try await source.share([paths[0]])]
      let addresses = try await target.addresses(of: Data(keys[0].utf8))
      #expect(try addresses.map { try URIList.file($0).path } == paths)
      #expect(try await failure { try await target.addresses(of: Data(keys[0].utf8)) } == .sourceFailed)
      #expect(try await target.addresses(of: Data(keys[1].utf8)).count == 1)
    }
  }

  @Test func transferEndsWithItsSource() async throws {
    try await withPortal { target in
      let key = try await { try await client().share(try files(1)) }()
      let isRefused = try await eventually {
        do {
          return try await target.addresses(of: Data(key.utf8)).isEmpty
        } catch let error as DesktopError {
          return error.code == .sourceFailed
        }
      }
      #expect(isRefused)
    }
  }

  @Test func endOfATransferIsSignalled() async throws {
    try await withPortal { target in
      let addresses = try BusAddress.session(daemon.environment)
      let bus = BusConnection { (timeout) throws(DisplayError) in
        try BusAddress.connect(to: addresses, timeout: timeout)
      }
      let source = FileTransferPortal(bus)
      let key = try await source.share(try files(1))
      _ = try await target.addresses(of: Data(key.utf8))
      _ = bus.takeSignals()
      // The signal arrives before the response to a later call.
      #expect(try await failure { try await source.addresses(of: Data(key.utf8)) } == .sourceFailed)
      #expect(try bus.takeSignals().filter { $0.member == "TransferClosed" }.map { try $0.string() } == [key])
    }
  }

  // MARK: Sandbox

  /// The part of a sandboxed program that takes files from the portal and prints their content.
  private static let target = """
    import sys
    from gi.repository import Gio, GLib
    bus = Gio.bus_get_sync(Gio.BusType.SESSION)
    paths, = bus.call_sync(
        "org.freedesktop.portal.Documents", "/org/freedesktop/portal/documents",
        "org.freedesktop.portal.FileTransfer", "RetrieveFiles", GLib.Variant("(sa{sv})", (sys.argv[1], {})), None, 0,
        60000).unpack()
    for path in paths:
        print(open(path).read(), end=" ")
        try:
            open(path, "a")
        except OSError:
            print("read-only")
    """

  private static func canStartSandbox() async throws -> Bool {
    guard startsPeers, hasGTK4, installedProgram("bwrap") != nil else { return false }
    return try await ProgramRun("bwrap", ["--ro-bind", "/", "/", "true"]).exitCode == 0
  }

  /// The sandbox has no other access to the files, and identifies its program like Flatpak.
  @Test(.enabled("needs bubblewrap and Gio") { try await canStartSandbox() }) func filesReachASandbox() async throws {
    try await withPortal { portal in
      let key = try await portal.share(try files(2))
      let information = try directory.write(Data("[Application]\nname=org.example.Hero\n".utf8), to: "info").path
      let run = try #require(daemon.environment["XDG_RUNTIME_DIR"])
      var arguments = ["--proc", "/proc", "--dev", "/dev", "--ro-bind", information, "/.flatpak-info"]
      for path in ["/usr", "/etc"] { arguments += ["--ro-bind", path, path] }
      for name in ["bin", "lib", "lib64"] { arguments += ["--symlink", "usr/\(name)", "/\(name)"] }
      arguments += ["--bind", "\(run)/bus", "\(run)/bus", "--bind", "\(run)/doc/by-app/org.example.Hero", "\(run)/doc"]
      arguments += ["/usr/bin/python3", "-c", Self.target, key]
      let program = try await ProgramRun("bwrap", arguments, environment: daemon.environment)
      #expect(program.outputLines == ["0 read-only", "1 read-only"], "\(program.errors)")
    }
  }

  // MARK: GTK 4

  private static let hasGTK4 = DragPeer.Toolkit.gtk4.isInstalled && installedProgram("Xvfb") != nil

  /// Starts a program that uses the clipboard of a display, and waits until it is ready.
  private func peer(_ arguments: [String], _ desk: TestDesk) async throws -> (ChildProcess, ChildLines) {
    let script = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Interoperability/portal_peer.py").path
    let (reader, output) = try SystemCalls.pipe()
    let writer = OwnedDescriptor(output)
    let sink = try OwnedDescriptor.open("/dev/null", O_WRONLY)
    let process = try ChildProcess(
      "/usr/bin/python3", ["-B", script] + arguments, output: writer.raw, errors: sink.raw,
      environment: daemon.environment.merging(["DISPLAY": "\(desk.screen.address)"]) { $1 })
    try writer.close()
    let lines = ChildLines(of: process, reader)
    #expect(try await lines.next("the portal of GTK 4") == "ready")
    return (process, lines)
  }

  @Test(.enabled("needs GTK 4 and Xvfb") { hasGTK4 }) func gtk4TakesFilesFromThePortal() async throws {
    let desk = try await TestDesk()
    try await withPortal { portal in
      try await desk.withDisplay { display in
        let items = [DragItems.text("one", name: "one & ü.txt"), DragItems.picture(2_000_000, name: "two.png")]
        let content = PortalContent(ProviderContent(items, portal: portal))
        let x11 = display.x11
        let owner = try await SelectionOwner(
          x11, x11.atoms[.clipboard], window: x11.window, content, time: try await x11.currentTime())
        async let _ = owner.serve(limit: nil)
        let (process, lines) = try await peer(["read"], desk)
        var found: [String] = []
        while let line = try await lines.next("a file"), line != "end" { found.append(line) }
        #expect(found.map { ($0 as NSString).lastPathComponent } == ["one & ü.txt", "two.png"])
        #expect(content.requested.values.contains(TargetName.portalFiles))
        await process.stop()
        await content.base.removeFiles()
      }
    }
  }

  @Test(.enabled("needs GTK 4 and Xvfb") { hasGTK4 }) func gtk4SharesFilesThroughThePortal() async throws {
    let desk = try await TestDesk()
    try await withPortal { portal in
      let paths = try files(2)
      let (process, _) = try await peer(["own"] + paths, desk)
      try await desk.withDisplay { display in
        let reader = try await Clipboard(display).reader()
        let value = try await reader.data(of: TargetName.portalFiles, limit: 1025)
        #expect(value.last == 0)
        #expect(try await portal.addresses(of: value).map { try URIList.file($0).path } == paths)
        let items = IncomingItems(
          content: reader, names: try await reader.typeNames(), isSandboxed: true, portal: { portal })
        #expect(try await items.items().map(\.suggestedName) == paths.map { ($0 as NSString).lastPathComponent })
      }
      await process.stop()
    }
  }
}

/// Content that records the types that other programs request.
private struct PortalContent: OfferedContent {
  let base: ProviderContent
  let requested = Collector<String>()
  var targets: [String] { base.targets }

  init(_ base: ProviderContent) {
    self.base = base
  }

  func value(for target: String) async throws -> OfferedValue {
    requested.add(target)
    return try await base.value(for: target)
  }
}
