// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// A connection to a display, through which windows are opened.
package enum DisplayConnection: Sendable {
  /// A connection to an X11 server.
  case x11(X11Connection)
}

/// An event of a display.
package enum DisplayEvent: Sendable {
  /// An event of an X11 server.
  case x11(X11Event)

  /// The time of a motion of the pointer in milliseconds; 0 for other events.
  package var time: UInt32 {
    switch self {
    case .x11(let event): if case .motionNotify(let motion) = event.kind { motion.time.rawValue } else { 0 }
    }
  }
}
