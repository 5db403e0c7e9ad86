// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DisplayWire
import Foundation
import TestSupport
import Testing

@testable import DropDesktop

/// Programs that offer content but violate the protocol.
@Suite(
  .serialized, .limited, .timeLimit(.minutes(30)), .enabled(if: VirtualDisplay.isInstalled, "Xvfb is not installed"))
struct HostileOwnerTests {
  private let desk: TestDesk
  private static func options(_ timeout: Duration) -> DesktopOptions {
    var options = DesktopOptions()
    options.idleTimeout = timeout
    return options
  }

  init() async throws {
    desk = try await TestDesk()
  }

  /// Owns the clipboard with a request handler while `body` reads the clipboard.
  private func owning<Result: Sendable>(
    timeout: Duration = .seconds(120),
    _ respond: @escaping @Sendable (DesktopDisplay, X11SelectionRequestEvent) async throws -> Void,
    _ body: @escaping @Sendable (SelectionReader) async throws -> Result
  ) async throws -> Result {
    try await desk.withDisplay { owner in
      let requests = owner.router.events { event -> X11SelectionRequestEvent? in
        if case .selectionRequest(let request) = event.kind { request } else { nil }
      }
      let time = try await owner.currentTime()
      try owner.connection.send(
        .setSelectionOwner(owner.window, selection: owner.atoms[.clipboard], time: time))
      try await owner.connection.synchronize()
      let responding = Task {
        while let request = await requests.next() { try await respond(owner, request) }
      }
      defer { responding.cancel() }
      return try await desk.withDisplay(Self.options(timeout)) { try await body(Clipboard($0).reader()) }
    }
  }

  /// Stores a value in the requested property and notifies the requestor.
  private static func store(
    _ owner: DesktopDisplay, _ request: X11SelectionRequestEvent, _ type: X11Atom, _ data: X11Data
  ) throws {
    try owner.connection.send(.changeProperty(request.requestor, request.property, type: type, data))
    try notify(owner, request, request.property)
  }

  private static func notify(
    _ owner: DesktopDisplay, _ request: X11SelectionRequestEvent, _ property: X11Atom
  ) throws {
    let notice = X11SelectionNotifyEvent(
      time: request.time, requestor: request.requestor, selection: request.selection, target: request.target,
      property: property)
    try owner.connection.send(.sendEvent(notice, to: request.requestor))
  }

