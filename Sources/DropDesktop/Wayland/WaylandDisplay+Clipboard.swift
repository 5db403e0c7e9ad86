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
    let device = try device(of: selection)
    // The present selection arrives with the events of the first requests.
    try await roundTrip()
    _ = try serial(for: device)
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
    try await select(source.object, device)
    await whenOffered()
    try await serve(source, limit: pasteLimit)
  }

  /// Sends values until another program takes the selection, or until `limit` values were sent.
  private func serve(_ source: WaylandSource, limit: Int?) async throws {
    let sentCount = Lock(0)
    try await withThrowingDiscardingTaskGroup { group in
      while let signal = await source.next() {
        switch signal {
        case .cancelled, .served: return
        case .request(let name, let descriptor):
          source.send(name, to: descriptor, in: &group) {
            let count = sentCount.withLock { count in
              count += 1
              return count
            }
            if let limit, count >= limit { source.add(.served) }
          }
        default: break
        }
      }
      try Task.checkCancellation()
      throw router.failure
    }
  }

  func clear(_ selection: Clipboard.Selection) async throws {
    try await select(nil, try device(of: selection))
  }

  private func select(_ source: WaylandObject?, _ device: Device) async throws {
    try await roundTrip()
    if let serial = try serial(for: device) {
      try connection.send(device.object, device.select, .object(source), .uint(serial))
    } else {
      try connection.send(device.object, device.select, .object(source))
    }
    try await roundTrip()
    // A compositor ignores the request if the keyboard has just left.
    _ = try serial(for: device)
  }

  /// Returns the number of the last input; `nil` if the device needs none.
  ///
  /// - Throws: `notOwned` without the keyboard, because the compositor would ignore this program.
  private func serial(for device: Device) throws -> UInt32? {
    guard device.needsSerial else { return nil }
    let input = session.input
    guard input.keyboardSurface != nil, input.serial != 0 else {
      throw DesktopError(.notOwned, "the compositor shares the clipboard only with the window that has the keyboard")
    }
    return input.serial
  }
}
