// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// Methods for fields whose values are themselves field codable, specialised where they are called.
extension CBORFieldDecoder {
  /// Decodes a field codable value; `nil` if it is missing or null.
  ///
  /// - Throws: `DecodingError` with the path and the byte offset if it is not a valid map, and errors of the value.
  @inlinable
  public mutating func decodeIfPresent<Value: CBORFieldCodable>(
    _ type: Value.Type, forKey name: StaticString
  ) throws -> Value? {
    guard let start = try start(ofField: name) else { return nil }
    var fields = try self.fields(at: start)
    let value: Value
    do {
      value = try Value(fields: &fields)
    } catch {
      fields.leave()
      throw error
    }
    pass(name, to: try fields.end())
    return value
  }

  /// Decodes an array of field codable values; `nil` if it is missing or null.
  ///
  /// - Parameters:
  ///   - type: The type of the array.
  ///   - name: The name of the field.
  ///   - substitute: The value for null elements. Without it, a null element is an error.
  /// - Returns: The array; `nil` if it is missing or null.
  /// - Throws: `DecodingError` with the path and the byte offset if it cannot be decoded as this type, and errors of an
  ///   element.
  @inlinable
  public mutating func decodeIfPresent<Element: CBORFieldCodable>(
    _ type: [Element].Type, forKey name: StaticString, nullAs substitute: Element? = nil
  ) throws -> [Element]? {
    guard let start = try start(ofField: name) else { return nil }
    var cursor = try elements(at: start, stride: MemoryLayout<Element>.stride)
    var elements: [Element] = []
    if cursor.reservation > 0 { elements.reserveCapacity(cursor.reservation) }
    do {
      while try advance(&cursor) {
        // `if let` would copy the substitute for each element.
        if substitute != nil, try takeNull(&cursor) {
          if let substitute { elements.append(substitute) }
          continue
        }
        var fields = try self.fields(at: cursor)
        do {
          elements.append(try Element(fields: &fields))
        } catch {
          fields.leave()
          throw error
        }
        cursor.offset = try fields.end()
      }
    } catch {
      leave(cursor)
      throw error
    }
    pass(name, to: leave(cursor))
    return elements
  }
}

/// The position of the decoder in an array of field codable values.
@usableFromInline
struct CBORFieldElements {
  let frame: CBORDecodingFrame.Pointer
  var count = 0
  @usableFromInline var offset: Int
  /// The number of elements to reserve memory for.
  @usableFromInline let reservation: Int
}

extension CBORFieldDecoder {
  @usableFromInline
  func elements(at start: Int, stride: Int) throws -> CBORFieldElements {
    try withSession { session in
      let inner = try session.frame(in: frame, at: start)
      do throws(CBORFault) {
        try session.open(inner, as: .array)
      } catch {
        session.leaveOwn(inner)
        throw session.error(error, [Any].self, in: frame)
      }
      let total = inner.pointee.total
      let reservation = total > 0 ? session.reserve(total, stride: stride) : 0
      return CBORFieldElements(frame: inner, offset: inner.pointee.content, reservation: reservation)
    }
  }

  /// Returns the fields of the next element.
  @usableFromInline
  func fields(at elements: CBORFieldElements) throws -> CBORFieldDecoder {
    try CBORFieldDecoder(unownedSession, elements.frame, at: elements.offset)
  }

  /// Moves to the next element, and returns whether there is one.
  @usableFromInline
  func advance(_ elements: inout CBORFieldElements) throws -> Bool {
    if try withSession({ try $0.isAtEnd(elements.frame, elements.count, elements.offset, [Any].self) }) { return false }
    elements.frame.pointee.key.place = elements.count
    elements.count += 1
    return true
  }

  /// Skips the element if it is null, and returns whether it is.
  @usableFromInline
  func takeNull(_ elements: inout CBORFieldElements) throws -> Bool {
    do throws(CBORFault) {
      return try input.pointee.null(&elements.offset)
    } catch {
      throw session.error(error, [String: Any].self, in: elements.frame)
    }
  }

  /// Ends the array and returns the offset after it.
  @discardableResult
  @usableFromInline
  func leave(_ elements: CBORFieldElements) -> Int {
    withSession { $0.leaveOwn(elements.frame) }
    return elements.frame.pointee.total < 0 ? elements.offset + 1 : elements.offset
  }
}

extension CBORDecodingSession {
  /// Begins a value that decodes its fields itself.
  @inline(__always)
  func fieldFrame(in parent: Frame, at offset: Int) throws -> Frame {
    let frame = try frame(in: parent, at: offset)
    do throws(CBORFault) {
      try open(frame, as: .map)
    } catch {
      leaveOwn(frame)
      throw self.error(error, [String: Any].self, in: parent)
    }
    frame.pointee.key.place = CBORCurrentKey.namePlace
    return frame
  }
}
