// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// The way in which `ChangeProperty` combines new values with the present values.
package enum X11PropertyMode: UInt8, Sendable, Hashable {
  /// The new values replace the present ones.
  case replace
  /// The new values come first.
  case prepend
  /// The new values come last.
  case append
}

/// The response to `GetProperty`.
package struct X11Property: Sendable, Hashable {
  /// The type of the property, or `none` if the property does not exist.
  package let type: X11Atom
  /// The values.
  ///
  /// They are empty if the property does not exist, or if its type is not the requested type.
  package let data: X11Data
  /// The number of bytes of the property after the values that were read.
  package let remainingBytes: Int

  /// Whether the property exists.
  package var exists: Bool { type != .none }
}

extension X11Request {
  /// Changes a property of a window.
  package static func changeProperty(
    _ window: X11Identifier, _ property: X11Atom, type: X11Atom, _ data: X11Data, mode: X11PropertyMode = .replace
  ) -> X11Request {
    X11Request("ChangeProperty", 18, detail: mode.rawValue) { writer in
      writer.write(window)
      writer.write(property)
      writer.write(type)
      writer.write8(data.format)
      writer.skip(3)
      writer.write32(UInt32(truncatingIfNeeded: data.count))
      writer.write(data)
    }
  }

  /// Deletes a property of a window.
  package static func deleteProperty(_ window: X11Identifier, _ property: X11Atom) -> X11Request {
    X11Request("DeleteProperty", 19) { writer in
      writer.write(window)
      writer.write(property)
    }
  }
}

extension X11Query<X11Atom> {
  /// Queries the atom for a name.
  ///
  /// - Parameters:
  ///   - name: The name, at most 65,535 bytes long.
  ///   - onlyIfExists: Whether the response for an unknown name is `none`, rather than a new atom.
  /// - Returns: The request.
  package static func internAtom(_ name: String, onlyIfExists: Bool = false) -> Self {
    Self("InternAtom", 16, detail: onlyIfExists ? 1 : 0) { writer in
      writer.write16(UInt16(clamping: name.utf8.count))
      writer.write16(0)
      writer.write(Array(name.utf8.prefix(65_535)))
    } response: { (_, reader) throws(X11SyntaxError) in
      try reader.readAtom()
    }
  }
}

extension X11Query<String> {
  /// Queries the name of an atom.
  package static func getAtomName(_ atom: X11Atom) -> Self {
    Self("GetAtomName", 17, maximumExtraBytes: 65_536) {
      $0.write(atom)
    } response: { (_, reader) throws(X11SyntaxError) in
      let count = Int(try reader.read16())
      try reader.skip(22)
      return X11Reader.text(try reader.read(count))
    }
  }
}

extension X11Query<X11Property> {
  /// Queries the value of a property.
  ///
  /// - Parameters:
  ///   - window: The window.
  ///   - property: The property.
  ///   - type: The required type, or `none` for any type.
  ///   - offset: The number of bytes to skip, a multiple of four.
  ///   - limit: The maximum number of bytes to read, rounded up to a multiple of four.
  ///   - deletes: Whether the server deletes the property after its end has been read.
  /// - Returns: The request.
  package static func getProperty(
    _ window: X11Identifier, _ property: X11Atom, type: X11Atom = .none, offset: Int = 0, limit: Int,
    deletes: Bool = false
  ) -> Self {
    let words = UInt32(clamping: max(limit, 0) / 4 + (max(limit, 0) % 4 == 0 ? 0 : 1))
    return Self("GetProperty", 20, detail: deletes ? 1 : 0, maximumExtraBytes: 4 * Int(words)) { writer in
      writer.write(window)
      writer.write(property)
      writer.write(type)
      writer.write32(UInt32(clamping: offset / 4))
      writer.write32(words)
    } response: { (format, reader) throws(X11SyntaxError) in
      let type = try reader.readAtom()
      let remaining = Int(try reader.read32())
      let count = try reader.read32()
      try reader.skip(12)
      guard format != 0 else {
        guard count == 0 else { throw X11SyntaxError(16, "\(count) values have the format 0") }
        return X11Property(type: type, data: .bytes([]), remainingBytes: remaining)
      }
      return X11Property(
        type: type, data: try reader.readData(format: format, count: count), remainingBytes: remaining)
    }
  }
}

extension X11Request {
  /// Changes the owner of a selection.
  ///
  /// - Parameters:
  ///   - owner: The new owner, or `none` to give up the selection.
  ///   - selection: The selection.
  ///   - time: The time of the event that caused the change.
  /// - Returns: The request.
  package static func setSelectionOwner(
    _ owner: X11Identifier, selection: X11Atom, time: X11Time
  ) -> X11Request {
    X11Request("SetSelectionOwner", 22) { writer in
      writer.write(owner)
      writer.write(selection)
      writer.write(time)
    }
  }

  /// Asks the owner of a selection to store its value in a property of the requestor.
  package static func convertSelection(
    requestor: X11Identifier, selection: X11Atom, target: X11Atom, property: X11Atom, time: X11Time
  ) -> X11Request {
    X11Request("ConvertSelection", 24) { writer in
      writer.write(requestor)
      writer.write(selection)
      writer.write(target)
      writer.write(property)
      writer.write(time)
    }
  }

  /// Sends an event to all programs that selected an event of `events` on a window.
  ///
  /// - Parameters:
  ///   - event: The event.
  ///   - destination: The window.
  ///   - events: The event mask. If it is empty, the program that created the window receives the event.
  ///   - propagates: Whether the ancestors of the window get the event if no program selected it on the window.
  /// - Returns: The request.
  package static func sendEvent(
    _ event: some X11SendableEvent, to destination: X11Identifier, events: X11EventMask = [],
    propagates: Bool = false
  ) -> X11Request {
    X11Request("SendEvent", 25, detail: propagates ? 1 : 0) { writer in
      writer.write(destination)
      writer.write32(events.rawValue)
      writer.write(event.encoded)
    }
  }
}

extension X11Query<X11Identifier> {
  /// Queries the owner of a selection; the response is `none` if it has no owner.
  package static func getSelectionOwner(_ selection: X11Atom) -> Self {
    Self("GetSelectionOwner", 23) {
      $0.write(selection)
    } response: { (_, reader) throws(X11SyntaxError) in
      try reader.readIdentifier()
    }
  }
}
