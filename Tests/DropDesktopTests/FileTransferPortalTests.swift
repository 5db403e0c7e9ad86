// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DisplayWire
import DropSystem
import Foundation
import ItemTransfer
import Synchronization
import TestSupport
import Testing
import UniformTypes

@testable import DropDesktop

/// A portal with fake transfers, whose keys are numbers.
final class FakePortal: Sendable {
  let bus: FakeBus
  let portal: FileTransferPortal

  /// Creates a portal.
  ///
  /// - Parameters:
  ///   - paths: The result for each key; `nil` for an error.
  ///   - refusesFiles: Whether the portal refuses to share files.
  init(paths: [String]? = nil, refusesFiles: Bool = false) {
    let count = Lock(0)
    bus = FakeBus { call, bus in
      switch call.member {
      case "StartTransfer":
        let key = count.withLock { count in
          count += 1
          return count
        }
        bus.respond(to: call, string: "key \(key)")
      case "AddFiles" where refusesFiles: bus.reject(call, "org.freedesktop.portal.Error.NotAllowed")
      case "RetrieveFiles":
        if let paths { bus.respond(to: call, strings: paths) } else { bus.reject(call) }
      default: bus.respond(to: call)
      }
    }
    portal = FileTransferPortal(bus.connection())
  }

  /// The names of the called methods.
  var methods: [String] { bus.calls.map(\.member) }
}

