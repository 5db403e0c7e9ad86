// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DisplayWire
import DropSystem
import Foundation
import TestSupport
import Testing

@testable import DropDesktop

/// The protocols with which compositors share selections.
enum SelectionProtocol: CaseIterable {
  case ext, wlr, core, primary, extPrimary

  var globals: [WaylandInterface] {
    [.compositor, .shm, .seat, .output, .dataDeviceManager, .windowBase]
      + (self == .core || self == .primary ? [.primarySelectionManager] : [manager])
  }

  var selection: Clipboard.Selection { self == .primary || self == .extPrimary ? .primary : .clipboard }

  var manager: WaylandInterface {
    switch self {
    case .ext, .extPrimary: .dataControlManager
    case .wlr: .wlrDataControlManager
    case .core: .dataDeviceManager
    case .primary: .primarySelectionManager
    }
  }

  var device: WaylandInterface {
    switch self {
    case .ext, .extPrimary: .dataControlDevice
    case .wlr: .wlrDataControlDevice
    case .core: .dataDevice
    case .primary: .primarySelectionDevice
    }
  }

  var offer: WaylandInterface {
    switch self {
    case .ext, .extPrimary: .dataControlOffer
    case .wlr: .wlrDataControlOffer
    case .core: .dataOffer
    case .primary: .primarySelectionOffer
    }
  }

  var source: WaylandInterface {
    switch self {
    case .ext, .extPrimary: .dataControlSource
    case .wlr: .wlrDataControlSource
    case .core: .dataSource
    case .primary: .primarySelectionSource
    }
  }

  var needsFocus: Bool { self == .core || self == .primary }
  var event: String { self == .extPrimary ? "primary_selection" : "selection" }
  var request: String { self == .extPrimary ? "set_primary_selection" : "set_selection" }
}

/// Passes a connection to a compositor that runs in the test.
func withCompositor<Result>(
  _ globals: [WaylandInterface], _ options: DesktopOptions = .patient, handler: @escaping FakeCompositor.Handler,
  isolation: isolated (any Actor)? = #isolation, _ body: (DesktopDisplay, FakeCompositor) async throws -> Result
) async throws -> Result {
  let compositor = try FakeCompositor(globals: globals, handler: handler)
  return try await DesktopDisplay(WaylandDisplay(compositor.connect(), options)).whileRouting {
    try await body($0, compositor)
  }
}

/// Writes bytes on a thread of its own, and then closes the pipe.
func feed(_ pipe: WaylandDescriptor?, _ bytes: Data) {
  guard let pipe else { return }
  BlockingExecutor.startThread {
    guard let raw = pipe.raw else { return }
    bytes.withUnsafeBytes { buffer in
      var rest = buffer[...]
      while !rest.isEmpty, let count = try? SystemCalls.writeSilently(raw, UnsafeRawBufferPointer(rebasing: rest)) {
        rest = rest.dropFirst(count)
      }
    }
    _ = pipe.take()
  }
}

extension DesktopDisplay {
  /// The display as a Wayland display, which it is in these tests.
  var wayland: WaylandDisplay {
    guard let display = backend as? WaylandDisplay else { preconditionFailure("another display system") }
    return display
  }

  /// Creates a surface that counts as a window, with one pixel per unit.
  func surface() throws -> WaylandObject {
    let session = wayland.session
    let surface = try session.connection.create(#require(session.compositor), "create_surface")
    session.setScale(1, of: surface)
    return surface
  }
}

extension FakeCompositor {
  /// Offers types in a selection, as a program that has copied does.
  @discardableResult
  func copy(_ names: [String], by shape: SelectionProtocol) throws -> UInt32 {
    let device = try #require(object(shape.device))
    let offer = newObject(shape.offer)
    send(device, shape.device, "data_offer", .uint(offer))
    for name in names { send(offer, shape.offer, "offer", .string(name)) }
    send(device, shape.device, shape.event, .uint(offer))
    return offer
  }

  /// Ends the content of a selection.
  func clear(_ shape: SelectionProtocol) throws {
    send(try #require(object(shape.device)), shape.device, shape.event, .uint(0))
  }

  /// Requests a value of a source, and returns the end of the pipe to read.
  func paste(_ name: String, from source: UInt32, _ interface: WaylandInterface) throws -> CInt {
    let pipe = try SystemCalls.pipe()
    send(source, interface, "send", .string(name), .descriptor(WaylandDescriptor(OwnedDescriptor(pipe.write))))
    return pipe.read
  }

  /// Requests a value of a source, and returns its bytes.
  func pasted(_ name: String, from source: UInt32, _ interface: WaylandInterface) async throws -> [UInt8] {
    try await readAll(paste(name, from: source, interface))
  }

  /// Adds a pointer and a keyboard, and gives both to a surface.
  func focus(_ surface: WaylandObject) async throws {
    let seat = try #require(object(.seat))
    send(seat, .seat, "capabilities", .uint(3))
    let (pointer, keyboard) = (
      try await request(.seat, "get_pointer").uint(0), try await request(.seat, "get_keyboard").uint(0)
    )
    send(pointer, .pointer, "enter", .uint(11), .uint(surface.id), .fixed(5), .fixed(5))
    send(keyboard, .keyboard, "enter", .uint(12), .uint(surface.id), .array([]))
  }
}
