// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

package import DisplayWire
internal import DropSystem
internal import Foundation
internal import Glibc
internal import Synchronization

/// A writer of D-Bus values in either byte order, for messages that may violate the protocol.
package struct BusBytes: Sendable {
  package var bytes: [UInt8] = []
  package let isBigEndian: Bool

  package init(isBigEndian: Bool = false) {
    self.isBigEndian = isBigEndian
  }

  package mutating func align(_ alignment: Int) {
    while !bytes.count.isMultiple(of: alignment) { bytes.append(0) }
  }

  package mutating func number(_ value: UInt32, then rest: [UInt8] = []) {
    align(4)
    let shifts: [UInt32] = isBigEndian ? [24, 16, 8, 0] : [0, 8, 16, 24]
    bytes += shifts.map { UInt8(truncatingIfNeeded: value >> $0) } + rest
  }

  package mutating func string(_ text: String, then rest: [UInt8] = []) {
    number(UInt32(text.utf8.count), then: Array(text.utf8) + [0] + rest)
  }

  package mutating func signature(_ text: String) {
    bytes += [UInt8(text.utf8.count)] + Array(text.utf8) + [0]
  }

  /// Writes an array of strings.
  package mutating func strings(_ texts: [String]) {
    var elements = BusBytes(isBigEndian: isBigEndian)
    for text in texts { elements.string(text) }
    number(UInt32(elements.bytes.count))
    bytes += elements.bytes
  }
}

/// The fields of a message for the client, which may violate the protocol.
package struct FakeBusMessage: Sendable {
  package var isBigEndian = false
  package var kind: UInt8
  package var serial: UInt32 = 7
  /// Texts of the types `s`, `o` and `g`.
  package var texts: [(code: UInt8, type: String, value: String)] = []
  /// Numbers of the type `u`.
  package var numbers: [(code: UInt8, value: UInt32)] = []
  package var body: [UInt8] = []

  /// Creates a response with the only value `body`, or an error.
  package init(responseTo serial: UInt32, error: String? = nil, signature: String = "", body: [UInt8] = []) {
    kind = error == nil ? 2 : 3
    numbers = [(5, serial)]
    if let error { texts.append((4, "s", error)) }
    if !signature.isEmpty { texts.append((8, "g", signature)) }
    self.body = body
  }

  /// Creates a signal, whose value is a string.
  package init(signal member: String, of interface: String, _ value: String) {
    kind = 4
    var body = BusBytes()
    body.string(value)
    texts = [(1, "o", "/org/example"), (2, "s", interface), (3, "s", member), (8, "g", "s")]
    self.body = body.bytes
  }

  /// The bytes of the message.
  package var encoded: [UInt8] {
    var fields = BusBytes(isBigEndian: isBigEndian)
    for (code, type, value) in texts {
      fields.align(8)
      fields.bytes.append(code)
      fields.signature(type)
      if type == "g" { fields.signature(value) } else { fields.string(value) }
    }
    for (code, value) in numbers {
      fields.align(8)
      fields.bytes.append(code)
      fields.signature("u")
      fields.number(value)
    }
    var message = BusBytes(isBigEndian: isBigEndian)
    message.bytes = [isBigEndian ? UInt8(ascii: "B") : UInt8(ascii: "l"), kind, 0, 1]
    for number in [UInt32(body.count), serial, UInt32(fields.bytes.count)] { message.number(number) }
    message.bytes += fields.bytes
    message.align(8)
    return message.bytes + body
  }
}

/// A call that a fake bus has received.
package struct FakeBusCall: Sendable {
  package let member: String
  package let serial: UInt32
  /// The signature of the arguments.
  package let signature: String
  /// The arguments.
  package let body: [UInt8]
  /// The paths of the descriptors, which the bus has closed.
  package let paths: [String]

  /// Returns the string of the arguments at an offset.
  package func string(at offset: Int = 0) -> String {
    guard let count = body.dropFirst(offset).first, offset + 4 + Int(count) <= body.count else { return "" }
    return String(decoding: body[offset + 4..<offset + 4 + Int(count)], as: UTF8.self)
  }
}

