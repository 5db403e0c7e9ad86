// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials

extension Bool: CBORReadableItem {
  static func read(
    _ input: CBORInput, _ offset: inout Int, _ options: CBORDecoder.Options
  ) throws(CBORFault) -> Bool { try input.boolean(&offset) }
}

extension String: CBORReadableItem {
  static func read(
    _ input: CBORInput, _ offset: inout Int, _ options: CBORDecoder.Options
  ) throws(CBORFault) -> String { try input.text(&offset) }
}

extension Double: CBORReadableItem {
  static func read(
    _ input: CBORInput, _ offset: inout Int, _ options: CBORDecoder.Options
  ) throws(CBORFault) -> Double { try input.double(&offset) }
}

extension Float: CBORReadableItem {
  static func read(
    _ input: CBORInput, _ offset: inout Int, _ options: CBORDecoder.Options
  ) throws(CBORFault) -> Float { try input.float(&offset) }
}

extension CBORReadableItem where Self: FixedWidthInteger {
  static func read(
    _ input: CBORInput, _ offset: inout Int, _ options: CBORDecoder.Options
  ) throws(CBORFault) -> Self { try input.integer(&offset) }
}

extension Int: CBORReadableItem {}
extension Int8: CBORReadableItem {}
extension Int16: CBORReadableItem {}
extension Int32: CBORReadableItem {}
extension Int64: CBORReadableItem {}
extension Int128: CBORReadableItem {}
extension UInt: CBORReadableItem {}
extension UInt8: CBORReadableItem {}
extension UInt16: CBORReadableItem {}
extension UInt32: CBORReadableItem {}
extension UInt64: CBORReadableItem {}
extension UInt128: CBORReadableItem {}

extension Data: CBORReadableItem {
  static func read(
    _ input: CBORInput, _ offset: inout Int, _ options: CBORDecoder.Options
  ) throws(CBORFault) -> Data {
    let start = offset
    let header = try input.untaggedHeader(&offset)
    if options.isFromJSON, header.major == .textString, !header.isIndefinite {
      let length = try input.length(header, start, offset)
      defer { offset += length }
      return try base64(UnsafeRawBufferPointer(start: input.base + offset, count: length), start)
    }
    guard header.major == .byteString else { throw input.mismatch(header, "a byte string", start) }
    var data = Data()
    try input.forEachByteRun(.byteString, header, start, &offset) { bytes, start throws(CBORFault) in
      let length = data.count + bytes.count
      if length > input.lengthLimit { throw input.tooLong(length, start) }
      guard let source = bytes.baseAddress else { return }
      if data.isEmpty {
        data = Data(bytes: source, count: bytes.count)
      } else {
        data.append(contentsOf: bytes)
      }
    }
    return data
  }

  private static func base64(_ text: UnsafeRawBufferPointer, _ start: Int) throws(CBORFault) -> Data {
    guard let source = text.baseAddress else { return Data() }
    // The view does not outlive this call, and the bytes are not copied.
    let view = Data(bytesNoCopy: UnsafeMutableRawPointer(mutating: source), count: text.count, deallocator: .none)
    guard let data = Data(base64Encoded: view) else { throw CBORFault(at: start, "text that is not base64") }
    return data
  }
}

extension URL: CBORReadableItem {
  /// Decodes text, with or without tag 32.
  static func read(
    _ input: CBORInput, _ offset: inout Int, _ options: CBORDecoder.Options
  ) throws(CBORFault) -> URL {
    let start = offset
    guard let url = URL(string: try input.text(&offset)) else {
      throw CBORFault(at: start, "text that is not a URL")
    }
    return url
  }
}

extension UUID: CBORReadableItem {
  /// Decodes 16 bytes, with or without tag 37, or text of 36 characters.
  static func read(
    _ input: CBORInput, _ offset: inout Int, _ options: CBORDecoder.Options
  ) throws(CBORFault) -> UUID {
    let start = offset
    let header = try input.untaggedHeader(&offset)
    offset = start
    if header.major == .textString {
      let text = try input.text(&offset)
      if let uuid = UUID(uuidString: text) { return uuid }
      throw CBORFault(at: start, "text that is not a UUID")
    }
    let bytes = try Data.read(input, &offset, options)
    guard bytes.count == 16 else { throw CBORFault(at: start, "\(bytes.count) bytes; a UUID has 16") }
    return UUID(uuid: bytes.withUnsafeBytes { $0.loadUnaligned(as: uuid_t.self) })
  }
}

