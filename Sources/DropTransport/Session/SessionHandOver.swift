// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import CDropShims
internal import DropSystem
internal import FoundationEssentials
internal import Glibc
internal import ItemTransfer

/// A response with an open file in place of bytes, if the peer accepts it and the source allows it.
struct SessionHandOver {
  /// The minimum length of sealed memory in bytes.
  ///
  /// Shorter data is faster in a frame.
  static let leastLength = 1 << 20

  private let request: SessionRequest
  private let representation: ItemRepresentation

  init(_ request: SessionRequest, _ representation: ItemRepresentation) {
    self.request = request
    self.representation = representation
  }

  /// Returns the frame with the descriptor; `nil` if the caller must send bytes.
  func frame(number: UInt32, _ content: ItemContent) async throws(DropStreamError) -> OutgoingFrame? {
    // A part of a file is sent as bytes.
    guard request.range == nil, !request.accepts.isEmpty else { return nil }
    if case .data(let data) = content, data.count < Self.leastLength { return nil }
    return try await descriptorFrame(number: number, content)
  }

  @inline(never)
  private func descriptorFrame(number: UInt32, _ content: ItemContent) async throws(DropStreamError) -> OutgoingFrame? {
    switch content {
    case .data(let data):
      guard request.accepts.contains(.sealedMemory) else { return nil }
      return try await runBlocking { () throws(DropStreamError) in
        // Without sealed memory, the caller sends bytes.
        guard let (memory, check) = try? Self.sealed(data) else { return nil }
        let description = SessionDescriptor(kind: .sealedMemory, byteCount: UInt64(data.count), check: check)
        return .descriptor(number: number, description, memory)
      }
    case .file(let sent):
      let isOriginal = representation.opensInPlace || sent.allowAccessingOriginalFile
      let kind: SessionDescriptor.Kind
      if isOriginal, request.accepts.contains(.originalFile) {
        kind = .originalFile
      } else if request.accepts.contains(.fileToCopy) {
        kind = .fileToCopy
      } else {
        return nil
      }
      let path = sent.file.path
      defer { withExtendedLifetime(sent) {} }
      return try await runBlocking { () throws(DropStreamError) in
        guard let file = try? Self.file(path) else { return nil }
        return frame(number, kind, file)
      }
    case .stream: return nil
    }
  }

  private static func file(_ path: String) throws(SystemError) -> (SharedDescriptor, FileStatus) {
    let file = SharedDescriptor(try .open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY))
    return (file, try SystemCalls.status(file.raw))
  }

  private func frame(
    _ number: UInt32, _ kind: SessionDescriptor.Kind, _ file: (descriptor: SharedDescriptor, status: FileStatus)
  ) -> OutgoingFrame? {
    // If the file does not have the promised size, the caller sends its bytes, which fails with the right error.
    guard file.status.kind == .regular, file.status.size == representation.size.promised ?? file.status.size else {
      return nil
    }
    let description = SessionDescriptor(kind: kind, byteCount: UInt64(clamping: file.status.size), check: nil)
    return .descriptor(number: number, description, file.descriptor)
  }

  private static func sealed(_ data: Data) throws(SystemError) -> (SharedDescriptor, check: UInt32) {
    let memory = SharedDescriptor(OwnedDescriptor(try SystemCalls.memoryFile("dragpipe")))
    // `withUnsafeBytes` would erase the type of the error, so the closure returns a `Result`.
    let check = data.withUnsafeBytes { bytes in
      Result { () throws(SystemError) in
        try SystemCalls.writeAll(memory.raw, bytes)
        try SystemCalls.seal(memory.raw)
        return CRC32C.check(bytes)
      }
    }
    return (memory, try check.get())
  }
}
