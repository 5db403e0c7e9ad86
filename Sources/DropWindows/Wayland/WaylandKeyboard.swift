// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DisplayWire
internal import DropSystem
internal import Synchronization

/// The symbols of the keys, which the compositor describes in the text format of XKB.
///
/// The library libxkbcommon reads the description. Without it, the keys have the symbols of the US layout.
final class WaylandKeyboard: Sendable {
  private let state: Lock<Layout?>

  /// Reads a description of the keys.
  init(keymap: [UInt8]) {
    state = Lock(Layout(keymap: keymap))
  }

  /// Returns the symbol of a key, as the X11 protocol numbers the symbols; 0 for none.
  ///
  /// - Parameters:
  ///   - code: The code of the key, as in the kernel's event interface.
  ///   - modifiers: The pressed modifiers and the layout.
  /// - Returns: The symbol.
  func symbol(ofKey code: UInt32, _ modifiers: WaylandSession.Modifiers) -> UInt32 {
    state.withLock { $0?.symbol(ofKey: code, modifiers) } ?? Self.symbolOfUSLayout(code, modifiers)
  }

  /// Returns whether Shift and Control are pressed: the bits 0 and 2 of every keymap.
  static func modifiers(_ modifiers: WaylandSession.Modifiers) -> (isShifted: Bool, isControl: Bool) {
    let bits = modifiers.depressed | modifiers.latched
    return (bits & 1 != 0, bits & 4 != 0)
  }

  /// Returns whether a key is repeated while it is pressed.
  static func repeats(_ code: UInt32) -> Bool { ![1, 28, 96].contains(code) }

  // MARK: The US layout

  private static let rows: [(first: UInt32, plain: String, shifted: String)] = [
    (2, "1234567890-=", "!@#$%^&*()_+"), (16, "qwertyuiop[]", "QWERTYUIOP{}"), (30, "asdfghjkl;'`", "ASDFGHJKL:\"~"),
    (43, "\\zxcvbnm,./", "|ZXCVBNM<>?"),
  ]

  private static let others: [UInt32: UInt32] = [
    1: 0xFF1B, 14: 0xFF08, 15: 0xFF09, 28: 0xFF0D, 57: 0x20, 96: 0xFF8D, 102: 0xFF50, 103: 0xFF52, 104: 0xFF55,
    105: 0xFF51, 106: 0xFF53, 107: 0xFF57, 108: 0xFF54, 109: 0xFF56, 111: 0xFFFF,
  ]

  private static func symbolOfUSLayout(_ code: UInt32, _ modifiers: WaylandSession.Modifiers) -> UInt32 {
    if let symbol = others[code] { return symbol }
    guard let row = rows.last(where: { $0.first <= code }) else { return 0 }
    // Bit 1 is Caps Lock, which changes only letters.
    let (index, isLocked) = (Int(code - row.first), modifiers.locked & 2 != 0)
    guard let plain = Array(row.plain.utf8).dropFirst(index).first,
      let shifted = Array(row.shifted.utf8).dropFirst(index).first
    else { return 0 }
    let isLetter = (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(plain)
    return UInt32(Self.modifiers(modifiers).isShifted != (isLetter && isLocked) ? shifted : plain)
  }

  // MARK: libxkbcommon

  /// The functions of libxkbcommon 0.5 and later.
  private struct Library: Sendable {
    typealias Pointer = UnsafeMutableRawPointer
    let newContext: @convention(c) (CInt) -> Pointer?
    let releaseContext: @convention(c) (Pointer?) -> Void
    let newKeymap: @convention(c) (Pointer?, UnsafePointer<CChar>, Int, CInt, CInt) -> Pointer?
    let releaseKeymap: @convention(c) (Pointer?) -> Void
    let newState: @convention(c) (Pointer?) -> Pointer?
    let releaseState: @convention(c) (Pointer?) -> Void
    let update: @convention(c) (Pointer?, UInt32, UInt32, UInt32, UInt32, UInt32, UInt32) -> CInt
    let symbol: @convention(c) (Pointer?, UInt32) -> UInt32

    static let shared = Library()

    private init?() {
      guard let library = DynamicLibrary("libxkbcommon.so.0"),
        let newContext = library.function("xkb_context_new", as: (@convention(c) (CInt) -> Pointer?).self),
        let releaseContext = library.function("xkb_context_unref", as: (@convention(c) (Pointer?) -> Void).self),
        let newKeymap = library.function(
          "xkb_keymap_new_from_buffer",
          as: (@convention(c) (Pointer?, UnsafePointer<CChar>, Int, CInt, CInt) -> Pointer?).self),
        let releaseKeymap = library.function("xkb_keymap_unref", as: (@convention(c) (Pointer?) -> Void).self),
        let newState = library.function("xkb_state_new", as: (@convention(c) (Pointer?) -> Pointer?).self),
        let releaseState = library.function("xkb_state_unref", as: (@convention(c) (Pointer?) -> Void).self),
        let update = library.function(
          "xkb_state_update_mask",
          as: (@convention(c) (Pointer?, UInt32, UInt32, UInt32, UInt32, UInt32, UInt32) -> CInt).self),
        let symbol = library.function(
          "xkb_state_key_get_one_sym", as: (@convention(c) (Pointer?, UInt32) -> UInt32).self)
      else { return nil }
      self.newContext = newContext
      self.releaseContext = releaseContext
      self.newKeymap = newKeymap
      self.releaseKeymap = releaseKeymap
      self.newState = newState
      self.releaseState = releaseState
      self.update = update
      self.symbol = symbol
    }
  }

  /// The objects of the library for one description.
  private final class Layout: @unchecked Sendable {
    // Safe because the lock around the only reference serializes the calls.
    private let library: Library
    private let context: UnsafeMutableRawPointer
    private let keymap: UnsafeMutableRawPointer
    private let state: UnsafeMutableRawPointer

    init?(keymap text: [UInt8]) {
      // The description ends with a zero byte, which is not part of the text.
      let text = text.prefix { $0 != 0 }
      guard !text.isEmpty, let library = Library.shared, let context = library.newContext(0) else { return nil }
      let keymap = text.withUnsafeBytes { bytes in
        bytes.withMemoryRebound(to: CChar.self) { buffer in
          buffer.baseAddress.flatMap { library.newKeymap(context, $0, buffer.count, 1, 0) }
        }
      }
      guard let keymap, let state = library.newState(keymap) else {
        if let keymap { library.releaseKeymap(keymap) }
        library.releaseContext(context)
        return nil
      }
      (self.library, self.context, self.keymap, self.state) = (library, context, keymap, state)
    }

    deinit {
      library.releaseState(state)
      library.releaseKeymap(keymap)
      library.releaseContext(context)
    }

    func symbol(ofKey code: UInt32, _ modifiers: WaylandSession.Modifiers) -> UInt32 {
      _ = library.update(
        state, modifiers.depressed, modifiers.latched, modifiers.locked, 0, 0, modifiers.group)
      // XKB adds 8 to the codes of the kernel.
      return library.symbol(state, code &+ 8)
    }
  }
}
