// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials

/// A type whose values are single data items.
protocol CBORWritableItem {
  /// Writes the item, or throws before it has written a byte.
  func write(to writer: inout CBORWriter, _ options: CBOREncoder.Options) throws(CBORUnwritable)
}

/// The reason why an item cannot be encoded, reported as an `EncodingError`.
struct CBORUnwritable: Error {
  let value: any Sendable
  let text: String
}

extension String: CBORWritableItem {
  func write(to writer: inout CBORWriter, _ options: CBOREncoder.Options) { writer.write(self) }
}

extension Bool: CBORWritableItem {
  func write(to writer: inout CBORWriter, _ options: CBOREncoder.Options) { writer.write(self) }
}

extension Double: CBORWritableItem {
  func write(to writer: inout CBORWriter, _ options: CBOREncoder.Options) { writer.write(self) }
}

extension Float: CBORWritableItem {
  func write(to writer: inout CBORWriter, _ options: CBOREncoder.Options) { writer.write(self) }
}

extension CBORWritableItem where Self: FixedWidthInteger {
  func write(to writer: inout CBORWriter, _ options: CBOREncoder.Options) { writer.write(self) }
}

extension Int: CBORWritableItem {}
extension Int8: CBORWritableItem {}
extension Int16: CBORWritableItem {}
extension Int32: CBORWritableItem {}
extension Int64: CBORWritableItem {}
extension Int128: CBORWritableItem {}
extension UInt: CBORWritableItem {}
extension UInt8: CBORWritableItem {}
extension UInt16: CBORWritableItem {}
extension UInt32: CBORWritableItem {}
extension UInt64: CBORWritableItem {}
extension UInt128: CBORWritableItem {}

extension Data: CBORWritableItem {
  /// Writes a byte string.
  func write(to writer: inout CBORWriter, _ options: CBOREncoder.Options) {
    withUnsafeBytes { writer.write(.byteString, $0) }
  }
}

extension URL: CBORWritableItem {
  /// Writes the absolute string as text with tag 32.
  func write(to writer: inout CBORWriter, _ options: CBOREncoder.Options) {
    writer.write(.tag, CBORTag.url)
    writer.write(absoluteString)
  }
}

extension UUID: CBORWritableItem {
  /// Writes 16 bytes with tag 37.
  func write(to writer: inout CBORWriter, _ options: CBOREncoder.Options) {
    writer.write(.tag, CBORTag.uuid)
    withUnsafeBytes(of: uuid) { writer.write(.byteString, $0) }
  }
}

extension Decimal: CBORWritableItem {
  /// Writes tag 4 with an exponent of ten and an integer (RFC 8949, section 3.4.4), or a floating-point number for NaN.
  func write(to writer: inout CBORWriter, _ options: CBOREncoder.Options) {
    guard !isNaN else { return writer.write(Double.nan) }
    writer.write(.tag, CBORTag.decimalFraction)
    writer.write(.array, 2)
    // Decimal gives access to its 128 bits only as digits.
    let magnitude = UInt128(significand.magnitude.description) ?? 0
    // Zero has the same value with any exponent, so the exponent 0 is written.
    writer.write(magnitude == 0 ? 0 : exponent)
    let isNegative = sign == .minus && magnitude > 0
    writer.writeInteger(isNegative: isNegative, argument: isNegative ? magnitude - 1 : magnitude)
  }
}

extension Date: CBORWritableItem {
  func write(to writer: inout CBORWriter, _ options: CBOREncoder.Options) throws(CBORUnwritable) {
    let seconds = timeIntervalSinceReferenceDate
    guard seconds.isFinite else {
      // The error contains the number and not the date, whose description would trap.
      throw CBORUnwritable(value: seconds, text: "a date at \(seconds) seconds, which is not a finite number")
    }
    switch options.dateEncodingStrategy {
    case .deferredToDate:
      writer.write(timeIntervalSinceReferenceDate)
    case .iso8601:
      guard let text = CBORDateText.text(of: self) else { return writeSeconds(to: &writer) }
      writer.write(.tag, CBORTag.dateText)
      writer.write(text)
    case .secondsSince1970:
      writeSeconds(to: &writer)
    }
  }

  /// Writes tag 1 with an integer for a whole second, otherwise with a floating-point number.
  private func writeSeconds(to writer: inout CBORWriter) {
    writer.write(.tag, CBORTag.epochDate)
    let seconds = timeIntervalSince1970
    if let whole = Int64(exactly: seconds) {
      writer.write(whole)
    } else {
      writer.write(seconds)
    }
  }
}
