// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Glibc

/// A message before its arguments are decoded.
package struct WaylandMessage: Sendable, Hashable {
  /// The number of the object.
  package let object: UInt32
  package let opcode: Int
  /// The bytes of the arguments.
  package let body: [UInt8]

  /// The length of the header, in bytes.
  package static let headerSize = 8
}

/// A decoder that splits the compositor's bytes into messages, and stores the descriptors that have arrived.
package struct WaylandDecoder: Sendable {
  private var buffer: [UInt8] = []
  private var head = 0
  private var descriptors = FIFOQueue<WaylandDescriptor>()
  /// The offset of the next message in the bytes from the compositor.
  private(set) var offset: UInt64 = 0

  /// Creates a decoder at the start of a connection.
  package init() {}

  /// The number of bytes that have arrived and have not been removed yet.
  var bufferedBytes: Int { buffer.count - head }
  /// The number of descriptors that no message has used yet.
  var descriptorCount: Int { descriptors.count }

  /// The maximum number of bytes that one call receives.
  private static let receivedBytes = 1 << 16

  /// Receives bytes and descriptors from the compositor.
  ///
  /// - Parameter body: A closure that receives into a buffer, appends descriptors, and returns the number of bytes. A
  ///   descriptor of -1 stands for descriptors that this process could not accept.
  /// - Returns: The number of bytes; `nil` if this process could not accept a descriptor.
  /// - Throws: The error of `body`.
  package mutating func receive<Failure: Error>(
    _ body: (UnsafeMutableRawBufferPointer, inout [CInt]) throws(Failure) -> Int
  ) throws(Failure) -> Int? {
    buffer.removeFirst(head)
    head = 0
    var received: [CInt] = []
    let start = buffer.count
    try buffer.append(addingCapacity: Self.receivedBytes) { (output) throws(Failure) in
      try output.withUnsafeMutableBufferPointer { (bytes, count) throws(Failure) in
        let room = UnsafeMutableRawBufferPointer(bytes)
        count = try body(UnsafeMutableRawBufferPointer(rebasing: room[..<Self.receivedBytes]), &received)
      }
    }
    for descriptor in received where descriptor >= 0 {
      descriptors.append(WaylandDescriptor(OwnedDescriptor(descriptor)))
    }
    return received.contains(-1) ? nil : buffer.count - start
  }

  /// Removes the next message.
  ///
  /// - Returns: The message, or `nil` until all its bytes have arrived.
  /// - Throws: `X11SyntaxError` for an invalid length.
  package mutating func next() throws(X11SyntaxError) -> WaylandMessage? {
    guard bufferedBytes >= WaylandMessage.headerSize else { return nil }
    var header = X11Reader(Array(buffer[head..<head + WaylandMessage.headerSize]))
    let object = try header.readHost32()
    let word = try header.readHost32()
    let size = Int(word >> 16)
    guard size >= WaylandMessage.headerSize, size % 4 == 0 else {
      throw X11SyntaxError(4, "message of \(size) bytes; the length must be a multiple of 4 and at least 8")
    }
    guard bufferedBytes >= size else { return nil }
    let body = Array(buffer[head + WaylandMessage.headerSize..<head + size])
    head += size
    offset += UInt64(size)
    return WaylandMessage(object: object, opcode: Int(word & 0xFFFF), body: body)
  }

  /// Removes the next descriptor.
  ///
  /// - Returns: The descriptor; `nil` if none has arrived.
  package mutating func nextDescriptor() -> WaylandDescriptor? { descriptors.popFirst() }
}

extension WaylandDecoder: ConnectionDecoder {
  mutating func receive(from socket: CInt) throws(SystemError) -> Int? {
    try receive { (buffer, descriptors) throws(SystemError) in
      try SystemCalls.receive(socket, buffer, descriptors: &descriptors, CInt(MSG_DONTWAIT))
    }
  }
}

extension X11Reader {
  /// Reads a number of 32 bits in the byte order of this machine.
  package mutating func readHost32() throws(X11SyntaxError) -> UInt32 { UInt32(littleEndian: try read32()) }

  /// Reads an array: its length, its bytes and padding.
  package mutating func readWaylandArray() throws(X11SyntaxError) -> ArraySlice<UInt8> {
    let bytes = try read(Int(try readHost32()))
    try skipPadding()
    return bytes
  }

  /// Reads a string that ends with a zero byte.
  ///
  /// - Returns: The string, with invalid UTF-8 repaired; `nil` if it is absent.
  package mutating func readWaylandString() throws(X11SyntaxError) -> String? {
    let start = offset
    let bytes = try readWaylandArray()
    guard let last = bytes.last else { return nil }
    guard last == 0, !bytes.dropLast().contains(0) else {
      throw X11SyntaxError(start, "string without a zero byte at its end, or with one inside")
    }
    return String(decoding: bytes.dropLast(), as: UTF8.self)
  }
}

extension X11Writer {
  /// Appends a number of 32 bits in the byte order of this machine.
  package mutating func writeHost32(_ value: UInt32) { write32(value.littleEndian) }

  /// Appends an array: its length, its bytes and padding.
  package mutating func writeWaylandArray(_ bytes: some Collection<UInt8>) {
    writeHost32(UInt32(bytes.count))
    write(bytes)
    pad()
  }

  /// Appends a string, or its absence.
  package mutating func writeWayland(_ string: String?) {
    writeWaylandArray(string.map { Array($0.utf8) + [0] } ?? [])
  }

  /// Appends a number in units of 1/256, restricted to the range of the wire.
  package mutating func writeFixed(_ value: Double) {
    // `Int32(exactly:)` of a number that is not finite is `nil`.
    let scaled = min(max((value * 256).rounded(), Double(Int32.min)), Double(Int32.max))
    writeHost32(UInt32(bitPattern: Int32(exactly: scaled) ?? 0))
  }
}