  @Test func aSilentOwnerTimesOut() async throws {
    let error = await #expect(throws: DesktopError.self) {
      try await owning(timeout: .milliseconds(400)) { _, _ in
      } _: {
        try await $0.typeNames()
      }
    }
    #expect(error?.code == .timedOut)
  }

  @Test func anIncrementalValueThatStallsTimesOut() async throws {
    let error = await #expect(throws: DesktopError.self) {
      try await owning(timeout: .milliseconds(400)) { owner, request in
        try Self.store(owner, request, owner.atoms[.incremental], .words32([100]))
      } _: { reader in
        try await reader.data(of: "image/png", limit: 1 << 20)
      }
    }
    #expect(error?.code == .timedOut)
  }

  @Test func anIncrementalValueWithoutEndStopsAtTheLimit() async throws {
    let error = await #expect(throws: DesktopError.self) {
      try await owning { owner, request in
        let deletions = owner.router.events(limit: 1) { event -> Bool? in
          guard case .propertyNotify(let change) = event.kind, change.window == request.requestor, change.isDeleted
          else { return nil }
          return true
        }
        try owner.connection.send(
          .changeWindowAttributes(request.requestor, X11WindowAttributes(events: [.propertyChange])))
        try Self.store(owner, request, owner.atoms[.incremental], .words32([1]))
        while await deletions.next() != nil {
          try owner.connection.send(
            .changeProperty(
              request.requestor, request.property, type: request.target, .bytes(Array(repeating: 7, count: 65_536))))
        }
      } _: { reader in
        try await reader.data(of: "image/png", limit: 1 << 20)
      }
    }
    #expect(error?.code == .limitExceeded)
  }

  @Test func aLimitHoldsExactly() async throws {
    for (count, limit) in [(1000, 1000), (1001, 1000)] {
      let read = { () async throws -> Int in
        try await owning { owner, request in
          try Self.store(owner, request, request.target, .bytes(Array(repeating: 7, count: count)))
        } _: { reader in
          try await reader.data(of: "image/png", limit: limit).count
        }
      }
      if count <= limit {
        #expect(try await read() == count)
      } else {
        let error = await #expect(throws: DesktopError.self) { try await read() }
        #expect(error?.code == .limitExceeded)
      }
    }
  }

  @Test func manyTypesAreCutOffAndUnusableNamesLeftOut() async throws {
    let names = try await owning { owner, request in
      let strange = try await owner.connection.intern([
        "a\u{1B}[2J", "tab\there", "", String(repeating: "n", count: 256),
      ])
      let many = try await owner.connection.intern((0..<400).map { "image/x-\($0)" })
      let atoms = strange + [X11Atom(0x1FFF_FFFF)] + many + many
      try Self.store(owner, request, .atom, .atoms(atoms))
    } _: {
      try await $0.typeNames()
    }
    #expect(names.first == "image/x-0" && names.count <= 256 && names.count > 200)
    #expect(names.allSatisfy { TargetName.isPlausible($0) })
  }

  @Test func tenThousandTypesAreBounded() async throws {
    let names = try await owning { owner, request in
      let atoms = try await owner.connection.intern((0..<10_000).map { "image/y-\($0)" })
      try Self.store(owner, request, .atom, .atoms(atoms))
    } _: {
      try await $0.typeNames()
    }
    #expect(names.count == 256)
  }

  @Test func aValueOfTheWrongFormIsMalformed() async throws {
    let error = await #expect(throws: DesktopError.self) {
      try await owning { owner, request in
        try Self.store(owner, request, .string, .bytes(Array("TARGETS".utf8)))
      } _: {
        try await $0.typeNames()
      }
    }
    #expect(error?.code == .malformed)
  }

  @Test func aResponseInAnotherPropertyIsMalformed() async throws {
    let error = await #expect(throws: DesktopError.self) {
      try await owning { owner, request in
        try Self.notify(owner, request, .wmName)
      } _: {
        try await $0.typeNames()
      }
    }
    #expect(error?.code == .malformed)
  }

  @Test func aDisplayThatEndsFailsTheRead() async throws {
    let error = await #expect(throws: DesktopError.self) {
      try await owning { _, _ in
        await desk.screen.stop()
      } _: {
        try await $0.typeNames()
      }
    }
    #expect(error?.code == .displayGone)
  }

  @Test(arguments: [
    ("file:///etc/hostname\r\nfile:///dev/null\r\n", DesktopError.Code.malformed),
    ("file://elsewhere.example/etc/hostname", .malformed), ("file:///nonexistent/saga", .nothingOffered),
    ("file:///etc/%00hostname", .malformed), ("file:relative", .malformed), ("\u{0}\u{0}", .malformed),
    ("file:///proc/self/exe", .malformed),
  ])
  func addressesThatMayNotBeUsedAreRefused(list: String, code: DesktopError.Code) async throws {
    let error = await #expect(throws: DesktopError.self) {
      try await owning { owner, request in
        let uriList = try await owner.connection.intern(TargetName.uriList)
        if request.target == owner.atoms[.targets] {
          try Self.store(owner, request, .atom, .atoms([uriList]))
        } else {
          try Self.store(owner, request, uriList, .bytes(Array(list.utf8)))
        }
      } _: { reader in
        try await IncomingItems(reader: reader, names: reader.typeNames()).items().count
      }
    }
    #expect(error?.code == code, "\(String(describing: error))")
  }

  @Test func filesThatAPageHasChosenAreRefused() async throws {
    let error = await #expect(throws: DesktopError.self) {
      try await owning { owner, request in
        let names = try await owner.connection.intern([TargetName.uriList, TargetName.rendererTaint])
        if request.target == owner.atoms[.targets] {
          try Self.store(owner, request, .atom, .atoms(names))
        } else {
          try Self.store(owner, request, names[0], .bytes(Array("file:///etc/hostname".utf8)))
        }
      } _: { reader in
        try await IncomingItems(reader: reader, names: reader.typeNames()).items().count
      }
    }
    #expect(error?.code == .malformed)
  }
}
