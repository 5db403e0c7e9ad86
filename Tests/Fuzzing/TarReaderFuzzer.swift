// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

// The entry point of libFuzzer; .ci/fuzz builds and runs it. Every input must be an archive or an error. Its members must
// be safe, and must not depend on the chunks in which the input arrives.

/// - Returns: 0, as libFuzzer demands.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = Array(UnsafeBufferPointer(start: start, count: count))
  // Random changes seldom leave a checksum right.
  for bytes in [input, withRightChecksums(input)] {
    let whole = members(of: bytes, chunkSize: max(1, bytes.count))
    for chunkSize in [1, 511, 513] where members(of: bytes, chunkSize: chunkSize) != whole {
      fatalError("the members depend on the chunks")
    }
  }
  return 0
}

private func withRightChecksums(_ input: [UInt8]) -> [UInt8] {
  var bytes = input
  let field = TarFormat.checksum
  for start in stride(from: 0, to: bytes.count - TarFormat.blockSize + 1, by: TarFormat.blockSize)
  where bytes[start] != 0 {
    let sum = bytes[start..<start + TarFormat.blockSize].withUnsafeBytes { TarFormat.checksum(of: $0) }
    for digit in 0..<6 {
      bytes[start + field.offset + digit] = 0x30 | UInt8(truncatingIfNeeded: sum >> Int64(3 * (5 - digit))) & 7
    }
    bytes[start + field.offset + 6] = 0
    bytes[start + field.offset + 7] = 0x20
  }
  return bytes
}

/// Returns everything that a reader passes to its sink, and its error.
private func members(of bytes: [UInt8], chunkSize: Int) -> [String] {
  let sink = FuzzedSink()
  var reader = TarReader(sink)
  do throws(FolderArchiveError) {
    for start in stride(from: 0, to: bytes.count, by: chunkSize) {
      let chunk = Array(bytes[start..<min(start + chunkSize, bytes.count)])
      let result = chunk.withUnsafeBytes { bytes in
        Result { () throws(FolderArchiveError) in try reader.append(bytes) }
      }
      try result.get()
    }
    try reader.finish()
  } catch {
    sink.log.append(error.description)
  }
  return sink.log
}

private final class FuzzedSink: TarSink {
  var log: [String] = []
  private var size: Int64 = 0
  private var position: Int64 = 0
  private var sum: UInt64 = 0

  func begin(_ member: TarMember) {
    let names = member.path.bytes.split(separator: 0x2F, omittingEmptySubsequences: false)
    for (depth, name) in names.enumerated() where name.isEmpty || name == [0x2E, 0x2E] || depth > 0 && name == [0x2E] {
      fatalError("an unsafe name: \(member.path)")
    }
    (size, position, sum) = (member.size, 0, 0)
    log.append("\(member)")
  }

  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) {
    guard offset >= position, !bytes.isEmpty, Int64(bytes.count) <= size - offset else { fatalError("a wrong offset") }
    for (index, byte) in bytes.enumerated() { sum = sum &* 31 &+ UInt64(byte) &+ UInt64(offset) &+ UInt64(index) }
    position = offset + Int64(bytes.count)
  }

  func end() { log.append("\(position) \(sum)") }
}
