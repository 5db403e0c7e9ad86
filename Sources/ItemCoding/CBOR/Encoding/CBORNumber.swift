// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// A number of at most 9 bytes, arrays of which are written in one loop.
protocol CBORNumber: CBORWritableItem {
  func put(in writer: inout CBORWriter)
  static var arrayEncodingPlan: CBOREncodingPlan { get }
}

/// Loops over the elements of one type; made where that type is known, so that the loop is compiled for it.
final class CBORNumberArrayPlan: CBOREncodingPlan {
  private let write: (UnsafeRawPointer, inout CBORWriter) -> Void

  @inline(__always)
  init<Number: CBORNumber>(of type: Number.Type) {
    write = { value, writer in
      value.assumingMemoryBound(to: [Number].self).pointee.withUnsafeBufferPointer { numbers in
        writer.write(.array, UInt64(numbers.count))
        var first = 0
        // In blocks, so that no more is reserved than is needed.
        while first < numbers.count {
          let end = min(first + 1024, numbers.count)
          writer.reserve((end - first) * CBORWriter.headerCapacity)
          var local = writer
          for index in first..<end { numbers[index].put(in: &local) }
          writer = local
          first = end
        }
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
  func write(to writer: inout CBORWriter, _ options: CBOREncoder.Options) {
    writer.reserve(CBORWriter.headerCapacity)
    put(in: &writer)
  }
}

extension Double: CBORNumber {
  @inline(__always) func put(in writer: inout CBORWriter) { writer.put(self) }
  static var arrayEncodingPlan: CBOREncodingPlan { CBORNumberArrayPlan(of: Self.self) }
}

extension Float: CBORNumber {
  @inline(__always) func put(in writer: inout CBORWriter) { writer.put(self) }
  static var arrayEncodingPlan: CBOREncodingPlan { CBORNumberArrayPlan(of: Self.self) }
}

extension CBORNumber where Self: FixedWidthInteger {
  @inline(__always) func put(in writer: inout CBORWriter) {
    if Self.isSigned {
      writer.put(Int64(truncatingIfNeeded: self))
    } else {
      writer.put(.unsignedInteger, UInt64(truncatingIfNeeded: self))
    }
  }
}

extension Int: CBORNumber {
  static var arrayEncodingPlan: CBOREncodingPlan { CBORNumberArrayPlan(of: Self.self) }
}

extension Int8: CBORNumber {
  static var arrayEncodingPlan: CBOREncodingPlan { CBORNumberArrayPlan(of: Self.self) }
}

extension Int16: CBORNumber {
  static var arrayEncodingPlan: CBOREncodingPlan { CBORNumberArrayPlan(of: Self.self) }
}

extension Int32: CBORNumber {
  static var arrayEncodingPlan: CBOREncodingPlan { CBORNumberArrayPlan(of: Self.self) }
}

extension Int64: CBORNumber {
  static var arrayEncodingPlan: CBOREncodingPlan { CBORNumberArrayPlan(of: Self.self) }
}

extension UInt: CBORNumber {
  static var arrayEncodingPlan: CBOREncodingPlan { CBORNumberArrayPlan(of: Self.self) }
}

extension UInt8: CBORNumber {
  static var arrayEncodingPlan: CBOREncodingPlan { CBORNumberArrayPlan(of: Self.self) }
}

extension UInt16: CBORNumber {
  static var arrayEncodingPlan: CBOREncodingPlan { CBORNumberArrayPlan(of: Self.self) }
}

extension UInt32: CBORNumber {
  static var arrayEncodingPlan: CBOREncodingPlan { CBORNumberArrayPlan(of: Self.self) }
}

extension UInt64: CBORNumber {
  static var arrayEncodingPlan: CBOREncodingPlan { CBORNumberArrayPlan(of: Self.self) }
}
