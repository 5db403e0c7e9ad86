// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DisplayWire
internal import DropSystem
internal import Synchronization

extension WaylandDisplay {
  /// The requests for a selection.
  private struct Device {
    let manager: WaylandObject
    let createSource: String
    let object: WaylandObject
    let select: String
    /// Whether the compositor demands the number of an input, since only the window with the keyboard may own it.
    let needsSerial: Bool
  }

  /// Whether clipboards work without a window.
  var hasClipboard: Bool { control != nil }

  private func device(of selection: Clipboard.Selection) throws -> Device {
    if let control {
      return Device(
        manager: control.manager, createSource: "create_data_source", object: control.device,
        select: selection == .primary ? "set_primary_selection" : "set_selection", needsSerial: false)
    }
    if selection == .primary, let primaryDevice {
      return Device(
        manager: primaryDevice.manager, createSource: "create_source", object: primaryDevice.device,
        select: "set_selection", needsSerial: true)
    }
    if selection == .clipboard, let dataManager, let dataDevice {
      return Device(
        manager: dataManager, createSource: "create_data_source", object: dataDevice, select: "set_selection",
        needsSerial: true)
    }
    throw DesktopError(.noDisplay, "the compositor has no \(selection == .primary ? "primary selection" : "clipboard")")
  }

  func content(of selection: Clipboard.Selection) async throws -> any ForeignContent {
    _ = try device(of: selection)
    // The present selection arrives with the events of the first requests.
    try await roundTrip()
    return WaylandContent(display: self, offer: offers.withLock { $0.selections[selection] })
  }

  func changes(of selection: Clipboard.Selection) async throws -> AsyncQueue<Clipboard.Change> {
    let device = try device(of: selection)
    // The device first reports the present content.
    try await roundTrip()
    let name = device.select == "set_primary_selection" ? "primary_selection" : "selection"
    return router.events(limit: 1) { _, _ in
      true
    } _: { event -> Clipboard.Change? in
      guard event.object == device.object, event.name == name else { return nil }
      return Clipboard.Change(isOffered: event.object(0) != nil)
    }
  }

  func offer(
    _ content: ProviderContent, on selection: Clipboard.Selection, isSensitive: Bool, pasteLimit: Int?,
    whenOffered: @Sendable () async -> Void
  ) async throws {
    let device = try device(of: selection)
    let source = try WaylandSource(self, device.manager, device.createSource, content)
    defer { source.close() }
    if device.needsSerial {
      try await roundTrip()
      let input = session.input
      guard input.keyboardSurface != nil, input.serial != 0 else {
        throw DesktopError(.notOwned, "the compositor lets only the window with the keyboard copy")
      }
      try connection.send(device.object, device.select, .object(source.object), .uint(input.serial))
    } else {
      try connection.send(device.object, device.select, .object(source.object))
    }
    try await roundTrip()
    await whenOffered()
    try await serve(source, limit: pasteLimit)
  }

  /// Sends values until another program takes the selection, or until `limit` values were sent.
  private func serve(_ source: WaylandSource, limit: Int?) async throws {
    let sentCount = Lock(0)
    try await withThrowingDiscardingTaskGroup { group in
      while let signal = await source.signals.next() {
        switch signal {
        case .cancelled, .served: return
        case .request(let name, let descriptor):
          source.send(name, to: descriptor, in: &group) {
            let count = sentCount.withLock { count in
              count += 1
              return count
            }
            if let limit, count >= limit { source.signals.put(.served) }
          }
        default: break
        }
      }
      try Task.checkCancellation()
      throw router.failure
    }
  }

  func clear(_ selection: Clipboard.Selection) async throws {
    let device = try device(of: selection)
    if device.needsSerial {
      try connection.send(device.object, device.select, .object(nil), .uint(session.input.serial))
    } else {
      try connection.send(device.object, device.select, .object(nil))
    }
    try await roundTrip()
  }
}