/// A message bus over a socket pair, which can violate the protocol in any way.
package final class FakeBus: Sendable {
  /// A closure that reacts to a call on the thread of the bus.
  package typealias Handler = @Sendable (FakeBusCall, FakeBus) -> Void

  private struct State {
    var calls: [FakeBusCall] = []
    var server: CInt = -1
    var connectionCount = 0
    var closedCount = 0
  }

  private let authentication: [UInt8]
  private let handler: Handler
  private let state = Lock(State())

  /// Creates a bus that responds to the authentication with a text.
  ///
  /// The handler gets all calls except `Hello`, unless the text is empty.
  package init(authentication: String = "OK 0123abcd\r\nAGREE_UNIX_FD\r\n", handler: @escaping Handler) {
    self.authentication = Array(authentication.utf8)
    self.handler = handler
  }

  /// The calls except `Hello`.
  package var calls: [FakeBusCall] { state.withLock { $0.calls } }
  /// The number of connections that clients have opened.
  package var connectionCount: Int { state.withLock { $0.connectionCount } }
  /// The number of connections that clients have closed.
  package var closedCount: Int { state.withLock { $0.closedCount } }

  /// Returns a client of this bus.
  package func connection(timeout: Duration = .seconds(60)) -> BusConnection {
    BusConnection(timeout: timeout) { (_) throws(DisplayError) in
      guard let (server, client) = try? SystemCalls.socketPair() else {
        throw DisplayError(.unreachable, "no socket pair")
      }
      self.state.withLock { state in
        state.server = server
        state.connectionCount += 1
      }
      BlockingExecutor.startThread { self.serve(OwnedDescriptor(server)) }
      return OwnedDescriptor(client)
    }
  }

  /// Sends bytes unchanged, with descriptors, to the last client.
  ///
  /// - Returns: Whether the client has accepted the bytes within a minute.
  @discardableResult
  package func send(_ bytes: [UInt8], descriptors: [CInt] = []) -> Bool {
    let server = state.withLock { $0.server }
    var sent = 0
    while sent < bytes.count {
      var ready = [pollfd(fd: server, events: Int16(POLLOUT), revents: 0)]
      guard (try? SystemCalls.poll(&ready, 60_000)) ?? 0 > 0 else { return false }
      let count = bytes[sent...].withUnsafeBytes { rest in
        try? SystemCalls.send(server, rest, with: sent == 0 ? descriptors : [])
      }
      guard let count else { return false }
      sent += count
    }
    return true
  }

  /// Responds to a call with a string, with strings, or without a value.
  package func respond(to call: FakeBusCall, string: String? = nil, strings: [String]? = nil) {
    var body = BusBytes()
    if let string { body.string(string) }
    if let strings { body.strings(strings) }
    let signature = string != nil ? "s" : strings != nil ? "as" : ""
    send(FakeBusMessage(responseTo: call.serial, signature: signature, body: body.bytes).encoded)
  }

  /// Responds to a call with an error.
  package func reject(_ call: FakeBusCall, _ name: String = "org.freedesktop.DBus.Error.AccessDenied") {
    var body = BusBytes()
    body.string("Invalid transfer")
    send(FakeBusMessage(responseTo: call.serial, error: name, signature: "s", body: body.bytes).encoded)
  }

  /// Closes the connection to the last client.
  package func close() {
    shutdown(state.withLock { $0.server }, CInt(SHUT_RDWR))
  }

  // MARK: Thread

  private func serve(_ socket: consuming OwnedDescriptor) {
    defer {
      shutdown(socket.raw, CInt(SHUT_RDWR))
      state.withLock { $0.closedCount += 1 }
    }
    var input: [UInt8] = []
    var descriptors: [CInt] = []
    var isAuthenticated = false
    while receive(socket.raw, &input, &descriptors) {
      if !isAuthenticated {
        let end = Array("BEGIN\r\n".utf8)
        guard let start = input.indices.first(where: { input[$0...].starts(with: end) }) else { continue }
        send(authentication)
        guard !authentication.isEmpty else { continue }
        isAuthenticated = true
        input.removeFirst(start + end.count)
      }
      while let call = Self.takeCall(&input, &descriptors) {
        if call.member == "Hello" {
          respond(to: call, string: ":1.1")
        } else {
          state.withLock { $0.calls.append(call) }
          handler(call, self)
        }
      }
    }
  }

  private func receive(_ socket: CInt, _ input: inout [UInt8], _ descriptors: inout [CInt]) -> Bool {
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = buffer.withUnsafeMutableBytes {
      (try? SystemCalls.receive(socket, $0, descriptors: &descriptors, 0)) ?? 0
    }
    input += buffer[..<count]
    return count > 0
  }

  /// Removes a complete call from the input, which the client writes in little-endian order.
  private static func takeCall(_ input: inout [UInt8], _ descriptors: inout [CInt]) -> FakeBusCall? {
    func number(_ offset: Int) -> Int { (0..<4).reduce(0) { $0 | Int(input[offset + $1]) << (8 * $1) } }
    guard input.count >= 16 else { return nil }
    let (bodyCount, serial, fieldCount) = (number(4), number(8), number(12))
    let start = 16 + (fieldCount + 7) & ~7
    guard input.count >= start + bodyCount else { return nil }
    var (texts, count, offset): ([UInt8: String], Int, Int) = ([:], 0, 16)
    while offset < 16 + fieldCount {
      let (code, type) = (input[offset], input[offset + 2])
      switch type {
      case UInt8(ascii: "u"):
        count = number(offset + 4)
        offset += 8
      case UInt8(ascii: "g"):
        let length = Int(input[offset + 4])
        texts[code] = String(decoding: input[offset + 5..<offset + 5 + length], as: UTF8.self)
        offset += 6 + length
      default:
        let length = number(offset + 4)
        texts[code] = String(decoding: input[offset + 8..<offset + 8 + length], as: UTF8.self)
        offset += 9 + length
      }
      offset = (offset + 7) & ~7
    }
    let paths = descriptors.prefix(count).map { descriptor in
      defer { try? SystemCalls.close(descriptor) }
      return (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(descriptor)")) ?? ""
    }
    descriptors.removeFirst(min(count, descriptors.count))
    let body = Array(input[start..<start + bodyCount])
    input.removeFirst(start + bodyCount)
    return FakeBusCall(
      member: texts[3] ?? "", serial: UInt32(serial), signature: texts[8] ?? "", body: body, paths: Array(paths))
  }
}
