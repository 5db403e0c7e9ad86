// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// The numbers of the zip format, as PKWARE's APPNOTE gives them.
enum ZipFormat {
  enum Signature {
    static let localHeader: UInt32 = 0x0403_4B50
    static let descriptor: UInt32 = 0x0807_4B50
    static let centralHeader: UInt32 = 0x0201_4B50
    static let end: UInt32 = 0x0605_4B50
    static let zip64End: UInt32 = 0x0606_4B50
    static let zip64Locator: UInt32 = 0x0706_4B50
  }

  /// The bytes of each record without what varies.
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

  /// The version of the format with folders, and the one with zip64.
  static let version: UInt16 = 20
  static let zip64Version: UInt16 = 45
  /// The last one that only adds what the flags and the method say too.
  static let latestVersion: UInt16 = 63
  static let unix: UInt16 = 3
  static let stored: UInt16 = 0
  static let folderAttribute: UInt32 = 0x10

  /// What a field of 2 or 4 bytes holds when the number is in a zip64 record instead.
  static let elsewhere16 = UInt16.max
  static let elsewhere32 = UInt32.max

  static func field16(_ number: Int) -> UInt16 { UInt16(exactly: number) ?? elsewhere16 }
  static func field32(_ number: Int64) -> UInt32 { UInt32(exactly: number) ?? elsewhere32 }

  /// Whether a field of 4 bytes cannot hold the number.
  static func needsZip64(_ number: Int64) -> Bool { number >= Int64(elsewhere32) }
}

/// Bytes of a record under construction.
struct ZipBytes: Sendable {
  private(set) var bytes: [UInt8] = []

  mutating func append(_ number: some FixedWidthInteger & UnsignedInteger) {
    withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
  }

  mutating func append(contentsOf more: some Sequence<UInt8>) {
    bytes.append(contentsOf: more)
  }
}

/// Reads a record's numbers one after another, and never past its end.
struct ZipCursor: Sendable {
  private var rest: ArraySlice<UInt8>
  /// Where in the archive the next byte is.
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

  /// A number of 8 bytes that is a size or an offset.
  mutating func nextCount() throws(FolderArchiveError) -> Int64 {
    let start = offset
    guard let number = Int64(exactly: try next(UInt64.self)) else {
      throw FolderArchiveError(.malformed, "a number is beyond every file's size", at: start)
    }
    return number
  }
}
