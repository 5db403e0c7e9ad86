// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

extension Array: CBORReadableComposite where Element: Decodable {
  static var decodingPlan: CBORDecodingPlan {
    (Element.self as? any CBORReadableElement.Type)?.arrayDecodingPlan ?? ArrayPlan<Element>()
  }
}

private final class ArrayPlan<Element: Decodable>: CBORDecodingPlan {
  override func decode(
    into value: UnsafeMutableRawPointer, _ offset: inout Int, _ session: CBORDecodingSession,
    _ parent: CBORDecodingFrame.Pointer
  ) throws {
    let array = try session.array(&offset, in: parent, of: Element.self)
    value.initializeMemory(as: [Element].self, to: array)
  }
}

extension CBORDecodingSession {
  /// Decodes the array at `offset`, a part of `parent`'s value, and moves the offset past it.
  @inline(__always)
  func array<Element: Decodable>(
    _ offset: inout Int, in parent: Frame, of type: Element.Type
  ) throws -> [Element] {
    try elements(&offset, in: parent, [Element].self) { frame, offset in
      let total = frame.pointee.total
      // All threads share the empty array, so its count must not be written.
      if total == 0 { return [] }
      let reserved = total > 0 ? reserve(total, stride: MemoryLayout<Element>.stride) : 0
      guard total >= 0, reserved == total else {
        return try growingArray(frame, &offset, reserved)
      }
      let plan = plans.plan(for: Element.self)
      return try Array(unsafeUninitializedCapacity: total) { elements, count in
        guard let base = elements.baseAddress else { return }
        // There are two loops because one loop would retain the plan for each element.
        guard let plan else {
          while count < total {
            frame.pointee.key.place = count
            (base + count).initialize(to: try decodePlain(Element.self, &offset, in: frame))
            count &+= 1
          }
          return
        }
        while count < total {
          frame.pointee.key.place = count
          try plan.decode(into: UnsafeMutableRawPointer(base + count), &offset, self, frame)
          count &+= 1
        }
      }
    }
  }

  /// Decodes an array whose count is missing or exceeds the reservation.
  private func growingArray<Element: Decodable>(
    _ frame: Frame, _ offset: inout Int, _ reserved: Int
  ) throws -> [Element] {
    var elements: [Element] = []
    elements.reserveCapacity(reserved)
    while try !isAtEnd(frame, elements.count, offset, [Element].self) {
      frame.pointee.key.place = elements.count
      elements.append(try decode(Element.self, &offset, in: frame))
    }
    return elements
  }
}

/// A type whose values are items without nested items.
///
/// ``CBORElementsDecodingPlan`` decodes an array of such values.
protocol CBORReadableElement: CBORReadableItem {
  static func read(_ input: CBORInput, _ offset: inout Int) throws(CBORFault) -> Self
  static var arrayDecodingPlan: CBORDecodingPlan { get }
}

extension CBORReadableElement {
  static func read(
    _ input: CBORInput, _ offset: inout Int, _ options: CBORDecoder.Options
  ) throws(CBORFault) -> Self {
    try read(input, &offset)
  }
}

/// A plan that decodes an array of one element type in a loop.
///
/// The initializer is inlined where the element type is known, so the loop is specialised for that type.
final class CBORElementsDecodingPlan: CBORDecodingPlan {
  private typealias Frame = CBORDecodingFrame.Pointer

  private let read: (UnsafeMutableRawPointer, inout Int, CBORDecodingSession, CBORDecodingFrame.Pointer) throws -> Void

  /// Creates a plan for elements of a type.
  ///
  /// - Parameter type: A type of at most 16 bytes. An element takes at least one byte of the input, so memory for all
  ///   announced elements may always be reserved.
  @inline(__always)
  init<Element: CBORReadableElement>(of type: Element.Type) {
    read = { value, offset, session, parent in
      let elements = try session.elements(&offset, in: parent, [Element].self) { frame, offset in
        let input = session.input.pointee
        let total = frame.pointee.total
        if total == 0 { return [] }
        guard total >= 0 else { return try Self.grow(frame, &offset, session, of: Element.self) }
        var next = offset
        var fault: CBORFault?
        let elements = [Element](unsafeUninitializedCapacity: total) { elements, count in
          guard let base = elements.baseAddress else { return }
          var index = 0
          // A local variable of the closure can stay in a register.
          var cursor = next
          do throws(CBORFault) {
            while index < total {
              (base + index).initialize(to: try Element.read(input, &cursor))
              index &+= 1
            }
          } catch {
            fault = error
          }
          next = cursor
          count = index
        }
        if let fault {
          frame.pointee.key.place = elements.count
          throw session.error(fault, Element.self, in: frame)
        }
        offset = next
        return elements
      }
      value.initializeMemory(as: [Element].self, to: elements)
    }
  }

  private static func grow<Element: CBORReadableElement>(
    _ frame: CBORDecodingFrame.Pointer, _ offset: inout Int, _ session: CBORDecodingSession, of type: Element.Type
  ) throws -> [Element] {
    var elements: [Element] = []
    while try !session.isAtEnd(frame, elements.count, offset, [Element].self) {
      do throws(CBORFault) {
        elements.append(try Element.read(session.input.pointee, &offset))
      } catch {
        frame.pointee.key.place = elements.count
        throw session.error(error, Element.self, in: frame)
      }
    }
    return elements
  }

  override func decode(
    into value: UnsafeMutableRawPointer, _ offset: inout Int, _ session: CBORDecodingSession,
    _ parent: CBORDecodingFrame.Pointer
  ) throws {
    try read(value, &offset, session, parent)
  }
}

extension CBORDecodingSession {
  /// Opens the array at `offset`, lets `body` decode its elements, and moves the offset past the array.
  @inline(__always)
  func elements<Elements>(
    _ offset: inout Int, in parent: Frame, _ type: Elements.Type, _ body: (Frame, inout Int) throws -> Elements
  ) throws -> Elements {
    let frame = try frame(in: parent, at: offset)
    defer { leaveOwn(frame) }
    do throws(CBORFault) {
      try open(frame, as: .array)
    } catch {
      throw self.error(error, type, in: parent)
    }
    var next = frame.pointee.content
    let elements = try body(frame, &next)
    charge(next &- frame.pointee.content)
    offset = frame.pointee.total < 0 ? next + 1 : next
    return elements
  }

  /// Calls ``isAtEnd(_:_:_:)`` and converts its fault to a `DecodingError`.
  @inline(__always)
  func isAtEnd(_ frame: Frame, _ passed: Int, _ offset: Int, _ type: Any.Type) throws -> Bool {
    do throws(CBORFault) {
      return try isAtEnd(frame, passed, offset)
    } catch {
      throw self.error(error, type, path: frame.path())
    }
  }
}
