// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Glibc
internal import ItemTransfer

/// A file that is being written, readable only by its owner, or a folder that is created from its archive.
///
/// Long runs of zeros become holes in a file.
final class StagedFile {
  /// The name that the file should get, which publishing may still change.
  let name: String
  /// The number that is its name in the staging directory.
  let number: Int
  private var descriptor: OwnedDescriptor?
  private var unpacker: FolderUnpacker?
  private var endsInHole = false

  init(_ descriptor: consuming OwnedDescriptor, name: String, number: Int = 0) {
    self.descriptor = consume descriptor
    self.name = name
    self.number = number
  }

  init(_ unpacker: FolderUnpacker, name: String, number: Int) {
    self.unpacker = unpacker
    self.name = name
    self.number = number
  }

  func append(_ bytes: UnsafeRawBufferPointer) throws(DropStreamError) {
    if bytes.isEmpty { return }
    if let unpacker {
      return try Self.unpacking(name) { () throws(FolderArchiveError) in try unpacker.append(bytes) }
    }
    try reporting { (raw) throws(SystemError) in
      endsInHole = bytes.isHole
      if endsInHole {
        _ = try SystemCalls.seek(raw, Int64(bytes.count), SEEK_CUR)
      } else {
        try SystemCalls.writeAll(raw, bytes)
      }
    }
  }

  /// Appends a hole.
  func append(zeros count: UInt64) throws(DropStreamError) {
    if let unpacker {
      return try Self.unpacking(name) { () throws(FolderArchiveError) in try unpacker.append(zeros: count) }
    }
    try reporting { (raw) throws(SystemError) in
      endsInHole = true
      _ = try SystemCalls.seek(raw, Int64(count), SEEK_CUR)
    }
  }

  /// Closes the file, and reports write errors that the system delayed until then; completes a folder.
  func close() throws(DropStreamError) {
    if let unpacker {
      return try Self.unpacking(name) { () throws(FolderArchiveError) in try unpacker.finish() }
    }
    try reporting { (raw) throws(SystemError) in
      if endsInHole { try SystemCalls.truncate(raw, try SystemCalls.seek(raw, 0, SEEK_CUR)) }
    }
    guard let descriptor = descriptor.take() else { return }
    do throws(SystemError) { try descriptor.close() } catch { throw failure(error) }
  }

  private func reporting(_ body: (CInt) throws(SystemError) -> Void) throws(DropStreamError) {
    guard let raw = descriptor?.raw else { return }
    do throws(SystemError) { try body(raw) } catch { throw failure(error) }
  }

  /// Removes the content of a folder.
  func discard() { unpacker?.discard() }

  /// Turns a failure to create a folder into an error of a stream.
  static func unpacking<Value>(
    _ name: String, _ body: () throws(FolderArchiveError) -> Value
  ) throws(DropStreamError) -> Value {
    do throws(FolderArchiveError) { return try body() } catch {
      let reason = "cannot create the folder \(name.escapedForDisplay()): \(error)"
      let code: DropStreamError.Code =
        switch error.code {
        case .malformed, .unsupported, .specialFile, .changedWhileRead: .damaged
        case .limitExceeded: .limitExceeded
        case .unsafeName: .unsafeName
        case .alreadyExists, .system: .systemCall
        case .cancelled: .cancelled
        }
      throw error.code == .cancelled ? .cancelled : DropStreamError(code, reason, errorNumber: error.errorNumber)
    }
  }

  private func failure(_ error: SystemError) -> DropStreamError {
    DropStreamError(.systemCall, "cannot write \(name.escapedForDisplay())", error)
  }
}
