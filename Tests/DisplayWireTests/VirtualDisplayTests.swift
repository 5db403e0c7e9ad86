// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import TestSupport
import Testing

@testable import DisplayWire

/// Tests against a real server.
@Suite(.serialized, .limited, .enabled(if: VirtualDisplay.isInstalled, "Xvfb is not installed"))
struct VirtualDisplayTests {
  @Test func readsTheSetup() async throws {
    let display = try VirtualDisplay()
    let connection = try await X11Connection.open(display.address)
    #expect(connection.setup.screens.count == 1)
    #expect(connection.screen.width == 640)
    #expect(connection.screen.height == 480)
    #expect(connection.screen.rootDepth == 24)
    #expect(connection.screen.visuals.contains { $0.identifier == connection.screen.rootVisual && $0.isTrueColor })
    #expect(connection.setup.formats.contains { $0.depth == 24 && $0.bitsPerPixel == 32 })
    #expect(connection.maximumRequestBytes > 1 << 20)
  }
}
