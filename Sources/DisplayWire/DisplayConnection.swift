// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// A connection to a display, through which windows are opened.
package enum DisplayConnection: Sendable {
  /// A connection to an X11 server.
  case x11(X11Connection)
  /// A connection to a Wayland compositor.
  case wayland(WaylandSession)
}

/// An event of a display.
package enum DisplayEvent: Sendable {
  /// An event of an X11 server.
  case x11(X11Event)
  /// An event of a Wayland compositor.
  case wayland(WaylandEvent)

  /// The time of a motion of the pointer in milliseconds; 0 for other events.
  package var time: UInt32 {
    switch self {
    case .x11(let event): if case .motionNotify(let motion) = event.kind { motion.time.rawValue } else { 0 }
    case .wayland(let event): event.object.interface == .pointer && event.name == "motion" ? event.uint(0) : 0
    }
  }
}
