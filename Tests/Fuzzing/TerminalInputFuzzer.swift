// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

// The entry point of libFuzzer, which .ci/fuzz builds and runs. The input of a terminal must have the same parts in
// chunks of any length, and the key Control-C must arrive after it.

/// - Returns: 0, as libFuzzer requires.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafeRawPointer?, _ count: Int) -> CInt {
  let bytes = Array(UnsafeRawBufferPointer(start: start, count: count))
  let whole = parts(of: bytes, length: max(1, count))
  guard case .bytes(let last)? = whole.last, last.last == 3 else { fatalError("the last key is lost") }
  guard whole == parts(of: bytes, length: 7) else { fatalError("the parts depend on the chunks") }
  for case .message(let message) in whole {
    guard message.payload.count <= TerminalMessage.maximumPayload else { fatalError("the payload is too long") }
    check(message)
  }
  return 0
}

/// Returns the parts of an input that ends with Control-C, with the bytes of adjacent keys joined.
private func parts(of bytes: [UInt8], length: Int) -> [TerminalInput] {
  var parser = TerminalInputParser(clipboardLimit: 3000)
  var parts: [TerminalInput] = []
  var rest = bytes[...]
  while !rest.isEmpty {
    append(parser.parse(Array(rest.prefix(length))), to: &parts)
    rest = rest.dropFirst(length)
  }
  append(parser.parse([3]), to: &parts)
  return parts
}

private func append(_ inputs: [TerminalInput], to parts: inout [TerminalInput]) {
  for input in inputs {
    if case .bytes(let new) = input, case .bytes(let former)? = parts.last {
      parts[parts.count - 1] = .bytes(former + new)
    } else {
      parts.append(input)
    }
  }
}

/// Encodes a message and parses it again.
private func check(_ message: TerminalMessage) {
  var sent = message
  (sent.hasMore, sent.isContinuation) = (false, false)
  sent.payload.removeAll { $0 < 0x20 || $0 == 0x7F }
  var parser = TerminalInputParser()
  let encoder = TerminalEncoder(client: sent.client)
  guard parser.parse(encoder.encode(sent)) == [.message(sent)] else { fatalError("\(sent) changes in a round trip") }
  var decoder = TerminalBase64.Decoder()
  guard let data = try? decoder.decode(message.payload), let end = try? decoder.finish() else { return }
  _ = TerminalErrorReport(parsing: data + end)
  guard let again = try? decoder.decode(TerminalBase64.encode(data + end)), let rest = try? decoder.finish(),
    again + rest == data + end
  else { fatalError("base64 changes in a round trip") }
}
