// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// The extra fields of a header that are of use here; others are passed by.
struct ZipExtraFields: Sendable {
  private(set) var zip64: ZipCursor?
  private(set) var timestamp: ZipCursor?

  init(_ bytes: ArraySlice<UInt8>, at offset: Int64) throws(FolderArchiveError) {
    var cursor = ZipCursor(bytes, at: offset)
    // Some writers fill up with zeros to where they want the content to be.
    while cursor.count >= 4 {
      let start = cursor.offset
      let id = try cursor.next(UInt16.self)
      let length = Int(try cursor.next(UInt16.self))
      let field = ZipCursor(try cursor.take(length), at: start + 4)
      switch id {
      case ZipFormat.Extra.zip64:
        // Of two, different readers would believe different ones.
        guard zip64 == nil else { throw FolderArchiveError(.malformed, "there are two zip64 fields", at: start) }
        zip64 = field
      case ZipFormat.Extra.timestamp: timestamp = field
      default: break
      }
    }
  }

  /// Seconds since 1970 began.
  var modified: Int64? {
    guard var field = timestamp, let flags = try? field.next(UInt8.self), flags & 1 == 1,
      let seconds = try? field.next(UInt32.self)
    else { return nil }
    return Int64(Int32(bitPattern: seconds))
  }

  /// The number that a field of 4 bytes stands for; asked in the order of the format, each takes the next one.
  mutating func number(_ field: UInt32) throws(FolderArchiveError) -> Int64 {
    guard field == ZipFormat.elsewhere32, zip64 != nil else { return Int64(field) }
    return try zip64?.nextCount() ?? Int64(field)
  }
}
