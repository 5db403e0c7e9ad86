// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import DropTransport
internal import FoundationEssentials
internal import Glibc
internal import ItemTransfer
internal import UniformTypes

/// The direct save protocol XDS, in which the target chooses a file and the source writes it.
enum DirectSave {
  /// The target whose request makes the source save the item.
  ///
  /// The property of the same name has the suggested file name, and later the address that the target has chosen.
  static let target = DragName.directSave.rawValue
  /// The maximum length of the property, in bytes.
  static let maximumPropertyBytes = 64 << 10

  /// Returns the suggested name of a single item that is not a file yet.
  ///
  /// A name without a period gets the extension of the type. The result is `nil` for other items, for a folder, and
  /// without a valid name.
  static func name(of items: [ItemProvider]) -> String? {
    guard items.count == 1, let item = items.first, var name = item.suggestedName,
      !item.hasRepresentation(conformingTo: .url), let type = item.contentTypes(visibleTo: .all).first,
      !type.conforms(to: .directory)
    else { return nil }
    if !name.utf8.contains(UInt8(ascii: ".")), let fileExtension = type.filenameExtensionForNewFile {
      name += ".\(fileExtension)"
    }
    return DropFileName.objection(to: name, allowsHidden: true) == nil ? name : nil
  }
}

/// The response to the request for a direct save.
enum DirectSaveResult: String, Sendable {
  /// The file is saved.
  case saved = "S"
  /// The source cannot save there. The target may request the bytes.
  case unreachable = "F"
  /// The source has failed.
  case failed = "E"
}

/// The address of a file that a target has chosen for a direct save.
struct DirectSaveAddress: Sendable {
  private let directory: String
  private let name: String
  /// 2 seconds before the drop.
  ///
  /// An empty file that is not older belongs to the target, which has reserved the name.
  private let dropTime: FileTime?

  /// Parses an address.
  ///
  /// - Parameters:
  ///   - bytes: The value of the property.
  ///   - dropTime: The time of the drop.
  /// - Throws: `malformed` if the address is not of a file on this host.
  init(parsing bytes: [UInt8], dropTime: Date) throws(DesktopError) {
    guard let text = String(validating: bytes[..<(bytes.firstIndex(of: 0) ?? bytes.endIndex)], as: UTF8.self) else {
      throw DesktopError(.malformed, "the address of the file is not text")
    }
    let path = try URIList.path(text)
    let parts = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    guard let last = parts.last, let name = String(last), !name.isEmpty, name != ".", name != ".." else {
      throw DesktopError(.malformed, "\(text.escapedForDisplay()) is not the address of a file")
    }
    self.name = name
    directory = String(decoding: path.utf8.dropLast(name.utf8.count), as: UTF8.self)
    self.dropTime = FileTime(dropTime.addingTimeInterval(-2))
  }

  /// Writes the file.
  ///
  /// After an error, the call removes the file if it has created it.
  ///
  /// - Throws: `SystemError` if the file exists, unless the target has created it empty; the error of the chunks.
  func write(_ chunks: ItemByteStream) async throws {
    let file = try await runBlocking { try DirectSaveFile(name, in: directory, dropTime: dropTime) }
    do {
      for try await chunk in chunks { try await runBlocking { try file.write(chunk) } }
    } catch {
      await runBlocking { file.remove() }
      throw error
    }
  }
}

/// A file that is written for a target.
private final class DirectSaveFile: Sendable {
  private let name: String
  private let directory: OwnedDescriptor
  private let file: OwnedDescriptor
  private let isNew: Bool

  /// Creates the file, or opens the empty file that the target has created; blocks.
  init(_ name: String, in path: String, dropTime: FileTime?) throws {
    self.name = name
    directory = try OwnedDescriptor.place(path)
    do throws(SystemError) {
      file = try OwnedDescriptor.openAt(directory.raw, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o666)
      isNew = true
    } catch {
      guard error.errorNumber == EEXIST else { throw error }
      // Some targets create the file to reserve its name.
      let existing = try OwnedDescriptor.openAt(directory.raw, name, O_WRONLY | O_NOFOLLOW | O_NONBLOCK)
      let status = try SystemCalls.status(existing.raw)
      guard status.kind == .regular, status.size == 0, status.linkCount == 1, let dropTime,
        let time = status.modificationTime, (time.seconds, time.nanoseconds) >= (dropTime.seconds, dropTime.nanoseconds)
      else { throw error }
      file = existing
      isNew = false
    }
  }

  /// Appends bytes; blocks.
  func write(_ data: Data) throws {
    try data.withUnsafeBytes { try SystemCalls.writeAll(file.raw, $0) }
  }

  /// Removes the file if it is new; truncates the target's file to 0 bytes; blocks.
  func remove() {
    if isNew {
      try? SystemCalls.unlinkAt(directory.raw, name)
    } else {
      try? SystemCalls.truncate(file.raw, 0)
    }
  }
}
