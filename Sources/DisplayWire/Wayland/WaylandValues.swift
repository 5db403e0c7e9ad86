// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

package import DropSystem
internal import Synchronization

/// An object of a Wayland connection.
///
/// Numbers are used again after an object has ended. Two objects with the same number are not equal.
package struct WaylandObject: Sendable, Hashable, CustomStringConvertible {
  /// The number on the wire.
  package let id: UInt32
  /// The interface.
  package let interface: WaylandInterface
  /// A number that no other object of the connection has.
  let serial: UInt64

  package var description: String { "\(interface.name) \(id)" }

  package static func == (one: Self, other: Self) -> Bool { one.id == other.id && one.serial == other.serial }

  package func hash(into hasher: inout Hasher) { hasher.combine(serial) }
}

/// A descriptor that is passed with a message, and closed with the last reference unless it is taken.
package final class WaylandDescriptor: Sendable {
  private let number: Lock<CInt?>

  /// Takes ownership of a descriptor.
  package init(_ descriptor: consuming OwnedDescriptor) {
    number = Lock(descriptor.release())
  }

  deinit {
    _ = take()
  }

  /// Passes ownership of the descriptor to the caller.
  ///
  /// - Returns: The descriptor; `nil` if it was taken before.
  package func take() -> OwnedDescriptor? {
    let taken = number.withLock { number in
      defer { number = nil }
      return number
    }
    guard let taken else { return nil }
    return OwnedDescriptor(taken)
  }

  /// Passes ownership of the descriptor to a new object.
  func transfer() -> WaylandDescriptor? {
    guard let taken = take() else { return nil }
    return WaylandDescriptor(taken)
  }

  /// The number of the descriptor, valid while nothing takes it; `nil` if it was taken.
  package var raw: CInt? { number.withLock { $0 } }
}

/// An argument of a request or an event.
package enum WaylandArgument: Sendable {
  case int(Int32)
  case uint(UInt32)
  /// A number that is sent in units of 1/256.
  case fixed(Double)
  case string(String?)
  /// An object; `nil` for no object, or for an object of an event that this program has destroyed.
  case object(WaylandObject?)
  /// An object that the event creates. Requests create objects with ``WaylandConnection/create(_:_:_:)``.
  case new(WaylandObject)
  case array([UInt8])
  /// A descriptor. A request takes it.
  case descriptor(WaylandDescriptor)
}

/// An event of a Wayland object.
///
/// The arguments have the types of the interface. An accessor of another type, or with an invalid index, returns zero,
/// `nil` or an empty array.
package struct WaylandEvent: Sendable {
  /// The object.
  package let object: WaylandObject
  /// The name of the event.
  package let name: String
  /// The arguments.
  package let arguments: [WaylandArgument]

  private func argument(_ index: Int) -> WaylandArgument? {
    arguments.indices.contains(index) ? arguments[index] : nil
  }

  /// Returns a signed number.
  package func int(_ index: Int) -> Int32 {
    if case .int(let value)? = argument(index) { value } else { 0 }
  }

  /// Returns an unsigned number.
  package func uint(_ index: Int) -> UInt32 {
    if case .uint(let value)? = argument(index) { value } else { 0 }
  }

  /// Returns a number in units of 1/256.
  package func fixed(_ index: Int) -> Double {
    if case .fixed(let value)? = argument(index) { value } else { 0 }
  }

  /// Returns a string, which is untrusted.
  package func string(_ index: Int) -> String? {
    if case .string(let value)? = argument(index) { value } else { nil }
  }

  /// Returns an object, or the object that the event has created.
  package func object(_ index: Int) -> WaylandObject? {
    switch argument(index) {
    case .object(let value)?: value
    case .new(let value)?: value
    default: nil
    }
  }

  /// Returns the bytes of an array.
  package func array(_ index: Int) -> [UInt8] {
    if case .array(let value)? = argument(index) { value } else { [] }
  }

  /// Returns a descriptor, which is closed with the event unless it is taken.
  package func descriptor(_ index: Int) -> WaylandDescriptor? {
    if case .descriptor(let value)? = argument(index) { value } else { nil }
  }

  /// The number of descriptors.
  var descriptorCount: Int {
    arguments.count { if case .descriptor = $0 { true } else { false } }
  }
}

/// A global object that a compositor offers.
package struct WaylandGlobal: Sendable, Hashable {
  /// The number, which is not the number of an object.
  package let name: UInt32
  /// The name of the interface.
  package let interface: String
  /// The highest version that the compositor supports.
  package let version: UInt32
}
