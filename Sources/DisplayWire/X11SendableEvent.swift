// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// An event that a program can send to other programs with `SendEvent`.
package protocol X11SendableEvent: Sendable {
  /// The event in 32 bytes.
  var encoded: [UInt8] { get }
}

/// The response of a selection's owner to a request.
package struct X11SelectionNotifyEvent: X11SendableEvent, Hashable {
  /// The time in the request.
  package let time: X11Time
  /// The window whose property gets the value.
  package let requestor: X11Identifier
  /// The selection.
  package let selection: X11Atom
  /// The type to which the value was converted.
  package let target: X11Atom
  /// The property with the value; `none` if the owner refused the request.
  package let property: X11Atom

  /// Creates an event.
  package init(
    time: X11Time, requestor: X11Identifier, selection: X11Atom, target: X11Atom, property: X11Atom
  ) {
    self.time = time
    self.requestor = requestor
    self.selection = selection
    self.target = target
    self.property = property
  }

  init(_ reader: inout X11Reader) throws(X11SyntaxError) {
    time = try reader.readTime()
    requestor = try reader.readIdentifier()
    selection = try reader.readAtom()
    target = try reader.readAtom()
    property = try reader.readAtom()
  }

  /// The event in 32 bytes.
  package var encoded: [UInt8] {
    var writer = X11Writer()
    writer.write8(31)
    writer.skip(3)
    writer.write(time)
    writer.write(requestor)
    writer.write(selection)
    writer.write(target)
    writer.write(property)
    writer.skip(8)
    return writer.bytes
  }
}

/// A message of one program to another.
package struct X11ClientMessage: X11SendableEvent, Hashable {
  /// The window that the message is about.
  package let window: X11Identifier
  /// The meaning of the message.
  package let type: X11Atom
  /// The content: 20 values of 8 bits, 10 values of 16 bits, or 5 values of 32 bits.
  package let data: X11Data

  /// Creates a message.
  ///
  /// - Parameters:
  ///   - window: The window that the message is about.
  ///   - type: The meaning of the message.
  ///   - data: At most 20 bytes; zeros fill the rest.
  package init(window: X11Identifier, type: X11Atom, data: X11Data) {
    self.window = window
    self.type = type
    self.data =
      switch data {
      case .bytes(let values): .bytes(Self.filled(values, 20))
      case .words16(let values): .words16(Self.filled(values, 10))
      case .words32(let values): .words32(Self.filled(values, 5))
      }
  }

  private static func filled<Value: FixedWidthInteger>(_ values: [Value], _ count: Int) -> [Value] {
    precondition(values.count <= count, "a message has at most 20 bytes")
    return values + repeatElement(0, count: count - values.count)
  }

  init(format: UInt8, _ reader: inout X11Reader) throws(X11SyntaxError) {
    window = try reader.readIdentifier()
    type = try reader.readAtom()
    data = try reader.readData(format: format, count: 160 / UInt32(format))
  }

  /// The event in 32 bytes.
  package var encoded: [UInt8] {
    var writer = X11Writer()
    writer.write8(33)
    writer.write8(data.format)
    writer.skip(2)
    writer.write(window)
    writer.write(type)
    writer.write(data)
    return writer.bytes
  }
}
