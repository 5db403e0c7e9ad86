// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem

/// The constants of the zip format, from PKWARE's APPNOTE.
enum ZipFormat {
  enum Signature {
    static let localHeader: UInt32 = 0x0403_4B50
    static let descriptor: UInt32 = 0x0807_4B50
    static let centralHeader: UInt32 = 0x0201_4B50
    static let end: UInt32 = 0x0605_4B50
    static let zip64End: UInt32 = 0x0606_4B50
    static let zip64Locator: UInt32 = 0x0706_4B50
  }

  /// The lengths of the fixed parts of the records, in bytes.
  enum Length {
    static let localHeader = 30
    static let centralHeader = 46
    static let end = 22
    static let zip64End = 56
    static let zip64Locator = 20
  }

  enum Extra {
    static let zip64: UInt16 = 0x0001
    static let timestamp: UInt16 = 0x5455
  }

  enum Flag {
    static let encrypted: UInt16 = 1 << 0
    /// The CRC follows the content.
    static let descriptor: UInt16 = 1 << 3
    static let patch: UInt16 = 1 << 5
    static let stronglyEncrypted: UInt16 = 1 << 6
    static let utf8: UInt16 = 1 << 11
    static let maskedHeaders: UInt16 = 1 << 13
  }

  /// The format versions that introduced folders and zip64.
  static let version: UInt16 = 20
  static let zip64Version: UInt16 = 45
  /// The last version whose additions are all visible in the flags and the method.
  static let latestVersion: UInt16 = 63
  static let unix: UInt16 = 3
  static let stored: UInt16 = 0
  static let folderAttribute: UInt32 = 0x10

  /// The value of a field of 2 or 4 bytes whose number is in a zip64 record instead.
  static let elsewhere16 = UInt16.max
  static let elsewhere32 = UInt32.max

  static func field16(_ number: Int) -> UInt16 { UInt16(exactly: number) ?? elsewhere16 }
  static func field32(_ number: Int64) -> UInt32 { UInt32(exactly: number) ?? elsewhere32 }

  /// Whether a number exceeds the range of a field of 4 bytes.
  static func needsZip64(_ number: Int64) -> Bool { number >= Int64(elsewhere32) }
}

/// A record under construction.
struct ZipBytes: Sendable {
  private(set) var bytes: [UInt8] = []

  mutating func append(_ number: some FixedWidthInteger & UnsignedInteger) {
    withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
  }

  mutating func append(contentsOf more: some Sequence<UInt8>) {
    bytes.append(contentsOf: more)
  }
}

/// Reads the numbers of a record one after another, within its bounds.
struct ZipCursor: Sendable {
  private var rest: ArraySlice<UInt8>
  /// The offset of the next byte in the archive.
  private(set) var offset: Int64

  init(_ bytes: some Sequence<UInt8>, at offset: Int64) {
    rest = ArraySlice(bytes)
    self.offset = offset
  }

  var count: Int { rest.count }

  mutating func take(_ count: Int) throws(FolderArchiveError) -> ArraySlice<UInt8> {
    guard count <= rest.count else { throw FolderArchiveError(.malformed, "a record is too short", at: offset) }
    defer {
      rest = rest.dropFirst(count)
      offset += Int64(count)
    }
    return rest.prefix(count)
  }

  mutating func next<Number: FixedWidthInteger & UnsignedInteger>(
    _ type: Number.Type = Number.self
  ) throws(FolderArchiveError) -> Number {
    try take(MemoryLayout<Number>.size).reversed().reduce(0) { $0 << 8 | Number($1) }
  }

  /// Reads a number of 8 bytes that is a size or an offset.
  mutating func nextCount() throws(FolderArchiveError) -> Int64 {
    let start = offset
    guard let number = Int64(exactly: try next(UInt64.self)) else {
      throw FolderArchiveError(.malformed, "a size or an offset exceeds the range of a file", at: start)
    }
    return number
  }
}

/// The supported extra fields of a header; others are skipped.
struct ZipExtraFields: Sendable {
  private(set) var zip64: ZipCursor?
  private(set) var timestamp: ZipCursor?

  init(_ bytes: ArraySlice<UInt8>, at offset: Int64) throws(FolderArchiveError) {
    var cursor = ZipCursor(bytes, at: offset)
    // Some writers pad with zeros to align the content.
    while cursor.count >= 4 {
      let start = cursor.offset
      let id = try cursor.next(UInt16.self)
      let length = Int(try cursor.next(UInt16.self))
      let field = ZipCursor(try cursor.take(length), at: start + 4)
      switch id {
      case ZipFormat.Extra.zip64:
        // With two fields, different readers would use different ones.
        guard zip64 == nil else { throw FolderArchiveError(.malformed, "there are two zip64 fields", at: start) }
        zip64 = field
      case ZipFormat.Extra.timestamp: timestamp = field
      default: break
      }
    }
  }

  /// Seconds since 1970-01-01 00:00:00 UTC.
  var modified: Int64? {
    guard var field = timestamp, let flags = try? field.next(UInt8.self), flags & 1 == 1,
      let seconds = try? field.next(UInt32.self)
    else { return nil }
    return Int64(Int32(bitPattern: seconds))
  }

  /// Returns the number for a field of 4 bytes.
  ///
  /// Call it in the order of the format: each zip64 number is used once.
  mutating func number(_ field: UInt32) throws(FolderArchiveError) -> Int64 {
    guard field == ZipFormat.elsewhere32, zip64 != nil else { return Int64(field) }
    return try zip64?.nextCount() ?? Int64(field)
  }
}

/// A buffered view of an archive.
///
/// It reads ahead, so that neighbouring records cost one system call.
///
/// The file must not become shorter: a window shows the content at the time of its read.
final class ZipWindow {
  /// The size of the archive, in bytes.
  let size: Int64
  private let descriptor: CInt
  private let readAhead: Int
  private var start: Int64 = 0
  private var content: [UInt8] = []

  /// Creates a view of an open file.
  ///
  /// The caller owns the descriptor.
  init(_ descriptor: CInt, size: Int64, readAhead: Int) {
    self.descriptor = descriptor
    self.size = size
    self.readAhead = readAhead
  }

  func bytes(at offset: Int64, count: Int) throws(FolderArchiveError) -> [UInt8] {
    guard offset >= 0, offset <= size, Int64(count) <= size - offset else {
      throw FolderArchiveError(.malformed, "a record reaches beyond the archive's end", at: offset)
    }
    if offset < start || offset + Int64(count) > start + Int64(content.count) {
      try fill(at: offset, count: Int(min(Int64(max(count, readAhead)), size - offset)))
    }
    let first = Int(offset - start)
    return Array(content[first..<first + count])
  }

  private func fill(at offset: Int64, count: Int) throws(FolderArchiveError) {
    let fresh = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 16)
    defer { fresh.deallocate() }
    var filled = 0
    while filled < count {
      let rest = UnsafeMutableRawBufferPointer(rebasing: fresh[filled...])
      let position = offset + Int64(filled)
      let read = try FolderArchiveError.wrapping(nil) { () throws(SystemError) in
        try SystemCalls.read(descriptor, rest, at: position)
      }
      guard read > 0 else {
        throw FolderArchiveError(.changedWhileRead, "the archive became shorter", at: offset + Int64(filled))
      }
      filled += read
    }
    start = offset
    content = Array(fresh)
  }
}
