// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// A converter of JSON text to CBOR items, in one pass that validates every byte.
///
/// ```
///   JSON text ──> transcode ──> CBOR items ──> CBORDecoder ──> value
/// ```
///
/// Objects become maps with text keys, and arrays become arrays. A container with fewer than 24 entries gets a definite
/// length, which is stored into its header at its end; a longer one ends with a break. Integers of 64 bits stay
/// integers. Any other number becomes ``otherNumber``, which no type can be decoded from.
///
/// The converter has no errors. A caller that gets no result uses another parser for the text, which also reports the
/// fault. The converter therefore never accepts text that is not JSON, but it may refuse rare forms of JSON.
struct JSONTranscoder {
  /// The items of the text.
  let writer = UnsafeMutablePointer<CBORWriter>.allocate(capacity: 1)

  /// The maximum depth of nested arrays and objects.
  static let maximumDepth = 512

  /// The item for a number with a fraction or an exponent, for `-0`, and for an integer of more than 64 bits: the
  /// unassigned simple value 16.
  static let otherNumber: UInt8 = 0xF0

  /// An open array or object.
  private struct Level {
    /// The offset of the container's header among the items.
    let header: Int
    let isObject: Bool
    /// The number of complete values.
    var count = 0
  }

  init() {
    writer.initialize(to: CBORWriter())
  }

  func deallocate() {
    writer.pointee.deallocate()
    writer.deallocate()
  }

  /// Converts the value at the start of `text`, and returns its length in bytes.
  ///
  /// - Returns: The length; `nil` if the text does not begin with a complete JSON value of at most `depthLimit` nested
  ///   arrays and objects, or if a string is not Unicode text. Also for a number at the end of the text.
  func transcode(_ text: UnsafeRawBufferPointer, depthLimit: Int) -> Int? {
    let limit = min(depthLimit, Self.maximumDepth)
    var scan = JSONScan(text: text, writer: writer)
    var levels: [Level] = []
    while true {
      // A value begins here.
      guard let byte = scan.nextToken() else { return nil }
      switch byte {
      case UInt8(ascii: "\""):
        guard scan.string() else { return nil }
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        guard levels.count < limit else { return nil }
        let isObject = byte == UInt8(ascii: "{")
        levels.append(Level(header: writer.pointee.count, isObject: isObject))
        writer.pointee.write(byte: isObject ? CBORByte.emptyMap : CBORByte.emptyArray)
        guard let next = scan.peekToken() else { return nil }
        if next != (isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) {
          if isObject { guard scan.key() else { return nil } }
          continue
        }
        scan.position &+= 1
        levels.removeLast()
      case UInt8(ascii: "t"):
        guard scan.literal(0x6575_7274, 4, CBORByte.true) else { return nil }
      case UInt8(ascii: "f"):
        guard scan.literal(0x6573_6C61, 5, CBORByte.false) else { return nil }
      case UInt8(ascii: "n"):
        guard scan.literal(0x6C6C_756E, 4, CBORByte.null) else { return nil }
      default:
        guard scan.number() else { return nil }
      }
      // A value ended here. Each closing bracket ends a further value.
      while true {
        guard let last = levels.indices.last else { return scan.position }
        levels[last].count &+= 1
        let level = levels[last]
        guard let byte = scan.nextToken() else { return nil }
        if byte == UInt8(ascii: ",") {
          if level.isObject { guard scan.key() else { return nil } }
          break
        }
        guard byte == (level.isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) else { return nil }
        close(level)
        levels.removeLast()
      }
    }
  }

  /// Stores the number of entries in the header of a container.
  @inline(__always)
  private func close(_ level: Level) {
    let header = writer.pointee.base + level.header
    let kind: UInt8 = level.isObject ? CBORByte.emptyMap : CBORByte.emptyArray
    if _fastPath(level.count < 24) {
      header.storeBytes(of: kind | UInt8(truncatingIfNeeded: level.count), as: UInt8.self)
    } else {
      // A longer header would move all entries.
      header.storeBytes(of: kind | 31, as: UInt8.self)
      writer.pointee.write(byte: CBORByte.break)
    }
  }
}
