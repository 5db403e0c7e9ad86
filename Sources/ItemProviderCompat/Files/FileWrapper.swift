// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
public import Foundation
internal import Synchronization

/// A file, a folder with its contents, or a symbolic link, in memory.
///
/// ```swift
/// let book = FileWrapper(directoryWithFileWrappers: ["text.txt": FileWrapper(regularFileWithContents: text)])
/// try book.write(to: url, options: .atomic, originalContentsURL: nil)
/// ```
///
/// The contents of a file on disk are read at their first use, or at once with ``ReadingOptions/immediate``. Follows
/// Apple's [`FileWrapper`](https://developer.apple.com/documentation/foundation/filewrapper).
// Sendable because a lock protects its state. A subclass must protect its own state.
open class FileWrapper: NSObject, @unchecked Sendable {
  /// Options for reading.
  public struct ReadingOptions: OptionSet, Sendable {
    /// The bits.
    public let rawValue: UInt

    /// Creates options from bits.
    public init(rawValue: UInt) {
      self.rawValue = rawValue
    }

    /// Reads all contents at once, and fails if one file cannot be read.
    public static let immediate = ReadingOptions(rawValue: 1)
    /// Contents are read and not mapped into memory.
    ///
    /// This class never maps contents.
    public static let withoutMapping = ReadingOptions(rawValue: 1 << 1)
  }

  /// Options for writing.
  public struct WritingOptions: OptionSet, Sendable {
    /// The bits.
    public let rawValue: UInt

    /// Creates options from bits.
    public init(rawValue: UInt) {
      self.rawValue = rawValue
    }

    /// Writes to a temporary name next to the destination, and replaces the destination at the end.
    public static let atomic = WritingOptions(rawValue: 1)
    /// Sets the file names of the wrappers to the names that they were written with.
    public static let withNameUpdating = WritingOptions(rawValue: 1 << 1)
  }

  enum Content {
    /// The bytes if they were read, and the file that contains them.
    case file(Data?, URL?)
    case folder([String: FileWrapper])
    case link(URL)
  }

  struct State {
    var content: Content
    var preferredFilename: String?
    var filename: String?
    var attributes: [String: Any] = [:]
  }

  private let state: Lock<Shared<State>>

  private init(_ content: Content, named name: String? = nil) {
    state = Lock(Shared(State(content: content, preferredFilename: name, filename: name)))
    super.init()
  }

  /// Creates a wrapper of a file, a folder or a symbolic link on disk.
  ///
  /// - Parameters:
  ///   - url: The file; links are not followed.
  ///   - options: Options for reading.
  /// - Throws: `CocoaError` if the file cannot be read, or is a device, a socket or a named pipe.
  public convenience init(url: URL, options: ReadingOptions = []) throws {
    self.init(try Self.content(of: url, options), named: url.lastPathComponent)
    try setAttributes(of: url)
  }

  /// Creates a wrapper of a folder.
  public convenience init(directoryWithFileWrappers childrenByPreferredName: [String: FileWrapper]) {
    self.init(.folder([:]))
    for (name, child) in childrenByPreferredName.sorted(by: { $0.key < $1.key }) {
      if child.preferredFilename == nil { child.preferredFilename = name }
      insert(child, preferring: name)
    }
  }

  /// Creates a wrapper of a regular file.
  public convenience init(regularFileWithContents contents: Data) {
    self.init(.file(contents, nil))
  }

  /// Creates a wrapper of a symbolic link.
  public convenience init(symbolicLinkWithDestinationURL url: URL) {
    self.init(.link(url))
  }

  // MARK: Properties

  /// Whether this is a folder.
  open var isDirectory: Bool { if case .folder = current.content { true } else { false } }
  /// Whether this is a regular file.
  open var isRegularFile: Bool { if case .file = current.content { true } else { false } }
  /// Whether this is a symbolic link.
  open var isSymbolicLink: Bool { if case .link = current.content { true } else { false } }

  /// The preferred name in a folder; the folder adds a prefix if the name is taken.
  open var preferredFilename: String? {
    get { current.preferredFilename }
    set { change { $0.preferredFilename = newValue } }
  }

  /// The name of the file that was read, or that was written with ``WritingOptions/withNameUpdating``.
  open var filename: String? {
    get { current.filename }
    set { change { $0.filename = newValue } }
  }

  /// The attributes of the file, as `FileManager` reads and sets them.
  open var fileAttributes: [String: Any] {
    get { current.attributes }
    set { change { $0.attributes = newValue } }
  }

  /// The contents of a regular file; `nil` for a folder or a link, and if the file cannot be read.
  open var regularFileContents: Data? {
    guard case .file(let data, let url) = current.content else { return nil }
    if let data { return data }
    guard let url, let data = try? Data(contentsOf: url) else { return nil }
    change { $0.content = .file(data, url) }
    return data
  }

  /// The destination of a symbolic link; `nil` for a file or a folder.
  open var symbolicLinkDestinationURL: URL? {
    if case .link(let url) = current.content { url } else { nil }
  }

  /// The contents of a folder by their names; `nil` for a file or a link.
  open var fileWrappers: [String: FileWrapper]? {
    if case .folder(let children) = current.content { children } else { nil }
  }

  // MARK: Folders

  /// Adds a file to a folder; has no effect if this wrapper is not a folder.
  ///
  /// - Parameter child: The file. It is added under its preferred name, or else under its file name.
  /// - Returns: The name in this folder, which differs from the preferred name if that name is taken.
  @discardableResult
  open func addFileWrapper(_ child: FileWrapper) -> String {
    insert(child, preferring: child.preferredFilename ?? child.filename ?? "")
  }

  /// Adds a regular file to a folder; has no effect if this wrapper is not a folder.
  ///
  /// - Parameters:
  ///   - data: The contents.
  ///   - fileName: The preferred name.
  /// - Returns: The name in this folder.
  @discardableResult
  open func addRegularFile(withContents data: Data, preferredFilename fileName: String) -> String {
    let child = FileWrapper(regularFileWithContents: data)
    child.preferredFilename = fileName
    return insert(child, preferring: fileName)
  }

  /// Removes a file from a folder; has no effect for a file that the folder does not contain.
  open func removeFileWrapper(_ child: FileWrapper) {
    guard let key = keyForChildFileWrapper(child) else { return }
    change { state in
      guard case .folder(var children) = state.content else { return }
      children[key] = nil
      state.content = .folder(children)
    }
  }

  /// Returns the name of a file in this folder; `nil` if the folder does not contain the file.
  open func keyForChildFileWrapper(_ child: FileWrapper) -> String? {
    fileWrappers?.first { $0.value === child }?.key
  }

  @discardableResult
  private func insert(_ child: FileWrapper, preferring name: String) -> String {
    var chosen = name
    change { state in
      guard case .folder(var children) = state.content else { return }
      var number = 1
      while children[chosen] != nil {
        chosen = "__#$!@%!#__\(number)_\(name)"
        number += 1
      }
      children[chosen] = child
      state.content = .folder(children)
    }
    return chosen
  }

  var current: State { state.withLock { $0 }.value }

  func change(_ change: (inout State) -> Void) {
    // The old state is released outside the lock, since deinitializers of its values may run any code.
    let old = state.withLock { state in
      let old = state
      var new = old.value
      change(&new)
      state = Shared(new)
      return old
    }
    withExtendedLifetime(old) {}
  }
}
