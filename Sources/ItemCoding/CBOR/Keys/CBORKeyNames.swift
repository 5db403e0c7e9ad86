// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The encoded names of the keys of one type, by the one byte that tells such keys apart.
///
/// Nearly every key is a case of a small enumeration. To ask it for its text, and to encode that, costs more than to
/// write it; so both are done once a session. Keys of other sizes have no table.
class CBORKeyNames {
  /// A name as it is written: header and UTF-8.
  struct Name {
    /// At least ``CBORKeyNames/step`` bytes, so that short names can be copied as one block.
    var bytes: UnsafeMutableRawPointer?
    /// Header and text; 0 where the name is not known yet.
    var count = 0
    private(set) var textCount: Int32 = 0
    /// By which keys are told to be in order; that of the first key with the same name.
    private(set) var place: Int32 = 0

    var text: UnsafeRawBufferPointer {
      UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(start: bytes, count: count)[(count - Int(textCount))...])
    }

    init() {}

    init(bytes: UnsafeMutableRawPointer, count: Int, textCount: Int, place: Int) {
      self.bytes = bytes
      self.count = count
      self.textCount = Int32(textCount)
      self.place = Int32(place)
    }
  }

  /// How many bytes are copied at once.
  static let step = 32

  /// 256 names; those not yet asked for have a `count` of 0.
  let names: UnsafeMutablePointer<Name>

  init() {
    names = .allocate(capacity: 256)
    names.initialize(repeating: Name(), count: 256)
  }

  deinit {
    for index in 0..<256 { free(names[index].bytes) }
    names.deallocate()
  }

  /// The name of `key`, which is of the table's type.
  @inline(__always)
  final func name<Key: CodingKey>(of key: Key) -> Name {
    let byte = Self.byte(of: key)
    let name = names[Int(byte)]
    if _fastPath(name.count != 0) { return name }
    return add(key.stringValue, byte)
  }

  @inline(never)
  private final func add(_ text: String, _ byte: UInt8) -> Name {
    var writer = CBORWriter(capacity: text.utf8.count + CBORWriter.headerCapacity + Self.step)
    writer.write(text)
    let twin = (0..<256).first { place in
      guard names[place].count == writer.count, let bytes = names[place].bytes else { return false }
      return memcmp(bytes, writer.base, writer.count) == 0
    }
    let name = Name(
      bytes: writer.base, count: writer.count, textCount: text.utf8.count, place: twin ?? Int(byte))
    names[Int(byte)] = name
    return name
  }

  /// The very key that `byte` is.
  func key(_ byte: UInt8) -> any CodingKey {
    fatalError("a table is of one type of key")
  }

  /// The text of the key with `number`; `nil` where there is none.
  func text(ofNumber number: Int) -> String? {
    fatalError("a table is of one type of key")
  }

  /// The table for `type`, or `nil` where more than one byte tells its keys apart.
  static func table<Key: CodingKey>(for type: Key.Type) -> CBORKeyNames? {
    guard MemoryLayout<Key>.size <= 1, _isPOD(Key.self) else { return nil }
    return CBORKeyNameTable<Key>()
  }

  /// What tells `key` apart from the others of its type, which has a table.
  @inline(__always)
  private static func byte<Key: CodingKey>(of key: Key) -> UInt8 {
    // An enumeration with one case takes no memory.
    MemoryLayout<Key>.size == 0 ? 0 : unsafeBitCast(key, to: UInt8.self)
  }
}

private final class CBORKeyNameTable<Key: CodingKey>: CBORKeyNames {
  override func key(_ byte: UInt8) -> any CodingKey {
    MemoryLayout<Key>.size == 0 ? unsafeBitCast((), to: Key.self) : unsafeBitCast(byte, to: Key.self)
  }

  override func text(ofNumber number: Int) -> String? {
    Key(intValue: number)?.stringValue
  }
}

/// The tables of a session, by type of key.
struct CBORKeyNameTables {
  private var tables: [ObjectIdentifier: CBORKeyNames] = [:]
  /// What a program's own types come to; further ones have no table.
  private static let capacity = 256

  /// The table for `type`, which lives as long as the session.
  mutating func table<Key: CodingKey>(for type: Key.Type) -> CBORKeyNames? {
    let identifier = ObjectIdentifier(type)
    if let table = tables[identifier] { return table }
    guard tables.count < Self.capacity, let table = CBORKeyNames.table(for: type) else { return nil }
    tables[identifier] = table
    return table
  }
}
