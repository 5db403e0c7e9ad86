// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DisplayWire
import Foundation
import ItemTransfer
import TestSupport
import Testing
import UniformTypes

@testable import DropDesktop

extension TestDesk {
  /// Creates a pointer, which starts at a location without windows.
  func pointer() async throws -> TestPointer {
    try await TestPointer(X11Connection.open(screen.address, timeout: .seconds(60)))
  }
}

extension DesktopDisplay {
  /// Creates a visible window, without a window manager.
  func window(
    x: Int16 = 300, y: Int16 = 100, width: UInt16 = 200, height: UInt16 = 200, parent: X11Identifier? = nil
  ) async throws -> X11Identifier {
    let window = try connection.newIdentifier()
    try connection.send(
      .createWindow(
        window, parent: parent ?? connection.screen.root,
        frame: X11Rectangle(x: x, y: y, width: width, height: height),
        attributes: X11WindowAttributes(
          backgroundPixel: 0, overridesRedirect: true, events: DesktopDisplay.transferEvents)))
    try connection.send(.mapWindow(window))
    try await connection.synchronize()
    return window
  }
}

/// Items for drags.
enum DragItems {
  static func text(_ text: String, name: String? = nil) -> ItemProvider {
    let item = ItemProvider(suggestedName: name)
    item.register(.utf8PlainText) { _ in Data(text.utf8) }
    return item
  }

  static func picture(_ count: Int, name: String? = nil, created: Collector<Int>? = nil) -> ItemProvider {
    let item = ItemProvider(suggestedName: name)
    item.register(.png) { _ in
      created?.add(count)
      return bytes(count)
    }
    return item
  }

  static func bytes(_ count: Int) -> Data {
    var data = Data(capacity: count)
    while data.count < count { data += period.prefix(count - data.count) }
    return data
  }

  /// The bytes that are repeated.
  ///
  /// They are computed only once, since other toolkits do not wait long for content.
  private static let period = Data((0..<65_536).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) })
}
