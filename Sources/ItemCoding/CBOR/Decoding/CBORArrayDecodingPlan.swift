// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

extension Array: CBORReadableComposite where Element: Decodable {
  static var decodingPlan: CBORDecodingPlan { ArrayPlan<Element>() }
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
      let plan = plan(for: Element.self)
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
