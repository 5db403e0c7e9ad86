// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// A type whose values are items without nested items.
///
/// ``CBORElementsEncodingPlan`` encodes an array of such values.
protocol CBORWritableElement: CBORWritableItem {
  static func write(_ elements: UnsafeBufferPointer<Self>, to writer: inout CBORWriter)
  static var arrayEncodingPlan: CBOREncodingPlan { get }
}

/// A number or Boolean, which takes at most 9 bytes.
protocol CBORNumber: CBORWritableElement {
  /// Stores the number at `target`, which has room for 9 bytes, and moves `target` past it.
  func store(at target: inout UnsafeMutableRawPointer)
}

/// A plan that encodes an array of one element type in a loop.
///
/// The initializer is inlined where the element type is known, so the loop is specialised for that type.
final class CBORElementsEncodingPlan: CBOREncodingPlan {
  private let write: (UnsafeRawPointer, inout CBORWriter) -> Void

  @inline(__always)
  init<Element: CBORWritableElement>(of type: Element.Type) {
    write = { value, writer in
      value.assumingMemoryBound(to: [Element].self).pointee.withUnsafeBufferPointer { elements in
        writer.write(.array, UInt64(elements.count))
        Element.write(elements, to: &writer)
      }
    }
  }

  override func encode(
    _ value: UnsafeRawPointer, _ session: CBOREncodingSession, _ parent: CBOREncodingFrame.Pointer
  ) throws {
    session.leaveOwn(try session.containerFrame(in: parent))
    write(value, &session.writer.pointee)
  }
}

extension CBORNumber {
  @inline(__always)
  static func write(_ elements: UnsafeBufferPointer<Self>, to writer: inout CBORWriter) {
    var first = 0
    // Blocks limit the memory that is reserved in advance.
    while first < elements.count {
      let end = min(first + 1024, elements.count)
      writer.reserve((end - first) * CBORWriter.headerCapacity)
      writer.store { target in
        for index in first..<end { elements[index].store(at: &target) }
      }
      first = end
    }
  }

  func write(to writer: inout CBORWriter, _ options: CBOREncoder.Options) {
    writer.reserve(CBORWriter.headerCapacity)
    writer.store { target in store(at: &target) }
  }
}

extension String: CBORWritableElement {
  @inline(__always)
  static func write(_ elements: UnsafeBufferPointer<String>, to writer: inout CBORWriter) {
    for index in 0..<elements.count { writer.write(elements[index]) }
  }
  static var arrayEncodingPlan: CBOREncodingPlan { CBORElementsEncodingPlan(of: Self.self) }
}

extension Double: CBORNumber {
  @inline(__always) func store(at target: inout UnsafeMutableRawPointer) { CBORWriter.store(self, at: &target) }
  static var arrayEncodingPlan: CBOREncodingPlan { CBORElementsEncodingPlan(of: Self.self) }
}

extension Float: CBORNumber {
  @inline(__always) func store(at target: inout UnsafeMutableRawPointer) { CBORWriter.store(self, at: &target) }
  static var arrayEncodingPlan: CBOREncodingPlan { CBORElementsEncodingPlan(of: Self.self) }
}

extension CBORNumber where Self: FixedWidthInteger {
  @inline(__always) func store(at target: inout UnsafeMutableRawPointer) { CBORWriter.store(self, at: &target) }
}

extension Bool: CBORNumber {
  @inline(__always)
  func store(at target: inout UnsafeMutableRawPointer) {
    target.storeBytes(of: self ? CBORByte.true : CBORByte.false, as: UInt8.self)
    target += 1
  }
  static var arrayEncodingPlan: CBOREncodingPlan { CBORElementsEncodingPlan(of: Self.self) }
}

extension Int: CBORNumber {
  static var arrayEncodingPlan: CBOREncodingPlan { CBORElementsEncodingPlan(of: Self.self) }
}

extension Int8: CBORNumber {
  static var arrayEncodingPlan: CBOREncodingPlan { CBORElementsEncodingPlan(of: Self.self) }
}

extension Int16: CBORNumber {
  static var arrayEncodingPlan: CBOREncodingPlan { CBORElementsEncodingPlan(of: Self.self) }
}

extension Int32: CBORNumber {
  static var arrayEncodingPlan: CBOREncodingPlan { CBORElementsEncodingPlan(of: Self.self) }
}

extension Int64: CBORNumber {
  static var arrayEncodingPlan: CBOREncodingPlan { CBORElementsEncodingPlan(of: Self.self) }
}

extension UInt: CBORNumber {
  static var arrayEncodingPlan: CBOREncodingPlan { CBORElementsEncodingPlan(of: Self.self) }
}

extension UInt8: CBORNumber {
  static var arrayEncodingPlan: CBOREncodingPlan { CBORElementsEncodingPlan(of: Self.self) }
}

extension UInt16: CBORNumber {
  static var arrayEncodingPlan: CBOREncodingPlan { CBORElementsEncodingPlan(of: Self.self) }
}

extension UInt32: CBORNumber {
  static var arrayEncodingPlan: CBOREncodingPlan { CBORElementsEncodingPlan(of: Self.self) }
}

extension UInt64: CBORNumber {
  static var arrayEncodingPlan: CBOREncodingPlan { CBORElementsEncodingPlan(of: Self.self) }
}
