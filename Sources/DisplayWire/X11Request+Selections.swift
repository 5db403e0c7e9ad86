// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

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
