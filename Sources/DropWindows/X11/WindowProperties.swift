// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DisplayWire
internal import DropSystem

/// The names of a window's properties and messages.
enum WindowName: String, CaseIterable {
  case protocols = "WM_PROTOCOLS"
  case deleteWindow = "WM_DELETE_WINDOW"
  case ping = "_NET_WM_PING"
  case name = "_NET_WM_NAME"
  case utf8 = "UTF8_STRING"
  case windowType = "_NET_WM_WINDOW_TYPE"
  case normalType = "_NET_WM_WINDOW_TYPE_NORMAL"
  case dialogType = "_NET_WM_WINDOW_TYPE_DIALOG"
  case state = "_NET_WM_STATE"
  case above = "_NET_WM_STATE_ABOVE"
  case process = "_NET_WM_PID"
  case themeVariant = "_GTK_THEME_VARIANT"
  /// The message that a window sends to itself before it draws.
  case frame = "_DRAGPIPE_FRAME"
}

/// The atoms of a window's properties and messages.
typealias WindowAtoms = X11AtomTable<WindowName>

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
      .changeProperty(window, .wmName, type: .string, .bytes(ascii[...])),
      .changeProperty(window, atoms[.name], type: atoms[.utf8], .bytes(ArraySlice(title.utf8))),
    ]
  }

  /// Returns the requests that set all other properties.
  ///
  /// - Parameters:
  ///   - options: The settings of the window.
  ///   - isDark: Whether the title bar should be dark.
  ///   - frame: The location and the size of the window in pixels.
  ///   - scale: The number of pixels per point.
  /// - Returns: The requests.
  func declaration(_ options: WindowOptions, isDark: Bool, frame: X11Rectangle, scale: Double) -> [X11Request] {
    let programName = options.programName
    let name = programName.utf8.filter { $0 != 0 }
    let capitalized = (programName.first.map { $0.uppercased() } ?? "") + programName.dropFirst()
    let className = name + [0] + capitalized.utf8.filter { $0 != 0 } + [0]
    var sizes = [UInt32](repeating: 0, count: 18)
    // Bit 4 is PMinSize, bit 5 PMaxSize, and bit 0 USPosition.
    sizes[0] = 1 << 4
    if options.position != nil {
      sizes[0] |= 1
      sizes[1] = UInt32(bitPattern: Int32(frame.x))
      sizes[2] = UInt32(bitPattern: Int32(frame.y))
    }
    if options.hasFixedSize {
      sizes[0] |= 1 << 5
      (sizes[5], sizes[6]) = (UInt32(frame.width), UInt32(frame.height))
      (sizes[7], sizes[8]) = (sizes[5], sizes[6])
    } else {
      let minimum = WindowState.minimumSize
      (sizes[5], sizes[6]) = (UInt32(minimum.width * scale), UInt32(minimum.height * scale))
    }
    let type = atoms[options.isDialog ? .dialogType : .normalType]
    var requests: [X11Request] = [
      .changeProperty(window, .wmClass, type: .string, .bytes(className[...])),
      .changeProperty(window, atoms[.protocols], type: .atom, .atoms([atoms[.deleteWindow], atoms[.ping]])),
      .changeProperty(window, .wmNormalHints, type: .wmSizeHints, .words32(sizes)),
      // Bit 0 is InputHint: the window takes the keyboard focus.
      .changeProperty(window, .wmHints, type: .wmHints, .words32([1, 1, 0, 0, 0, 0, 0, 0, 0])),
      .changeProperty(window, atoms[.windowType], type: .atom, .atoms([type])),
      // The number of the process is valid only with the name of its machine.
      .changeProperty(window, .wmClientMachine, type: .string, .bytes(SystemCalls.hostName()[...])),
      .changeProperty(
        window, atoms[.process], type: .cardinal, .words32([UInt32(bitPattern: SystemCalls.processIdentifier)])),
    ]
    if options.isOnTop {
      requests.append(.changeProperty(window, atoms[.state], type: .atom, .atoms([atoms[.above]])))
    }
    if isDark {
      requests.append(
        .changeProperty(window, atoms[.themeVariant], type: atoms[.utf8], .bytes(ArraySlice("dark".utf8))))
    }
    return requests
  }
}
