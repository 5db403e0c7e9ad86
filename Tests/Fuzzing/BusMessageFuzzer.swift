// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

// The entry point of libFuzzer, which .ci/fuzz builds and runs. Every input must be a D-Bus message or a violation of the
// protocol. The values of a message must not be longer than the message.

/// - Returns: 0, as libFuzzer demands.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = Array(UnsafeBufferPointer(start: start, count: count))
  guard count >= BusMessage.prefixByteCount else { return 0 }
  // Random changes seldom leave the length of the body right.
  for bytes in [input, withRightLength(input)] { check(bytes) }
  return 0
}

private func withRightLength(_ input: [UInt8]) -> [UInt8] {
  let isBigEndian = input[0] == UInt8(ascii: "B")
  let digits = isBigEndian ? [15, 14, 13, 12] : [12, 13, 14, 15]
  let fieldCount = digits.enumerated().reduce(0) { $0 | Int(input[$1.element]) << (8 * $1.offset) }
  let count = UInt32(clamping: input.count - BusMessage.prefixByteCount - (fieldCount + 7) & ~7)
  var bytes = input
  for index in 0..<4 {
    bytes[isBigEndian ? 7 - index : 4 + index] = UInt8(truncatingIfNeeded: count >> UInt32(8 * index))
  }
  return bytes
}

private func check(_ bytes: [UInt8]) {
  do throws(DisplayError) {
    let count = try BusMessage.byteCount(prefix: Array(bytes.prefix(BusMessage.prefixByteCount)))
    guard count <= bytes.count else { return }
    let message = try BusMessage(Array(bytes.prefix(count)))
    _ = message.error
    let texts = [message.member] + (string(message).map { [$0] } ?? strings(message))
    guard texts.reduce(0, { $0 + $1.utf8.count }) <= count, !texts.contains(where: { $0.utf8.contains(0) }) else {
      fatalError("the values are longer than the message, or have a NUL")
    }
  } catch {
    guard error.code == .protocolViolation else { fatalError("\(error)") }
  }
}

private func string(_ message: BusMessage) -> String? {
  do throws(DisplayError) { return try message.string() } catch { return checked(error, nil) }
}

private func strings(_ message: BusMessage) -> [String] {
  do throws(DisplayError) { return try message.strings() } catch { return checked(error, []) }
}

private func checked<Value>(_ error: DisplayError, _ value: Value) -> Value {
  guard error.code == .protocolViolation else { fatalError("\(error)") }
  return value
}
