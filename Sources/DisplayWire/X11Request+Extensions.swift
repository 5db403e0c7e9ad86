// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// An extension of the server, with the numbers of its requests, events and errors.
package struct X11Extension: Sendable, Hashable {
  /// The name.
  package let name: String
  /// The number of all requests of the extension.
  package let majorOpcode: UInt8
  /// The number of the extension's first event.
  package let firstEvent: UInt8
  /// The number of the extension's first error.
  package let firstError: UInt8

  /// Creates an extension.
  package init(name: String, majorOpcode: UInt8, firstEvent: UInt8, firstError: UInt8) {
    self.name = name
    self.majorOpcode = majorOpcode
    self.firstEvent = firstEvent
    self.firstError = firstError
  }

  /// The name of the extension that reports new owners of selections.
  package static let xfixesName = "XFIXES"
  /// The name of the extension that simulates input.
  package static let xtestName = "XTEST"
  /// The name of the extension for windows that are not rectangles.
  package static let shapeName = "SHAPE"
  /// The name of the extension for requests of more than 262,140 bytes.
  package static let bigRequestsName = "BIG-REQUESTS"
}

/// The version of an extension.
package struct X11Version: Sendable, Hashable {
  /// The major version.
  ///
  /// Versions with different numbers are incompatible.
  package let major: UInt32
  /// The minor version, which increases when requests are added.
  package let minor: UInt32
}

/// The changes of a selection that XFIXES can report.
package struct X11SelectionMask: OptionSet, Hashable, Sendable {
  /// The bits on the wire.
  package let rawValue: UInt32

  /// Creates a set from its bits on the wire.
  package init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  /// The selection has a new owner.
  package static let newOwner = X11SelectionMask(rawValue: 1 << 0)
  /// The window of the owner was destroyed.
  package static let windowDestroyed = X11SelectionMask(rawValue: 1 << 1)
  /// The connection of the owner was closed.
  package static let clientClosed = X11SelectionMask(rawValue: 1 << 2)
}

/// The parts of a window that SHAPE can change.
package enum X11ShapeKind: UInt8, Sendable, Hashable {
  /// The window with its border.
  case bounding = 0
  /// The visible content.
  case clip = 1
  /// The part that receives input; needs version 1.1.
  case input = 2
}

/// Input that XTEST can simulate.
package enum X11FakeInput: Sendable, Hashable {
  /// A key is pressed or released.
  case key(code: UInt8, isPressed: Bool)
  /// A button is pressed or released.
  case button(UInt8, isPressed: Bool)
  /// The pointer moves to a location on the root window.
  case motion(root: X11Identifier, x: Int16, y: Int16)
}

extension X11Query<X11Extension?> {
  /// Queries the numbers of an extension; the response is `nil` if the server lacks the extension.
  package static func queryExtension(_ name: String) -> Self {
    Self("QueryExtension", 98) { writer in
      writer.write16(UInt16(clamping: name.utf8.count))
      writer.skip(2)
      writer.write(Array(name.utf8.prefix(65_535)))
    } response: { (_, reader) throws(X11SyntaxError) in
      let isPresent = try reader.readBool()
      let majorOpcode = try reader.read8()
      let firstEvent = try reader.read8()
      let firstError = try reader.read8()
      guard isPresent else { return nil }
      guard majorOpcode >= 128 else {
        throw X11SyntaxError(9, "extension \(name) has the number \(majorOpcode), which is less than 128")
      }
      return X11Extension(name: name, majorOpcode: majorOpcode, firstEvent: firstEvent, firstError: firstError)
    }
  }
}

extension X11Query<UInt32> {
  /// Enables requests of more than 262,140 bytes.
  ///
  /// The response is their maximum length in units of four bytes.
  package static func bigRequestsEnable(_ bigRequests: X11Extension) -> Self {
    Self(
      "BigReqEnable", bigRequests.majorOpcode,
      response: { (_, reader) throws(X11SyntaxError) in try reader.read32() })
  }
}

extension X11Query<X11Version> {
  /// Negotiates the version of XFIXES.
  ///
  /// The server requires this before any other request of the extension.
  package static func xfixesQueryVersion(_ xfixes: X11Extension, major: UInt32 = 5, minor: UInt32 = 0) -> Self {
    Self("XFixesQueryVersion", xfixes.majorOpcode) { writer in
      writer.write32(major)
      writer.write32(minor)
    } response: { (_, reader) throws(X11SyntaxError) in
      X11Version(major: try reader.read32(), minor: try reader.read32())
    }
  }

  /// Negotiates the version of XTEST.
  package static func xtestGetVersion(_ xtest: X11Extension) -> Self {
    Self("XTestGetVersion", xtest.majorOpcode) { writer in
      writer.write8(2)
      writer.write8(0)
      writer.write16(2)
    } response: { (major, reader) throws(X11SyntaxError) in
      X11Version(major: UInt32(major), minor: UInt32(try reader.read16()))
    }
  }
}

extension X11Request {
  /// Selects the changes of a selection that the server reports to a window of this program.
  package static func xfixesSelectSelectionInput(
    _ xfixes: X11Extension, window: X11Identifier, selection: X11Atom, changes: X11SelectionMask
  ) -> X11Request {
    X11Request("XFixesSelectSelectionInput", xfixes.majorOpcode, detail: 2) { writer in
      writer.write(window)
      writer.write(selection)
      writer.write32(changes.rawValue)
    }
  }

  /// Replaces a part of a window by rectangles; without any, the part is empty.
  package static func shapeRectangles(
    _ shape: X11Extension, _ kind: X11ShapeKind, of window: X11Identifier, _ rectangles: [X11Rectangle]
  ) -> X11Request {
    X11Request("ShapeRectangles", shape.majorOpcode, detail: 1) { writer in
      // The operation is Set, and the order of the rectangles is not declared.
      writer.write8(0)
      writer.write8(kind.rawValue)
      writer.skip(2)
      writer.write(window)
      writer.skip(4)
      for rectangle in rectangles { writer.write(rectangle) }
    }
  }

  /// Simulates input.
  ///
  /// - Parameters:
  ///   - xtest: The extension.
  ///   - input: The input.
  ///   - delay: The delay before the server processes this request and later requests of this program, in milliseconds.
  /// - Returns: The request.
  package static func xtestFakeInput(
    _ xtest: X11Extension, _ input: X11FakeInput, delay: UInt32 = 0
  ) -> X11Request {
    let type: UInt8
    let detail: UInt8
    var location: (root: X11Identifier, x: Int16, y: Int16) = (.none, 0, 0)
    switch input {
    case .key(let code, let isPressed):
      (type, detail) = (isPressed ? 2 : 3, code)
    case .button(let button, let isPressed):
      (type, detail) = (isPressed ? 4 : 5, button)
    case .motion(let root, let x, let y):
      (type, detail) = (6, 0)
      location = (root, x, y)
    }
    return X11Request("XTestFakeInput", xtest.majorOpcode, detail: 2) { writer in
      writer.write8(type)
      writer.write8(detail)
      writer.skip(2)
      writer.write32(delay)
      writer.write(location.root)
      writer.skip(8)
      writer.writeSigned16(location.x)
      writer.writeSigned16(location.y)
      writer.skip(8)
    }
  }
}
