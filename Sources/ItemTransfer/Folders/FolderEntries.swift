// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// The entries of a folder's archive, without their content.
package struct FolderEntries: Sendable, Hashable {
  /// The kinds of entries.
  package enum Kind: String, Sendable, Hashable, Encodable {
    case file
    case folder
    case symbolicLink
    case hardLink
  }

  /// An entry.
  package struct Entry: Sendable, Hashable {
    /// The path from the top folder's name on; escape it for a terminal.
    package let path: String
    /// The kind of the entry.
    package let kind: Kind
    /// The size of a file in bytes, with its holes; 0 for other entries.
    package let byteCount: UInt64
    /// The text of a symbolic link, or the path of the file that a hard link names; empty for other entries.
    package let target: String
  }

  /// The entries in the order of the archive, up to the fault if there is one.
  package fileprivate(set) var all: [Entry] = []
  /// The problem of an archive that receivers refuse, in one line; `nil` for a complete archive.
  package fileprivate(set) var fault: String?
}

/// A reader of the entries of an archive that is pushed in chunks of any size.
package struct FolderEntryReader {
  private final class Collector: TarSink {
    let limits: FolderArchive.Limits
    var entries = FolderEntries()
    private var tableBytes = 0

    init(_ limits: FolderArchive.Limits) { self.limits = limits }

    func begin(_ member: TarMember) throws(FolderArchiveError) {
      let kind: FolderEntries.Kind =
        switch member.kind {
        case .file: .file
        case .folder: .folder
        case .symbolicLink: .symbolicLink
        case .hardLink: .hardLink
        }
      // Paths stay in memory, unlike those of an archive that is unpacked.
      tableBytes += member.path.bytes.count + member.target.count + 64
      guard entries.all.count < limits.entries, tableBytes <= 4 * limits.tableBytes else {
        throw FolderArchive.tooManyEntries(member.path)
      }
      entries.all.append(
        FolderEntries.Entry(
          path: String(decoding: member.path.bytes, as: UTF8.self), kind: kind,
          byteCount: kind == .file ? UInt64(clamping: member.size) : 0,
          target: String(decoding: member.target, as: UTF8.self)))
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) {}

    func end() {}
  }

  private let collector: Collector
  private var reader: TarReader<Collector>

  /// Creates a reader.
  ///
  /// - Parameter earlierCount: The number of entries of other archives that stay in memory with those of this one.
  package init(earlierCount: Int = 0) {
    var limits = FolderArchive.Limits()
    limits.entries -= min(earlierCount, limits.entries)
    collector = Collector(limits)
    reader = TarReader(collector)
  }

  /// Reads the next bytes of the archive; ignores bytes after a fault.
  package mutating func append(_ bytes: UnsafeRawBufferPointer) {
    guard collector.entries.fault == nil else { return }
    do throws(FolderArchiveError) { try reader.append(bytes) } catch { collector.entries.fault = error.description }
  }

  /// Reads the next bytes of the archive, which are `count` zeros.
  package mutating func append(zeros count: UInt64) {
    guard collector.entries.fault == nil else { return }
    do throws(FolderArchiveError) { try reader.append(zeros: count) } catch {
      collector.entries.fault = error.description
    }
  }

  /// Ends the archive.
  ///
  /// - Returns: The entries.
  package func finish() -> FolderEntries {
    var entries = collector.entries
    guard entries.fault == nil else { return entries }
    do throws(FolderArchiveError) { try reader.finish() } catch { entries.fault = error.description }
    return entries
  }
}
