// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Glibc
internal import ItemTransfer

/// What a source has answered with, kept until it has been read: the source may remove its own at once.
///
/// A file is kept open, which costs nothing and is as good as a copy unless the source overwrites it; of a folder there
/// is a copy, whose files are links where the file system has them.
final class AnsweredFile: Sendable {
  private enum Hold {
    case descriptor(CInt)
    case copy(directory: URL)
  }

  private let hold: Hold

  private init(_ hold: Hold) {
    self.hold = hold
  }

  deinit {
    switch hold {
    case .descriptor(let descriptor): close(descriptor)
    case .copy(let directory): try? FileManager.default.removeItem(at: directory)
    }
  }

  /// Takes hold of a file or a folder; blocks.
  ///
  /// - Parameter file: What a source has answered with. What cannot be opened is left for the one who reads it to refuse.
  /// - Returns: The way to its content, for as long as that is kept; nobody may use it as the original.
  /// - Throws: What the system says where a folder cannot be copied.
  static func sent(_ file: URL) throws -> SentTransferredFile {
    guard file.isFileURL else { return SentTransferredFile(file) }
    // A FIFO must not hold up the open, nor a terminal become ours.
    let descriptor = open(file.path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    guard descriptor >= 0 else { return SentTransferredFile(file) }
    let opened = AnsweredFile(.descriptor(descriptor))
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return SentTransferredFile(file) }
    switch status.st_mode & S_IFMT {
    case S_IFREG:
      let path = URL(filePath: "/proc/self/fd/\(descriptor)", directoryHint: .notDirectory)
      return SentTransferredFile(path, allowAccessingOriginalFile: false, keepingAlive: opened)
    case S_IFDIR:
      let directory = try makeTemporaryDirectory()
      let copied = AnsweredFile(.copy(directory: directory))
      let copy = directory.appendingPathComponent(file.lastPathComponent, isDirectory: true)
      do {
        try FileManager.default.linkItem(at: file, to: copy)
      } catch {
        try? FileManager.default.removeItem(at: copy)
        try FileManager.default.copyItem(at: file, to: copy)
      }
      return SentTransferredFile(copy, allowAccessingOriginalFile: false, keepingAlive: copied)
    default: return SentTransferredFile(file)
    }
  }

  /// A directory among the temporary files that nobody else can read.
  static func makeTemporaryDirectory() throws -> URL {
    let directory = FileManager.default.temporaryDirectory.appendingPathComponent("dragpipe-" + UUID().uuidString)
    try FileManager.default.createDirectory(
      at: directory, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    return directory
  }
}
