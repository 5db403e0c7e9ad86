// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem

/// The blocks of a tar archive (POSIX.1-2017, pax: ustar interchange format), with the forms of GNU tar.
enum TarFormat {
  /// The size of a header; content is padded to a multiple of it.
  static let blockSize = 512
  /// The largest number of the 11 octal digits of a size or a time.
  static let largestOctal: Int64 = 0o77_777_777_777
  /// The largest number of the 7 octal digits of an owner or a group.
  static let largestShortOctal: UInt32 = 0o7_777_777
  /// Two of these blocks end an archive.
  static let zeroBlock = [UInt8](repeating: 0, count: blockSize)

  /// A field of a header: its offset and its length.
  typealias Field = (offset: Int, count: Int)
  static let name: Field = (0, 100)
  static let mode: Field = (100, 8)
  static let owner: Field = (108, 8)
  static let group: Field = (116, 8)
  static let size: Field = (124, 12)
  static let modified: Field = (136, 12)
  static let checksum: Field = (148, 8)
  static let target: Field = (157, 100)
  static let magic: Field = (257, 8)
  static let prefix: Field = (345, 155)

  /// The kind of a member.
  enum Kind {
    static let file = UInt8(ascii: "0")
    static let hardLink = UInt8(ascii: "1")
    static let symbolicLink = UInt8(ascii: "2")
    static let folder = UInt8(ascii: "5")
    static let pax = UInt8(ascii: "x")
  }

  /// Returns the number of zeros after `count` bytes of content, which fill the last block.
  static func padding(_ count: Int64) -> Int { Int(-count & Int64(blockSize - 1)) }

  /// Returns the sum of a header's bytes, with the checksum itself as spaces.
  ///
  /// Some old programs add the bytes as signed numbers.
  static func checksum(of header: UnsafeRawBufferPointer, isSigned: Bool = false) -> Int64 {
    var sum: Int64 = 8 * 0x20
    for byte in header { sum += isSigned ? Int64(Int8(bitPattern: byte)) : Int64(byte) }
    for index in checksum.offset..<checksum.offset + checksum.count {
      sum -= isSigned ? Int64(Int8(bitPattern: header[index])) : Int64(header[index])
    }
    return sum
  }

  /// Returns the number in a field: octal digits, or a two's complement number after a byte of 80 or FF (hexadecimal).
  ///
  /// - Returns: `nil` for other text, or for a number that exceeds 63 bits.
  static func number(_ bytes: Slice<UnsafeRawBufferPointer>) -> Int64? {
    guard let first = bytes.first else { return nil }
    if first == 0x80 || first == 0xFF {
      return bytes.dropFirst().reduce(first == 0xFF ? -1 : 0 as Int64?) { number, byte in
        guard let number, (number << 8) >> 8 == number else { return nil }
        return number << 8 | Int64(byte)
      }
    }
    var number: Int64 = 0
    var digits = bytes.drop { $0 == 0x20 }
    while let digit = digits.first, digit != 0, digit != 0x20 {
      guard (0x30...0x37).contains(digit), number <= .max >> 3 else { return nil }
      number = number << 3 | Int64(digit - 0x30)
      digits = digits.dropFirst()
    }
    return digits.allSatisfy { $0 == 0 || $0 == 0x20 } ? number : nil
  }

  /// Returns the text of a field, up to its first zero byte.
  static func text(_ bytes: Slice<UnsafeRawBufferPointer>) -> Slice<UnsafeRawBufferPointer> {
    bytes.prefix { $0 != 0 }
  }
}

/// A header to write.
struct TarHeader {
  var name: ArraySlice<UInt8> = []
  var prefix: ArraySlice<UInt8> = []
  var kind = TarFormat.Kind.file
  var permissions: UInt32 = 0
  var owner: UInt32 = 0
  var group: UInt32 = 0
  var size: Int64 = 0
  var modified: Int64 = 0
  var target: ArraySlice<UInt8> = []

  /// Appends the block.
  ///
  /// A number beyond its field becomes 0, and a longer name is truncated.
  func append(to output: inout [UInt8]) {
    let start = output.count
    output += TarFormat.zeroBlock
    output.withUnsafeMutableBytes { output in
      let block = UnsafeMutableRawBufferPointer(rebasing: output[start...])
      func put(_ bytes: some Collection<UInt8>, _ field: TarFormat.Field) {
        UnsafeMutableRawBufferPointer(rebasing: block[field.offset..<field.offset + field.count])
          .copyBytes(from: bytes.prefix(field.count))
      }
      func put(octal number: Int64, _ field: TarFormat.Field, digits: Int) {
        var rest = number >> (3 * digits) == 0 ? number : 0
        for index in (field.offset..<field.offset + digits).reversed() {
          block[index] = 0x30 | UInt8(rest & 7)
          rest >>= 3
        }
      }
      put(name, TarFormat.name)
      put(octal: Int64(permissions), TarFormat.mode, digits: 7)
      put(octal: Int64(owner), TarFormat.owner, digits: 7)
      put(octal: Int64(group), TarFormat.group, digits: 7)
      put(octal: size, TarFormat.size, digits: 11)
      put(octal: modified, TarFormat.modified, digits: 11)
      block[TarFormat.checksum.offset + 7] = 0x20
      block[TarFormat.target.offset - 1] = kind
      put(target, TarFormat.target)
      put("ustar\0".utf8, TarFormat.magic)
      put("00".utf8, (TarFormat.magic.offset + 6, 2))
      put(prefix, TarFormat.prefix)
      let sum = TarFormat.checksum(of: UnsafeRawBufferPointer(block))
      put(octal: sum, TarFormat.checksum, digits: 6)
    }
  }

  /// Splits a path into the two fields of a header.
  ///
  /// - Returns: `nil` if the path needs a pax record.
  static func split(_ path: ArraySlice<UInt8>) -> (name: ArraySlice<UInt8>, prefix: ArraySlice<UInt8>)? {
    guard path.allSatisfy({ $0 < 0x80 }) else { return nil }
    if path.count <= TarFormat.name.count { return (path, []) }
    // The slash between the fields is not stored; the slash at the end of a folder's name is.
    let earliest = path.endIndex - TarFormat.name.count - 1
    let latest = min(path.startIndex + TarFormat.prefix.count, path.endIndex - 2)
    guard earliest <= latest,
      let slash = path[earliest...latest].firstIndex(of: FolderEntryPath.separator), slash > path.startIndex
    else { return nil }
    return (path[(slash + 1)...], path[..<slash])
  }
}

/// A part of a sparse file that has data.
struct TarSegment: Sendable, Hashable {
  /// The offset in the file.
  var offset: Int64
  var count: Int64
}

/// A member of an archive.
struct TarMember {
  enum Kind { case file, folder, symbolicLink, hardLink }

  var path: FolderEntryPath
  var kind = Kind.file
  /// The size of the file, with its holes.
  var size: Int64 = 0
  var permissions: UInt32 = 0
  var modified: FileTime?
  /// The text of a symbolic link, or the path to which a hard link refers.
  var target: [UInt8] = []
  var owner: UInt32 = 0
  var group: UInt32 = 0
  var attributes: [PaxAttributes.Extended] = []
}