@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct FileTransferPortalTests {
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
  }

  private func files(_ count: Int) throws -> [String] {
    try (0..<count).map { try directory.write(Data("\($0)".utf8), to: "labor \($0)").path }
  }

  // MARK: Sending

  @Test func filesAreSharedInGroups() async throws {
    let fake = FakePortal()
    let paths = try files(40)
    #expect(try await fake.portal.share(paths) == "key 1")
    #expect(fake.methods == ["StartTransfer", "AddFiles", "AddFiles", "AddFiles"])
    #expect(fake.bus.calls.map(\.signature) == ["a{sv}", "saha{sv}", "saha{sv}", "saha{sv}"])
    #expect(
      fake.bus.calls.dropFirst().map(\.paths) == [Array(paths[..<16]), Array(paths[16..<32]), Array(paths[32...])])
    #expect(fake.bus.calls.dropFirst().allSatisfy { $0.string() == "key 1" })
  }

  @Test func transferIsReadOnlyAndForOneTarget() async throws {
    let fake = FakePortal()
    _ = try await fake.portal.share(try files(1))
    let options = try #require(fake.bus.calls.first?.body)
    #expect(options[8...].starts(with: [8, 0, 0, 0] + Array("writable".utf8) + [0, 1, 0x62, 0, 0, 0, 0, 0]))
    #expect(options[32...].elementsEqual([8, 0, 0, 0] + Array("autostop".utf8) + [0, 1, 0x62, 0, 1, 0, 0, 0]))
  }

  @Test func refusedFilesStopTheTransfer() async throws {
    let fake = FakePortal(refusesFiles: true)
    #expect(try await failure { try await fake.portal.share(try files(1)) } == .sourceFailed)
    #expect(fake.methods == ["StartTransfer", "AddFiles", "StopTransfer"])
  }

  @Test func missingFileStopsTheTransfer() async throws {
    let fake = FakePortal()
    let paths = try files(2) + [directory.file("none").path]
    await #expect(throws: SystemError(ENOENT, in: "open")) { try await fake.portal.share(paths) }
    #expect(fake.methods == ["StartTransfer", "StopTransfer"])
  }

  @Test func oldestTransferIsStopped() async throws {
    let fake = FakePortal()
    for _ in 0...FileTransferPortal.maximumTransfers { _ = try await fake.portal.share([]) }
    #expect(fake.methods.filter { $0 == "StopTransfer" }.count == 1)
    #expect(fake.bus.calls.last?.string() == "key 1")
  }

  @Test func closedTransfersAreNotStopped() async throws {
    let fake = FakePortal()
    for number in 1...3 * FileTransferPortal.maximumTransfers {
      let name = "org.freedesktop.portal.FileTransfer"
      let key = try await fake.portal.share([])
      #expect(key == "key \(number)")
      fake.bus.send(FakeBusMessage(signal: "TransferClosed", of: name, key).encoded)
    }
    #expect(!fake.methods.contains("StopTransfer"))
  }

  // MARK: Receiving

  @Test(arguments: ["17", "17\0"]) func filesOfAKeyHaveAddresses(key: String) async throws {
    let fake = FakePortal(paths: ["/doc/1/a b.txt", "/doc/2/é"])
    #expect(
      try await fake.portal.addresses(of: Data(key.utf8)) == ["file:///doc/1/a%20b.txt", "file:///doc/2/%C3%A9"])
    #expect(fake.bus.calls.map(\.signature) == ["sa{sv}"] && fake.bus.calls.first?.string() == "17")
  }

  @Test(arguments: ["", "\0", "1\0\0", "1\02", String(repeating: "1", count: 1025)])
  func invalidKeyIsNotSent(key: String) async throws {
    let fake = FakePortal(paths: ["/a"])
    #expect(try await failure { try await fake.portal.addresses(of: Data(key.utf8)) } == .malformed)
    #expect(try await failure { try await fake.portal.addresses(of: Data([0xFF])) } == .malformed)
    #expect(fake.methods.isEmpty)
  }

  @Test(arguments: ["", "a", "file:///a", "/a\nb", "/a\u{1B}", "/a\u{7F}"])
  func unsafePathIsRejected(path: String) async throws {
    let fake = FakePortal(paths: ["/ok", path])
    #expect(try await failure { try await fake.portal.addresses(of: Data("17".utf8)) } == .malformed)
  }

  @Test func refusedKeyIsReported() async throws {
    #expect(try await failure { try await FakePortal().portal.addresses(of: Data("17".utf8)) } == .sourceFailed)
  }

  // MARK: Discovery

  @Test func portalIsFoundInTheListOfMounts() {
    let line = "64 27 0:39 / /run/user/7/doc rw,nosuid,nodev,relatime shared:9 - fuse.portal portal rw,user_id=7"
    let other = "22 1 8:1 / / rw - ext4 /dev/sda1 rw"
    func isMounted(_ lines: String...) -> Bool {
      FileTransferPortal.isMounted(in: lines.joined(separator: "\n"), of: "/run/user/7")
    }
    #expect(isMounted(other, line))
    #expect(isMounted(line.replacing("/run/user/7/doc", with: "/run/flatpak/doc"), ""))
    #expect(isMounted(line.replacing("shared:9 ", with: "")))
    #expect(!isMounted(other) && !isMounted("") && !isMounted("1 2 3 - fuse.portal", "- - - - - - -"))
    #expect(!isMounted(line.replacing("/user/7/", with: "/user/8/")))
    #expect(!isMounted(line.replacing("fuse.portal portal", with: "tmpfs fuse.portal")))
  }

  // MARK: Offers

  private func page() -> ItemProvider {
    let page = ItemProvider(suggestedName: "Olympus")
    page.register(.url) { _ in Data("https://example.org".utf8) }
    return page
  }

  @Test func namedItemsAreOfferedThroughThePortal() async throws {
    let (fake, name) = (FakePortal(), TargetName.portalFiles)
    let content = ProviderContent(
      [DragItems.text("Hail", name: "a"), DragItems.picture(9, name: "b")], portal: fake.portal)
    let index = try #require(content.targets.firstIndex(of: name))
    #expect(content.targets[index - 1] == TargetName.uriList && fake.methods.isEmpty)
    for number in 1...2 {
      let value = try await content.value(for: name)
      #expect(try await value.next() == Data("key \(number)\0".utf8))
    }
    #expect(fake.bus.calls[1].paths.map { URL(filePath: $0).lastPathComponent } == ["a.txt", "b.png"])
    await content.removeFiles()
  }

  /// A program may have received the item, with an address that another program has chosen.
  @Test func fileOfClaimedAddressIsNotShared() async throws {
    let directory = try TemporaryDirectory()
    let secret = try directory.write(Data("secret".utf8), to: "id_rsa")
    let item = DragItems.text("Hail", name: "a")
    item.register(.fileURL) { _ in Data(secret.absoluteString.utf8) }
    let fake = FakePortal()
    #expect(!ProviderContent([item], portal: fake.portal).targets.contains(TargetName.portalFiles))
    // The content of the item is in another file.
    let other = try directory.write(Data("saga".utf8), to: "saga")
    item.registerFile(.plainText) { _ in SentTransferredFile(other) }
    let content = ProviderContent([item], portal: fake.portal)
    await #expect(throws: DesktopError.self) { try await content.value(for: TargetName.portalFiles) }
    #expect(fake.bus.calls.isEmpty)
  }

  @Test func fileBehindALinkIsShared() async throws {
    let directory = try TemporaryDirectory()
    let file = try directory.write(Data("saga".utf8), to: "saga.txt")
    let link = directory.file("link.txt")
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)
    let item = ItemProvider(contentsOf: link)
    item.register(.fileURL) { _ in Data(link.absoluteString.utf8) }
    let fake = FakePortal()
    _ = try await ProviderContent([item], portal: fake.portal).value(for: TargetName.portalFiles)
    #expect(fake.bus.calls.contains { $0.member == "AddFiles" })
  }

  @Test func itemsThatThePortalMightRefuseAreNotOfferedThroughIt() throws {
    let portal = FakePortal().portal
    let folder = ItemProvider(suggestedName: "caves")
    folder.registerFile(.folder) { _ in SentTransferredFile(URL(filePath: "/tmp")) }
    let address = ItemProvider()
    address.register(.fileURL) { _ in Data("file:///sagas".utf8) }
    let text = DragItems.text("Hail", name: "a")
    for items in [[folder], [address], [page()], [text, page()], [DragItems.text("no name")], []] {
      #expect(!ProviderContent(items, portal: portal).targets.contains(TargetName.portalFiles), "\(items)")
    }
    #expect(!ProviderContent([text], portal: nil).targets.contains(TargetName.portalFiles))
    #expect(ProviderContent([text], portal: portal).targets.contains(TargetName.portalFiles))
  }

  // MARK: Choice

  /// Content with complete values.
  private struct Values: OfferedContent {
    let values: [(name: String, value: Data?)]
    var targets: [String] { values.map(\.name) }

    func value(for target: String) async throws -> OfferedValue {
      guard let value = values.first(where: { $0.name == target })?.value else { throw Unexpected("refused") }
      return .complete(value, as: target)
    }
  }

  /// Loads the content of a selection, and returns the names of the files, or the number of the error.
  private func load(
    _ values: [(String, Data?)], _ fake: FakePortal, isSandboxed: Bool = false
  ) async throws -> [String?] {
    try await withLoopback { display, _ in
      let (x11, content) = (display.x11, Values(values: values.map { ($0.0, $0.1) }))
      let owner = try await SelectionOwner(
        x11, x11.atoms[.clipboard], window: x11.window, content, time: try await x11.currentTime())
      async let _ = owner.serve(limit: nil)
      let reader = try await Clipboard(display).reader()
      let names = try await reader.typeNames()
      let items = IncomingItems(content: reader, names: names, isSandboxed: isSandboxed, portal: { fake.portal })
      return try await items.items().map(\.suggestedName)
    }
  }

  /// The key is invalid once the source has ended.
  @Test func clipboardManagerIsNotAskedToStoreAKey() async throws {
    try await withLoopback { display, _ in
      let (x11, time) = (display.x11, try await display.x11.currentTime())
      let manager = x11.atoms[.clipboardManager]
      let requests = x11.selectionRequests(of: manager)
      try x11.connection.send(.setSelectionOwner(x11.window, selection: manager, time: time))
      let content = Values(values: [list("/a"), key].map { ($0.0, $0.1) })
      let owner = try await SelectionOwner(x11, x11.atoms[.clipboard], window: x11.window, content, time: time)
      async let isStored = owner.store()
      let request = try await x11.next(of: requests, while: "the owner ends")
      let list = try await x11.connection.response(to: .getProperty(x11.window, request.property, limit: 99))
      guard case .words32(let atoms) = list.data else { throw Unexpected("\(list)") }
      #expect(try await x11.connection.names(of: atoms.map { X11Atom($0) }) == [TargetName.uriList])
      try x11.notify(request, property: request.property)
      #expect(try await isStored)
    }
  }

  private func list(_ path: String) -> (String, Data?) {
    (TargetName.uriList, Data("\(URL(filePath: path).absoluteString)\r\n".utf8))
  }

  private let key: (String, Data?) = (TargetName.portalFiles, Data("17\0".utf8))

  @Test func reachableAddressesNeedNoPortal() async throws {
    let (fake, paths) = (FakePortal(paths: try files(1)), try files(2))
    #expect(try await load([list(paths[1]), key], fake) == ["labor 1"])
    #expect(fake.methods.isEmpty)
  }

  @Test func sandboxedTargetPrefersThePortal() async throws {
    let (fake, paths) = (FakePortal(paths: try files(1)), try files(2))
    #expect(try await load([list(paths[1]), key], fake, isSandboxed: true) == ["labor 0"])
    #expect(fake.methods == ["RetrieveFiles"])
  }

  @Test func portalReplacesAddressesThatCannotBeReached() async throws {
    let fake = FakePortal(paths: try files(1))
    #expect(try await load([list("/none/here"), key], fake) == ["labor 0"])
  }

  @Test func portalIsUsedWithoutAddresses() async throws {
    let fake = FakePortal(paths: try files(1))
    #expect(try await load([key], fake) == ["labor 0"])
  }

  @Test(arguments: [nil, [], ["relative"], ["/none/here"]]) func addressesReplaceAPortalThatFails(
    result: [String]?
  ) async throws {
    let (fake, paths) = (FakePortal(paths: result), try files(2))
    #expect(try await load([list(paths[1]), key], fake, isSandboxed: true) == ["labor 1"])
    #expect(fake.methods == ["RetrieveFiles"])
  }

  @Test func addressesReplaceAKeyThatIsRefused() async throws {
    let (fake, paths) = (FakePortal(paths: []), try files(2))
    #expect(try await load([list(paths[1]), (key.0, nil)], fake, isSandboxed: true) == ["labor 1"])
    #expect(fake.methods.isEmpty)
  }

  @Test func unreachableAddressesAreReportedIfThePortalFails() async throws {
    #expect(try await failure { try await load([list("/none/here"), key], FakePortal()) } == .nothingOffered)
  }

  @Test func filesThatAPageHasChosenAreRejected() async throws {
    let fake = FakePortal(paths: try files(1))
    let taint: (String, Data?) = (TargetName.rendererTaint, Data("1".utf8))
    #expect(
      try await failure { try await load([list(try files(1)[0]), key, taint], fake, isSandboxed: true) } == .malformed)
  }
}