extension Decimal: CBORReadableItem {
  /// Decodes tag 4 with an exponent of ten and an integer, or a number without this tag.
  static func read(
    _ input: CBORInput, _ offset: inout Int, _ options: CBORDecoder.Options
  ) throws(CBORFault) -> Decimal {
    let start = offset
    let (header, tag) = try input.taggedHeader(&offset)
    guard tag == CBORTag.decimalFraction else {
      offset = start
      return try number(header, input, &offset)
    }
    let count = header.major == .array && !header.isIndefinite ? header.argument : 0
    guard count == 2 else { throw CBORFault(at: start, "a decimal fraction that is not an array of two integers") }
    let exponent: Int = try input.integer(&offset)
    // Decimal has 128 bits of digits and an exponent of 8 bits.
    guard (-128...127).contains(exponent) else {
      throw CBORFault(at: start, "10^\(exponent) is out of the range of Decimal")
    }
    return try integer(input, &offset, exponent: exponent, start)
  }

  private static func number(
    _ header: CBORHeader, _ input: CBORInput, _ offset: inout Int
  ) throws(CBORFault) -> Decimal {
    guard header.major == .simple, !header.isNull else { return try integer(input, &offset, exponent: 0, offset) }
    let start = offset
    let number = try input.double(&offset)
    if number.isNaN { return .nan }
    // `description` has the fewest digits that identify the number.
    guard number.isFinite, let decimal = Decimal(string: number.description) else {
      throw CBORFault(at: start, "\(number) is out of the range of Decimal")
    }
    return decimal
  }

  private static func integer(
    _ input: CBORInput, _ offset: inout Int, exponent: Int, _ start: Int
  ) throws(CBORFault) -> Decimal {
    let (isNegative, argument) = try input.wideInteger(&offset)
    // Decimal gives access to its 128 bits only as digits.
    let (magnitude, overflow) = argument.addingReportingOverflow(isNegative ? 1 : 0)
    let sign = isNegative ? "-" : ""
    if overflow { throw CBORFault(at: start, "-2^128 is out of the range of Decimal") }
    guard let significand = Decimal(string: magnitude.description) else {
      throw CBORFault(at: start, "\(sign)\(magnitude) is out of the range of Decimal")
    }
    let decimal = Decimal(sign: isNegative ? .minus : .plus, exponent: exponent, significand: significand)
    guard !decimal.isNaN else {
      throw CBORFault(at: start, "\(sign)\(magnitude) · 10^\(exponent) is out of the range of Decimal")
    }
    return decimal
  }
}

extension Date: CBORReadableItem {
  /// Decodes a date with tag 0 or 1, or seconds since 2001 without a tag if the options allow them.
  static func read(
    _ input: CBORInput, _ offset: inout Int, _ options: CBORDecoder.Options
  ) throws(CBORFault) -> Date {
    let start = offset
    let (header, tag) = try input.taggedHeader(&offset)
    offset = start
    switch tag {
    case CBORTag.dateText:
      let text = try input.text(&offset)
      if let date = CBORDateText.date(from: text) { return date }
      throw CBORFault(at: start, "text that is not a date with a time and an offset (RFC 3339)")
    case CBORTag.epochDate:
      return Date(timeIntervalSince1970: try seconds(input, &offset))
    default:
      guard options.dateDecodingStrategy == .deferredToDate else {
        throw input.mismatch(header, "a date with tag 0 or 1", start)
      }
      return Date(timeIntervalSinceReferenceDate: try seconds(input, &offset))
    }
  }

  private static func seconds(_ input: CBORInput, _ offset: inout Int) throws(CBORFault) -> Double {
    let start = offset
    let seconds = try input.double(&offset)
    guard seconds.isFinite else {
      throw CBORFault(at: start, "a date at \(seconds) seconds, which is not a finite number")
    }
    return seconds
  }
}
