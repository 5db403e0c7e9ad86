// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
public import Foundation
internal import Glibc

/// Reading and writing of files on disk.
extension FileWrapper {
  /// Returns whether a file on disk has the same kind, size and modification date as in the attributes of this wrapper.
  ///
  /// Symbolic links are compared by their destinations, and folders by their contents.
  public func matchesContents(of url: URL) -> Bool {
    guard let content = try? Self.content(of: url, []) else { return false }
    switch (current.content, content) {
    case (.link(let one), .link(let other)): return one.path == other.path
    case (.folder(let children), .folder(let others)):
      return children.count == others.count
        && children.allSatisfy { $0.value.matchesContents(of: url.appendingPathComponent($0.key)) }
    case (.file, .file):
      guard let found = try? FileManager.default.attributesOfItem(atPath: url.path) else { return false }
      let known = fileAttributes
      return known[FileAttributeKey.size.rawValue] as? NSNumber == found[.size] as? NSNumber
        && known[FileAttributeKey.modificationDate.rawValue] as? Date == found[.modificationDate] as? Date
    default: return false
    }
  }

  /// Replaces the contents by the contents of a file on disk; the preferred name does not change.
  ///
  /// - Throws: `CocoaError` if the file cannot be read.
  public func read(from url: URL, options: ReadingOptions = []) throws {
    let content = try Self.content(of: url, options)
    change {
      $0.content = content
      $0.filename = url.lastPathComponent
    }
    try setAttributes(of: url)
  }

  /// Writes the file or folder.
  ///
  /// - Parameters:
  ///   - url: The destination.
  ///   - options: Options for writing. Without ``WritingOptions/atomic``, an existing file or folder is an error,
  ///     except that a file replaces a file.
  ///   - originalContentsURL: The location from which to copy contents that cannot be read at their former location.
  /// - Throws: `CocoaError`, also for names that are not one path component, and for contents that cannot be read.
  public func write(to url: URL, options: WritingOptions = [], originalContentsURL: URL?) throws {
    guard options.contains(.atomic) else {
      try writeContents(to: url, options, originalContentsURL)
      return
    }
    let temporary = url.deletingLastPathComponent().appendingPathComponent(".\(UUID().uuidString)")
    do {
      try writeContents(to: temporary, options.subtracting(.atomic), originalContentsURL)
      try Self.replace(url, by: temporary)
    } catch {
      try? FileManager.default.removeItem(at: temporary)
      throw error
    }
    if options.contains(.withNameUpdating) { filename = url.lastPathComponent }
  }

  /// Replaces a file or folder in one step, even a file by a folder or a folder by a file.
  private static func replace(_ url: URL, by temporary: URL) throws {
    do throws(SystemError) {
      try SystemCalls.renameAt(AT_FDCWD, temporary.path, AT_FDCWD, url.path)
    } catch {
      guard [ENOTEMPTY, EEXIST, EISDIR, ENOTDIR].contains(error.errorNumber), exchange(url, temporary) else {
        throw CocoaError(.fileWriteUnknown, userInfo: [NSFilePathErrorKey: url.path, NSUnderlyingErrorKey: error])
      }
      try FileManager.default.removeItem(at: temporary)
    }
  }

  private static func exchange(_ one: URL, _ other: URL) -> Bool {
    (try? SystemCalls.exchangeAt(AT_FDCWD, one.path, AT_FDCWD, other.path)) != nil
  }

  private func writeContents(to url: URL, _ options: WritingOptions, _ original: URL?) throws {
    switch current.content {
    case .file:
      guard let data = try regularFileContents ?? original.map({ try Data(contentsOf: $0) }) else {
        throw CocoaError(.fileReadUnknown, userInfo: [NSFilePathErrorKey: filename ?? url.path])
      }
      try data.write(to: url)
    case .link(let destination):
      try FileManager.default.createSymbolicLink(atPath: url.path, withDestinationPath: destination.relativePath)
    case .folder(let children):
      try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
      for (name, child) in children.sorted(by: { $0.key < $1.key }) {
        guard !name.isEmpty, name != ".", name != "..", !name.contains("/"), !name.utf8.contains(0) else {
          throw CocoaError(.fileWriteInvalidFileName, userInfo: [NSFilePathErrorKey: name])
        }
        try child.writeContents(
          to: url.appendingPathComponent(name), options, original?.appendingPathComponent(name))
      }
    }
    if let permissions = fileAttributes[FileAttributeKey.posixPermissions.rawValue], !isSymbolicLink {
      try FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: url.path)
    }
    if options.contains(.withNameUpdating) { filename = url.lastPathComponent }
  }

  static func content(of url: URL, _ options: ReadingOptions) throws -> Content {
    let attributes = try FileManager.default.attributesOfItem(atPath: url.path)
    switch attributes[.type] as? FileAttributeType {
    case .typeRegular: return .file(options.contains(.immediate) ? try Data(contentsOf: url) : nil, url)
    case .typeSymbolicLink:
      let destination = try FileManager.default.destinationOfSymbolicLink(atPath: url.path)
      return .link(URL(fileURLWithPath: destination, relativeTo: url.deletingLastPathComponent()))
    case .typeDirectory:
      var children: [String: FileWrapper] = [:]
      for name in try FileManager.default.contentsOfDirectory(atPath: url.path) {
        let child = url.appendingPathComponent(name)
        guard children.updateValue(try FileWrapper(url: child, options: options), forKey: name) == nil else {
          // Two names are one key if they differ only in their Unicode normalization.
          throw CocoaError(.fileReadInvalidFileName, userInfo: [NSFilePathErrorKey: child.path])
        }
      }
      return .folder(children)
    default: throw CocoaError(.fileReadUnknown, userInfo: [NSFilePathErrorKey: url.path])
    }
  }

  func setAttributes(of url: URL) throws {
    let found = try FileManager.default.attributesOfItem(atPath: url.path)
    fileAttributes = Dictionary(uniqueKeysWithValues: found.map { ($0.key.rawValue, $0.value) })
  }
}
