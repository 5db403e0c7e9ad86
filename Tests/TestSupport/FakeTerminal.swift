// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

package import DropSystem
package import Foundation
internal import Glibc
internal import Synchronization
internal import Testing

/// A sequence OSC 72 of a program, parsed without the code under test.
package struct FakeMessage: Sendable {
  package var keys: [String: String]
  package var payload: [UInt8]

  package var kind: String { keys["t"] ?? "" }
  package var text: String { String(decoding: payload, as: UTF8.self) }
  package var hasMore: Bool { keys["m"] == "1" }
  package var isEnd: Bool { !hasMore && payload.isEmpty }

  package func number(_ key: String) -> Int { Int(keys[key] ?? "0") ?? 0 }
}

/// The terminal at the other end of a socket pair or a pseudo-terminal.
package final class FakeTerminal: Sendable {
  /// The messages of the program; a later chunk has the keys of the first.
  package let messages = AsyncQueue<FakeMessage>()
  /// The text that the program has written between the messages.
  package var shownText: String { shown.withLock { $0 } }
  private let shown = Lock("")
  private let descriptor: OwnedDescriptor
  private let interrupt: Interrupt
  private let hasEnded = Latch()

  /// Creates a terminal from its descriptor, with the bytes that answer the query.
  package init(_ descriptor: consuming OwnedDescriptor, answer: String? = "\u{1B}]72;t=q\u{1B}\\") throws {
    self.descriptor = descriptor
    interrupt = try Interrupt()
    BlockingExecutor.startThread { [self] in
      read(answer)
      messages.close()
      hasEnded.open()
    }
  }

  /// Ends the reading; the program still has a terminal.
  package func close() async {
    interrupt.raise()
    await hasEnded.wait()
  }

  /// Closes the terminal.
  package func hangUp() {
    _ = shutdown(descriptor.raw, CInt(SHUT_RDWR))
  }

  // MARK: Input from the program

  private func read(_ answer: String?) {
    var buffer: [UInt8] = []
    var first: FakeMessage?
    while true {
      var ready = [
        pollfd(fd: descriptor.raw, events: Int16(POLLIN), revents: 0),
        pollfd(fd: interrupt.descriptor, events: Int16(POLLIN), revents: 0),
      ]
      guard (try? SystemCalls.poll(&ready, -1)) ?? 0 > 0, ready[1].revents == 0,
        let bytes = try? readSome(descriptor.raw), !bytes.isEmpty
      else { return }
      buffer += bytes
      parse(&buffer, &first, answer)
    }
  }

  private func parse(_ buffer: inout [UInt8], _ first: inout FakeMessage?, _ answer: String?) {
    let start = Array("\u{1B}]72;".utf8)
    let clipboard = Array("\u{1B}]52;".utf8)
    var position = 0
    while let escape = buffer[position...].firstIndex(of: 0x1B) {
      let rest = buffer[escape...]
      if escape > position { show(buffer[position..<escape]) }
      position = escape
      if rest.starts(with: Array("\u{1B}[c".utf8)) {
        position += 3
        // A terminal without the protocol answers only this request.
        if let answer { write(answer.isEmpty || !answer.hasPrefix("\u{1B}]72") ? answer : "\u{1B}[?62;c") }
        continue
      }
      if rest.dropFirst().first == UInt8(ascii: "\\") {
        position += 2
        continue
      }
      if rest.dropFirst().first == UInt8(ascii: "[") {
        // The program draws.
        guard let end = rest.dropFirst(2).firstIndex(where: { (0x40...0x7E).contains($0) }) else { break }
        position = end + 1
        continue
      }
      if rest.starts(with: clipboard), let end = endOfCommand(in: rest) {
        messages.put(FakeMessage(keys: ["t": "52"], payload: Array(buffer[(escape + clipboard.count)..<end])))
        position = end + 2
        continue
      }
      guard rest.starts(with: start), let end = endOfCommand(in: rest) else { break }
      let body = buffer[(escape + start.count)..<end]
      position = end + 2
      let metadata = body.prefix { $0 != UInt8(ascii: ";") }
      var keys: [String: String] = [:]
      for pair in String(decoding: metadata, as: UTF8.self).split(separator: ":") {
        let parts = pair.split(separator: "=", maxSplits: 1)
        keys[String(parts[0])] = parts.count > 1 ? String(parts[1]) : ""
      }
      var message = FakeMessage(keys: keys, payload: Array(body.dropFirst(metadata.count + 1)))
      if let known = first {
        message.keys = known.keys
        message.keys["m"] = keys["m"]
      }
      first = message.hasMore ? first ?? message : nil
      if message.kind == "q" { if let answer { write(answer) } } else { messages.put(message) }
    }
    if position < buffer.count, buffer[position] != 0x1B {
      show(buffer[position...])
      position = buffer.count
    }
    buffer.removeFirst(position)
  }

  private func show(_ bytes: ArraySlice<UInt8>) {
    let text = String(decoding: bytes, as: UTF8.self)
    shown.withLock { $0 += text }
  }

  private func endOfCommand(in bytes: ArraySlice<UInt8>) -> Int? {
    var index = bytes.startIndex + 1
    while let escape = bytes[index...].firstIndex(of: 0x1B) {
      if escape + 1 < bytes.endIndex, bytes[escape + 1] == UInt8(ascii: "\\") { return escape }
      index = escape + 1
    }
    return nil
  }

  /// Waits for the next message.
  package func next(_ awaited: String = "a message of the program") async throws -> FakeMessage {
    let messages = messages
    guard let message = try await finishing(awaited, { await messages.next() }) else {
      throw FakeTerminalEnded(awaited: awaited)
    }
    return message
  }

  /// Waits for the next message of a kind, and ignores others.
  package func next(kind: String) async throws -> FakeMessage {
    while true {
      let message = try await next("a message of the kind \(kind)")
      if message.kind == kind { return message }
    }
  }

  /// Returns the rest of a text that arrives in chunks.
  package func text(of first: FakeMessage) async throws -> String {
    var (message, payload) = (first, first.payload)
    while message.hasMore {
      message = try await next()
      payload += message.payload
    }
    return String(decoding: payload, as: UTF8.self)
  }

  /// Returns data up to its end: an empty message that no other chunk continues.
  package func data(of first: FakeMessage) async throws -> Data {
    var (message, data, text) = (first, Data(), [UInt8]())
    while !message.isEnd {
      text += message.payload
      if !message.hasMore {
        data += try #require(Data(base64Encoded: Data(text)))
        text = []
      }
      message = try await next("data for \(first.keys)")
    }
    return data
  }

  // MARK: Output to the program

  /// Writes bytes to the program; they count as typed by the user, unless they are a sequence.
  package func write(_ text: String) {
    var rest = Array(text.utf8)[...]
    // The program may have closed its end.
    while !rest.isEmpty, let count = try? rest.withUnsafeBytes({ try SystemCalls.writeSilently(descriptor.raw, $0) }) {
      rest = rest.dropFirst(count)
    }
  }

  /// Sends a message without a payload, or with a text.
  package func send(_ metadata: String, _ payload: String = "") {
    write("\u{1B}]72;\(metadata)" + (payload.isEmpty ? "" : ";\(payload)") + "\u{1B}\\")
  }

  /// Sends data in chunks, and its end.
  ///
  /// If `isCut`, each chunk is a message of its own, without padding, as kitty sends it.
  package func send(_ metadata: String, data: Data, isCut: Bool = false) async throws {
    try await onThread { [self] in
      var rest = data[...]
      while !rest.isEmpty {
        let chunk = rest.prefix(isCut ? 3071 : 3072)
        rest = rest.dropFirst(chunk.count)
        let text = chunk.base64EncodedString()
        send("\(metadata):m=\(rest.isEmpty || isCut ? 0 : 1)", isCut ? text.filter { $0 != "=" } : text)
      }
      send(metadata)
    }
  }
}

/// The error that the program has closed the terminal, or that a message did not arrive.
package struct FakeTerminalEnded: Error {
  package let awaited: String
}
