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

/// Drops on a window of this program, on a compositor that runs in the test.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct WaylandDropTests {
  private static let text = "text/plain;charset=utf-8"

  /// A window with a drop target, and the compositor.
  private struct Stage: Sendable {
    let display: DesktopDisplay
    let compositor: FakeCompositor
    let device: UInt32
    let surface: WaylandObject
    let events: DesktopDrop.Events

    /// Offers types, and lets the drag enter the window.
    func enter(_ names: [String] = [text], actions: UInt32? = 1, on surface: WaylandObject? = nil) -> UInt32 {
      let offer = compositor.newObject(.dataOffer)
      compositor.send(device, .dataDevice, "data_offer", .uint(offer))
      for name in names { compositor.send(offer, .dataOffer, "offer", .string(name)) }
      if let actions { compositor.send(offer, .dataOffer, "source_actions", .uint(actions)) }
      compositor.send(
        device, .dataDevice, "enter", .uint(20), .uint((surface ?? self.surface).id), .fixed(10.5), .fixed(20),
        .uint(offer))
      return offer
    }

    func choose(_ action: UInt32, of offer: UInt32) {
      compositor.send(offer, .dataOffer, "action", .uint(action))
    }

    /// Drops the drag, and leaves the window as all compositors do.
    func drop() {
      compositor.send(device, .dataDevice, "drop")
      compositor.send(device, .dataDevice, "leave")
    }

    /// The requests for an offer, without the requests for values.
    func requests(for offer: UInt32) -> [String] {
      compositor.requests.filter { $0.object == offer }.map { request in
        switch request.name {
        case "accept": "accept \(request.string(1) ?? "nothing")"
        case "set_actions": "actions \(request.uint(0)) \(request.uint(1))"
        default: request.name
        }
      }
    }

    /// Waits until this program has sent all requests so far.
    func settle() async throws { try await display.wayland.roundTrip() }
  }

  /// Runs `body` while a window accepts drops.
  private func dropping<Result>(
    answering answer: DesktopDrop.Answer = .accept(.copy), values: [String: Data] = [:],
    options: DesktopOptions = .patient, _ body: (Stage) async throws -> Result
  ) async throws -> Result {
    try await withCompositor(SelectionProtocol.core.globals, options) { request, _ in
      guard request.name == "receive" else { return false }
      feed(request.descriptor(1), values[request.string(0) ?? ""] ?? Data())
      return true
    } _: { display, compositor in
      let surface = try display.surface()
      let device = try await compositor.request(.dataDeviceManager, "get_data_device").uint(0)
      return try await DesktopDrop(display, window: surface.id, responder: { _ in answer }).withEvents { events in
        try await body(
          Stage(display: display, compositor: compositor, device: device, surface: surface, events: events))
      }
    }
  }

  @Test func dropBringsItsItemsAndFinishes() async throws {
    try await dropping(values: [Self.text: Data("Hail".utf8)]) { stage in
      let offer = stage.enter()
      stage.choose(1, of: offer)
      _ = try await stage.compositor.request(.dataOffer, "set_actions")
      stage.drop()
      let session = try await stage.events.nextDrop()
      #expect((session.position.x, session.position.y) == (10, 20))
      #expect(session.position.typeNames == [Self.text] && session.position.actions == .copy)
      let text = try await session.items.first?.value(as: String.self)
      #expect(text == "Hail")
      try await session.finish(.copy)
      try await stage.settle()
      #expect(
        stage.requests(for: offer) == ["accept \(Self.text)", "actions 1 1", "receive", "finish", "destroy"])
    }
  }

  @Test func refusalIsReportedAndNothingIsDropped() async throws {
    try await dropping(answering: .refuse) { stage in
      let offer = stage.enter(actions: 3)
      _ = try await stage.compositor.request(.dataOffer, "set_actions")
      stage.drop()
      _ = try await stage.compositor.request(.dataOffer, "destroy")
      #expect(stage.requests(for: offer) == ["accept nothing", "actions 0 0", "destroy"])
    }
  }

  /// The actions of the source, the action that the program wants, and the request to the compositor.
  @Test(arguments: [
    (UInt32(1), DropAction.move, "actions 1 1"), (3, .move, "actions 3 2"), (3, .copy, "actions 1 1"),
    (2, .copy, "actions 0 0"), (2, .move, "actions 3 2"), (4, .copy, "actions 0 0"), (0, .move, "actions 1 1"),
    (0xFFFF_FFFF, .link, "actions 1 1"),
  ])
  func moveIsRequestedOnlyIfBothSidesAllowIt(bits: UInt32, wanted: DropAction, request: String) async throws {
    try await dropping(answering: .accept(wanted)) { stage in
      let offer = stage.enter(actions: bits)
      _ = try await stage.compositor.request(.dataOffer, "set_actions")
      #expect(stage.requests(for: offer).last == request)
    }
  }

  @Test func sourceWithoutActionsCopies() async throws {
    try await dropping { stage in
      let offer = stage.enter(actions: nil)
      _ = try await stage.compositor.request(.dataOffer, "set_actions")
      #expect(stage.requests(for: offer) == ["accept \(Self.text)", "actions 1 1"])
    }
  }

  /// The chosen action, the action of the program, and the error of a report that the compositor would not deliver.
  @Test(arguments: [
    (UInt32(0), DropAction.copy, DesktopError.Code?.some(.sourceFailed)), (1, .copy, nil), (2, .move, nil),
    (2, .copy, .notAllowed), (4, .copy, .sourceFailed), (1, .move, .notAllowed),
  ])
  func successIsReportedOnlyForTheChosenAction(
    chosen: UInt32, action: DropAction, error: DesktopError.Code?
  ) async throws {
    try await dropping(answering: .accept(.move)) { stage in
      let offer = stage.enter(actions: 3)
      stage.choose(chosen, of: offer)
      _ = try await stage.compositor.request(.dataOffer, "set_actions")
      stage.drop()
      let session = try await stage.events.nextDrop()
      if let error {
        #expect(try await failure { try await session.finish(action) } == error)
      } else {
        try await session.finish(action)
      }
      #expect(try await failure { try await session.finish(action) } == .notAllowed)
      try await stage.settle()
      let ends = stage.requests(for: offer).filter { $0 == "finish" || $0 == "destroy" }
      #expect(ends == (error == nil ? ["finish", "destroy"] : ["destroy"]))
    }
  }

  /// The compositor changes the action because of a request that it has received after the drop.
  @Test func actionAfterTheDropCounts() async throws {
    try await dropping(answering: .accept(.move)) { stage in
      let offer = stage.enter(actions: 3)
      stage.choose(1, of: offer)
      _ = try await stage.compositor.request(.dataOffer, "set_actions")
      stage.drop()
      let session = try await stage.events.nextDrop()
      stage.choose(2, of: offer)
      try await stage.settle()
      #expect(try await failure { try await session.finish(.copy) } == .notAllowed)
      try await stage.settle()
      #expect(!stage.requests(for: offer).contains("finish"))
    }
  }

  @Test func dragWithoutTypesIsRefused() async throws {
    try await dropping { stage in
      let offer = stage.enter([])
      stage.choose(1, of: offer)
      _ = try await stage.compositor.request(.dataOffer, "set_actions")
      stage.drop()
      _ = try await stage.compositor.request(.dataOffer, "destroy")
      #expect(stage.requests(for: offer) == ["accept nothing", "actions 0 0", "destroy"])
    }
  }

  @Test func everyDragOverTheWindowDestroysItsOfferOnce() async throws {
    try await dropping { stage in
      var offers: [UInt32] = []
      for number in 0..<50 {
        offers.append(stage.enter())
        // A second drag may enter although the first has not left.
        if number % 2 == 0 { stage.compositor.send(stage.device, .dataDevice, "leave") }
      }
      stage.compositor.send(stage.device, .dataDevice, "leave")
      _ = try await stage.compositor.request(.dataOffer, "destroy", count: 50)
      try await stage.settle()
      let ended = stage.compositor.requests.filter { $0.name == "destroy" }.map(\.object)
      #expect(Set(ended) == Set(offers) && ended.count == 50)
    }
  }

  @Test func dragOverAnotherWindowIsIgnored() async throws {
    try await dropping { stage in
      let other = try stage.display.surface()
      try await stage.settle()
      let offer = stage.enter(on: other)
      stage.drop()
      _ = try await stage.compositor.request(.dataOffer, "destroy")
      #expect(stage.requests(for: offer) == ["destroy"])
      _ = stage.enter()
      guard case .entered? = try await stage.events.next() else { throw Unexpected("another event") }
    }
  }

  @Test func unfinishedSessionsAreRefusedAtTheEnd() async throws {
    try await withCompositor(SelectionProtocol.core.globals) { _, _ in
      false
    } _: { display, compositor in
      let surface = try display.surface()
      let device = try await compositor.request(.dataDeviceManager, "get_data_device").uint(0)
      let session = try await DesktopDrop(display, window: surface.id).withEvents { events in
        let stage = Stage(display: display, compositor: compositor, device: device, surface: surface, events: events)
        stage.choose(1, of: stage.enter())
        _ = try await compositor.request(.dataOffer, "set_actions")
        stage.drop()
        return try await events.nextDrop()
      }
      _ = try await compositor.request(.dataOffer, "destroy")
      #expect(try await failure { try await session.finish(.copy) } == .notAllowed)
      #expect(!compositor.requests.contains { $0.name == "finish" })
    }
  }

  @Test func dropThatNoTaskReadsIsRefused() async throws {
    try await dropping { stage in
      stage.choose(1, of: stage.enter())
      _ = try await stage.compositor.request(.dataOffer, "set_actions")
      stage.drop()
      try await stage.settle()
      stage.display.wayland.session.removeWindow(stage.surface)
      while try await stage.events.next() != nil {}
      _ = try await stage.compositor.request(.dataOffer, "destroy")
      #expect(!stage.compositor.requests.contains { $0.name == "finish" })
    }
  }

  @Test func closedWindowEndsTheEvents() async throws {
    try await dropping { stage in
      let offer = stage.enter()
      _ = try await stage.compositor.request(.dataOffer, "set_actions")
      stage.display.wayland.session.removeWindow(stage.surface)
      while try await stage.events.next() != nil {}
      _ = try await stage.compositor.request(.dataOffer, "destroy")
      #expect(stage.requests(for: offer).filter { $0 == "destroy" }.count == 1)
      #expect(
        try await failure {
          try await DesktopDrop(stage.display, window: stage.surface.id).withEvents { _ in }
        } == .sourceFailed)
    }
  }

  @Test func endOfTheCompositorEndsTheEvents() async throws {
    try await dropping { stage in
      stage.choose(1, of: stage.enter())
      _ = try await stage.compositor.request(.dataOffer, "set_actions")
      stage.drop()
      let session = try await stage.events.nextDrop()
      stage.compositor.close()
      while try await stage.events.next() != nil {}
      await #expect(throws: (any Error).self) { try await session.items.first?.data(for: .plainText) }
    }
  }

  @Test func hostileAddressesAreRefused() async throws {
    let list = Data("file://troy.example/etc/passwd\r\n".utf8)
    try await dropping(values: ["text/uri-list": list]) { stage in
      stage.choose(1, of: stage.enter(["text/uri-list"]))
      _ = try await stage.compositor.request(.dataOffer, "set_actions")
      stage.drop()
      let session = try await stage.events.nextDrop()
      #expect(try await failure { try await session.items } == .malformed)
      session.refuse(because: "malformed")
    }
  }

  @Test func filesArriveByTheirAddresses() async throws {
    let directory = try TemporaryDirectory()
    let names = ["a b.txt", "100%.txt", "Ægir #1.txt", "%41.txt"]
    let files = try names.map { try directory.write(Data($0.utf8), to: $0) }
    let list = Data(files.map { "\($0.absoluteString)\r\n" }.joined().utf8)
    try await dropping(values: ["text/uri-list": list]) { stage in
      stage.choose(1, of: stage.enter(["text/uri-list"]))
      _ = try await stage.compositor.request(.dataOffer, "set_actions")
      stage.drop()
      let session = try await stage.events.nextDrop()
      var texts: [String] = []
      for item in try await session.items {
        texts.append(String(decoding: try await item.data(for: .plainText), as: UTF8.self))
      }
      #expect(texts == names)
      try await session.finish(.copy)
    }
  }
}
