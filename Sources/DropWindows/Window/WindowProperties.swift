// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DisplayWire
internal import DropSystem

/// The atoms of a window's properties and messages.
struct WindowAtoms: Sendable {
  static let names = [
    "WM_PROTOCOLS", "WM_DELETE_WINDOW", "_NET_WM_PING", "_NET_WM_NAME", "UTF8_STRING", "_NET_WM_WINDOW_TYPE",
    "_NET_WM_WINDOW_TYPE_NORMAL", "_GTK_THEME_VARIANT", "_DRAGPIPE_FRAME",
  ]

  let protocols: X11Atom
  let deleteWindow: X11Atom
  let ping: X11Atom
  let name: X11Atom
  let utf8: X11Atom
  let windowType: X11Atom
  let normalType: X11Atom
  let themeVariant: X11Atom
  /// The message that a window sends to itself before it draws.
  let frame: X11Atom

  init(on connection: X11Connection) async throws(DisplayError) {
    let atoms = try await connection.intern(Self.names)
    protocols = atoms[0]
    deleteWindow = atoms[1]
    ping = atoms[2]
    name = atoms[3]
    utf8 = atoms[4]
    windowType = atoms[5]
    normalType = atoms[6]
    themeVariant = atoms[7]
    frame = atoms[8]
  }
}

/// The properties that window managers read.
struct WindowProperties {
  let window: X11Identifier
  let atoms: WindowAtoms

  /// Returns the requests that set the title.
  func title(_ title: String) -> [X11Request] {
    let title = title.escapedForDisplay(limit: 200, mayBeEscaped: true)
    // The type STRING is Latin-1. Old window managers read only this type.
    let ascii = title.unicodeScalars.map { $0.isASCII ? UInt8($0.value) : UInt8(ascii: "?") }
    return [
      .changeProperty(window, .wmName, type: .string, .bytes(ascii)),
      .changeProperty(window, atoms.name, type: atoms.utf8, .bytes(Array(title.utf8))),
    ]
  }

  /// Returns the requests that set all other properties.
  ///
  /// - Parameters:
  ///   - programName: The name of the program.
  ///   - isDark: Whether the title bar should be dark.
  ///   - minimumWidth: The minimum width in pixels.
  ///   - minimumHeight: The minimum height in pixels.
  /// - Returns: The requests.
  func declaration(
    programName: String, isDark: Bool, minimumWidth: Int, minimumHeight: Int
  ) -> [X11Request] {
    let name = programName.utf8.filter { $0 != 0 }
    let capitalized = (programName.first.map { $0.uppercased() } ?? "") + programName.dropFirst()
    let className = name + [0] + capitalized.utf8.filter { $0 != 0 } + [0]
    var sizes = [UInt32](repeating: 0, count: 18)
    // The bit 4 is PMinSize.
    sizes[0] = 1 << 4
    sizes[5] = UInt32(clamping: minimumWidth)
    sizes[6] = UInt32(clamping: minimumHeight)
    var requests: [X11Request] = [
      .changeProperty(window, .wmClass, type: .string, .bytes(className)),
      .changeProperty(window, atoms.protocols, type: .atom, .atoms([atoms.deleteWindow, atoms.ping])),
      .changeProperty(window, .wmNormalHints, type: .wmSizeHints, .words32(sizes)),
      // The bit 0 is InputHint: the window takes the keyboard focus.
      .changeProperty(window, .wmHints, type: .wmHints, .words32([1, 1, 0, 0, 0, 0, 0, 0, 0])),
      .changeProperty(window, atoms.windowType, type: .atom, .atoms([atoms.normalType])),
    ]
    if isDark {
      requests.append(.changeProperty(window, atoms.themeVariant, type: atoms.utf8, .bytes(Array("dark".utf8))))
    }
    return requests
  }
}
