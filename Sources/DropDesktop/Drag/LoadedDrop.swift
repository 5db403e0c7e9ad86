// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import DropTransport
internal import FoundationEssentials
internal import Glibc
internal import ItemTransfer

/// The items of a drop, with the file that the source has saved, if any.
struct LoadedDrop: Sendable {
  let items: [ItemProvider]
  private let saved: SavedFile?

  /// Removes the file that the source has saved.
  func removeFile() async {
    await saved?.remove()
  }

  /// Creates the result of a load.
  init(_ items: [ItemProvider], saved: SavedFile? = nil) {
    (self.items, self.saved) = (items, saved)
  }
}

/// A file that a source has saved, in a private directory.
struct SavedFile: Sendable {
  let url: URL
  private let directory: String

  /// Creates the directory, but not the file; blocks.
  init(_ name: String, in parent: URL?) throws {
    let location = parent.map { TemporaryLocation(hiddenIn: $0) } ?? .standard
    directory = try location.makeDirectory()
    url = URL(filePath: "\(directory)/\(name)", directoryHint: .notDirectory)
  }

  /// Removes the directory.
  func remove() async {
    let directory = directory
    await runBlocking { try? FileManager.default.removeItem(atPath: directory) }
  }

  /// The address for the source.
  ///
  /// It has the name of this host, as XDS requires.
  var address: String {
    let host = String(decoding: SystemCalls.hostName(), as: UTF8.self)
    let path = url.path.utf8.map { byte in
      let isPlain =
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
        || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || "/-._~".utf8.contains(byte)
      let digits = String(byte, radix: 16, uppercase: true)
      return isPlain ? String(UnicodeScalar(byte)) : "%" + (byte < 16 ? "0" : "") + digits
    }
    return "file://\(host)\(path.joined())"
  }

  /// Returns the length of the file in bytes, and whether a process writes it; blocks.
  ///
  /// - Returns: `nil` if the path does not lead to a regular file, or leads to a link.
  func state() throws -> (length: Int64, isOpen: Bool)? {
    guard let file = try? OwnedDescriptor.open(url.path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK) else { return nil }
    let status = try SystemCalls.status(file.raw)
    guard status.kind == .regular else { return nil }
    return (status.size, SystemCalls.isOpenForWriting(file.raw))
  }
}
