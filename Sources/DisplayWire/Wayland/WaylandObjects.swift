// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// The objects of a connection.
///
/// The number of an object that this program has created is used again after the compositor has confirmed its end.
/// The compositor confirms nothing for its own objects, so a number of such an object stays until it is used again.
struct WaylandObjects: Sendable {
  /// An object that events may still name.
  struct Entry: Sendable {
    let object: WaylandObject
    let version: UInt32
    /// Whether this program has destroyed the object, and drops its events.
    var isDestroyed = false
  }

  /// The first number of the compositor's objects.
  static let firstServerID: UInt32 = 0xFF00_0000

  private let limit: Int
  private var entries: [UInt32: Entry] = [:]
  private var free: [UInt32] = []
  private var nextID: UInt32 = 1
  private var lastSerial: UInt64 = 0

  /// Creates the objects of a new connection, with the display as number 1.
  init(limit: Int) {
    self.limit = limit
    add(nextID, .display, version: 1)
    nextID += 1
  }

  /// The object that each connection begins with.
  static let display = WaylandObject(id: 1, interface: .display, serial: 1)

  /// Returns the object with a number, also if it is destroyed.
  subscript(_ id: UInt32) -> Entry? { entries[id] }

  /// Returns an object that this program has not destroyed.
  func live(_ object: WaylandObject) -> Entry? {
    guard let entry = entries[object.id], entry.object == object, !entry.isDestroyed else { return nil }
    return entry
  }

  @discardableResult
  private mutating func add(_ id: UInt32, _ interface: WaylandInterface, version: UInt32) -> WaylandObject {
    lastSerial += 1
    let object = WaylandObject(id: id, interface: interface, serial: lastSerial)
    entries[id] = Entry(object: object, version: version)
    return object
  }

  /// Creates an object of this program.
  mutating func create(_ interface: WaylandInterface, version: UInt32) throws(DisplayError) -> WaylandObject {
    guard entries.count < limit, free.last != nil || nextID < Self.firstServerID else {
      throw DisplayError(.limitExceeded, "\(interface) exceeds the limit of \(limit) objects")
    }
    if let id = free.popLast() { return add(id, interface, version: version) }
    defer { nextID += 1 }
    return add(nextID, interface, version: version)
  }

  /// Removes an object of a request that is not sent.
  mutating func withdraw(_ object: WaylandObject) {
    entries[object.id] = nil
    free.append(object.id)
  }

  /// Adds an object that the compositor has created.
  mutating func accept(
    _ id: UInt32, _ interface: WaylandInterface, version: UInt32, isDestroyed: Bool, at offset: Int
  ) throws(X11SyntaxError) -> WaylandObject {
    guard id >= Self.firstServerID else {
      throw X11SyntaxError(offset, "new \(interface) with the number \(id), which is not one of the compositor")
    }
    if let entry = entries[id], !entry.isDestroyed {
      throw X11SyntaxError(offset, "new \(interface) with the number of \(entry.object), which exists")
    }
    guard entries[id] != nil || entries.count < limit else {
      throw X11SyntaxError(offset, "new \(interface) exceeds the limit of \(limit) objects")
    }
    let object = add(id, interface, version: version)
    entries[id]?.isDestroyed = isDestroyed
    return object
  }

  /// Drops all later events of an object.
  mutating func destroy(_ id: UInt32) {
    entries[id]?.isDestroyed = true
  }

  /// Removes an object whose end the compositor has confirmed.
  ///
  /// The object may exist, since the compositor ends some objects by itself.
  mutating func remove(_ id: UInt32) throws(X11SyntaxError) {
    guard id != Self.display.id, id < Self.firstServerID, entries.removeValue(forKey: id) != nil else {
      throw X11SyntaxError(WaylandMessage.headerSize, "end of the object \(id), which this program has not created")
    }
    free.append(id)
  }
}
