// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DisplayWire

/// The search for the window that can receive a drag at a location.
struct DragTargetFinder: Sendable {
  /// The maximum number of nested windows that the search enters, since other programs choose the nesting.
  static let maximumDepth = 32

  let display: X11Display
  let atoms: DragAtoms

  /// Returns whether there is no window at a location of the screen.
  func isDesktop(x: Int16, y: Int16) async throws -> Bool {
    let root = display.connection.screen.root
    return try await display.connection.response(to: .translateCoordinates(from: root, to: root, x: x, y: y)).child
      == .none
  }

  /// Returns the target at a location of the screen; `nil` if there is none.
  ///
  /// The outermost window that supports the protocol is the target. If there is no window at the location, the root
  /// window can be the target.
  ///
  /// - Throws: The errors of the display. A window that vanishes during the search is not an error.
  func target(x: Int16, y: Int16) async throws -> DragTarget? {
    let root = display.connection.screen.root
    var window = root
    for depth in 0..<Self.maximumDepth {
      let location = try await unlessGone {
        try await display.connection.response(to: .translateCoordinates(from: root, to: window, x: x, y: y))
      }
      guard let child = location?.child, child != .none else {
        // A window that does not support the protocol hides the root window.
        return depth == 0 ? try await target(root) : nil
      }
      if let target = try await target(child) { return target }
      window = child
    }
    return nil
  }

  /// Returns a window as a target, with its proxy; `nil` if it does not support the protocol.
  func target(_ window: X11Identifier) async throws -> DragTarget? {
    let own = try await properties(window)
    // A proxy is valid only if its own property names itself. The property of `window` may remain after the proxy's
    // program has ended.
    if let proxy = own.proxy, proxy != .none, proxy != window {
      let other = try await properties(X11Identifier(proxy.rawValue))
      if other.proxy == proxy {
        return other.version.map { DragTarget(window: window, recipient: proxy, version: $0) }
      }
    }
    return own.version.map { DragTarget(window: window, recipient: window, version: $0) }
  }

  /// Returns the title of a target's window, or else the name of its program; `nil` if neither is known.
  ///
  /// The text is untrusted. It is cut after 400 bytes.
  func title(of target: DragTarget) async throws -> String? {
    let connection = display.connection
    var window = target.window
    for _ in 0..<Self.maximumDepth where window != .none && window != connection.screen.root {
      for name in [atoms[.title], .wmName, .wmClass] {
        let property = try await unlessGone {
          try await connection.response(to: .getProperty(window, name, limit: 400))
        }
        guard case .bytes(let bytes)? = property?.data else { continue }
        // The class is the second of two names.
        let names = bytes.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
        if let title = names.last, !title.allSatisfy(\.isWhitespace) { return title }
      }
      let tree = try await unlessGone { try await connection.response(to: .queryTree(window)) }
      window = tree?.parent ?? .none
    }
    return nil
  }

  /// Reads both properties of a window in one round trip.
  private func properties(_ window: X11Identifier) async throws -> (proxy: X11Identifier?, version: UInt8?) {
    let connection = display.connection
    let proxy = try connection.begin(.getProperty(window, atoms[.proxy], type: .window, limit: 4))
    let aware = try connection.begin(.getProperty(window, atoms[.aware], type: .atom, limit: 4))
    let found = (
      try await unlessGone { try await proxy.value() }, try await unlessGone { try await aware.value() }
    )
    return (
      Self.word(found.0).map { X11Identifier($0) }, Self.word(found.1).flatMap { DragVersion.common(with: $0) }
    )
  }

  private static func word(_ property: X11Property?) -> UInt32? {
    guard case .words32(let words)? = property?.data else { return nil }
    return words.first
  }

  private func unlessGone<Value>(_ request: () async throws -> Value) async throws -> Value? {
    do {
      return try await request()
    } catch let error as DisplayError where error.code == .requestFailed {
      return nil
    }
  }
}
