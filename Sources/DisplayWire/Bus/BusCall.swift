// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// A call of a method over D-Bus.
package struct BusCall: Sendable {
  /// An argument of a call.
  package enum Argument: Sendable {
    /// A string without NUL, of type `s`.
    case string(String)
    /// Options that are on or off, of type `a{sv}`.
    case options([(name: String, value: Bool)])
    /// At most ``maximumDescriptors`` descriptors, of type `ah`; the caller keeps them open during the call.
    case descriptors([CInt])
  }

  /// The maximum number of descriptors of a message, since a bus may accept no more than 16.
  package static let maximumDescriptors = 16

  private let names: [(field: BusMessage.Field, name: String)]
  private let arguments: [Argument]

  /// Creates a call.
  ///
  /// - Parameters:
  ///   - member: The name of the method.
  ///   - interface: The interface of the method.
  ///   - path: The path of the object.
  ///   - service: The name of the service on the bus.
  ///   - arguments: The arguments.
  package init(
    _ member: String, of interface: String, at path: String, in service: String, _ arguments: [Argument] = []
  ) {
    names = [(.path, path), (.interface, interface), (.member, member), (.destination, service)]
    self.arguments = arguments
  }

  /// The descriptors in the order of their indexes in the message.
  var descriptors: [CInt] {
    arguments.flatMap { argument -> [CInt] in
      if case .descriptors(let descriptors) = argument { descriptors } else { [] }
    }
  }

  /// Returns the bytes of the message.
  func encoded(serial: UInt32) -> [UInt8] {
    var (body, signature, count) = (BusWriter(), "", UInt32(0))
    for argument in arguments {
      switch argument {
      case .string(let value):
        signature += "s"
        body.write(value)
      case .options(let options):
        signature += "a{sv}"
        body.writeArray(alignment: 8) { body in
          for (name, value) in options {
            body.align(8)
            body.write(name)
            body.write(signature: "b")
            body.write32(value ? 1 : 0)
          }
        }
      case .descriptors(let descriptors):
        signature += "ah"
        body.writeArray(alignment: 4) { body in
          for _ in descriptors {
            body.write32(count)
            count += 1
          }
        }
      }
    }
    var message = BusWriter(bytes: [UInt8(ascii: "l"), BusMessage.Kind.call.rawValue, 0, 1])
    message.write32(UInt32(body.bytes.count))
    message.write32(serial)
    message.writeArray(alignment: 8) { message in
      for (field, name) in names {
        message.begin(field)
        message.write(name)
      }
      if !signature.isEmpty {
        message.begin(.signature)
        message.write(signature: signature)
      }
      if count > 0 {
        message.begin(.descriptorCount)
        message.write32(count)
      }
    }
    message.align(8)
    return message.bytes + body.bytes
  }
}

/// A writer of values in little-endian order.
private struct BusWriter {
  var bytes: [UInt8] = []

  mutating func align(_ alignment: Int) {
    bytes += [UInt8](repeating: 0, count: -bytes.count & (alignment - 1))
  }

  mutating func write32(_ value: UInt32) {
    align(4)
    bytes += Self.littleEndian(value)
  }

  private static func littleEndian(_ value: UInt32) -> [UInt8] {
    [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: value >> $0) }
  }

  mutating func write(_ text: String) {
    write32(UInt32(text.utf8.count))
    bytes += Array(text.utf8) + [0]
  }

  mutating func write(signature: String) {
    bytes += [UInt8(signature.utf8.count)] + Array(signature.utf8) + [0]
  }

  /// Begins a field of a header, up to its value.
  mutating func begin(_ field: BusMessage.Field) {
    align(8)
    bytes.append(field.rawValue)
    write(signature: field.type)
  }

  mutating func writeArray(alignment: Int, _ writeElements: (inout BusWriter) -> Void) {
    write32(0)
    let end = bytes.count
    align(alignment)
    // The length excludes the padding before the first element.
    let start = bytes.count
    writeElements(&self)
    bytes.replaceSubrange(end - 4..<end, with: Self.littleEndian(UInt32(bytes.count - start)))
  }
}
