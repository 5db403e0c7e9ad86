// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// A table of the encoded names of the keys of one type.
///
/// Each key of the type is one byte in memory, and the byte is the index of its name. The only key of a type without
/// memory has the index 0.
///
/// Most keys are cases of a small enumeration. Getting and encoding the text of a key costs more than copying the
/// result, so each session does it once. Larger key types have no table.
class CBORKeyNames {
  /// An encoded name: a header and UTF-8.
  struct Name {
    var bytes: UnsafeMutableRawPointer?
    /// The length of header and text in bytes; 0 if the name has not been encoded yet.
    var count = 0
    private(set) var textCount: Int32 = 0
    /// The rank of the key in the order of the table.
    ///
    /// Keys with equal names have the rank of the key that was encoded first.
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

  /// The 256 names; names that have not been encoded yet have a `count` of 0.
  let names: UnsafeMutablePointer<Name>

  init() {
    names = .allocate(capacity: 256)
    names.initialize(repeating: Name(), count: 256)
  }

  deinit {
    for index in 0..<256 { free(names[index].bytes) }
    names.deallocate()
  }

  /// Returns the name of `key`, which must have the table's type.
  @inline(__always)
  final func name<Key: CodingKey>(of key: Key) -> Name {
    let byte = Self.byte(of: key)
    let name = names[Int(byte)]
    if _fastPath(name.count != 0) { return name }
    return add(key.stringValue, byte)
  }

  @inline(never)
  private final func add(_ text: String, _ byte: UInt8) -> Name {
    var writer = CBORWriter(capacity: text.utf8.count + CBORWriter.headerCapacity)
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

  /// Returns the key whose memory is `byte`.
  func key(_ byte: UInt8) -> any CodingKey {
    fatalError("a subclass must override this method")
  }

  /// Returns the text of the key whose `intValue` is `number`; `nil` if there is no such key.
  func text(ofNumber number: Int) -> String? {
    fatalError("a subclass must override this method")
  }

  /// Returns the table for `type`; `nil` if its keys are larger than one byte or not plain bytes.
  static func table<Key: CodingKey>(for type: Key.Type) -> CBORKeyNames? {
    guard MemoryLayout<Key>.size <= 1, _isPOD(Key.self) else { return nil }
    return CBORKeyNameTable<Key>()
  }

  /// Returns the memory of `key`, whose type has a table.
  @inline(__always)
  private static func byte<Key: CodingKey>(of key: Key) -> UInt8 {
    // An enumeration with one case has no memory.
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
