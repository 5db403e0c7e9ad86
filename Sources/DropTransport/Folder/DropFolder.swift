// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import ItemTransfer
public import UniformTypes

/// A directory that receives all accepted items of a stream or a drop as files, or none of them.
///
/// Files are staged in a subdirectory whose name begins with `.dragpipe-` and which only its owner can read. They get
/// their names after the end of the stream was verified, or all items of the drop have arrived. A killed receiver
/// leaves its staging directory, and the next receive removes it if it can (``removeLeftovers()``).
///
/// An unsafe name is refused, and never altered to make it safe. No existing file is replaced unless ``collision``
/// allows it. An item that is a folder becomes a folder again, with all its contents, unless ``unpacksFolders`` is
/// false. A file can name the folder that it was in (``/ItemTransfer/ItemFileAttributes/folder``). It goes to a folder
/// of that name, which is created if necessary. Links in the folder are never followed.
///
/// ```swift
/// var folder = DropFolder(path: "in")
/// folder.acceptedTypes = [.image, .pdf]
/// let receipt = try await folder.receive(from: .standardInput)
/// ```
public struct DropFolder: Sendable, Hashable {
  /// The policy for an item whose name is taken, in the folder or by another item.
  ///
  /// If several representations of an item are kept, one taken name decides for all of them.
  public enum Collision: Sendable, Hashable, CaseIterable {
    /// The receive fails with `alreadyExists`, or with `duplicateName` for two items, and keeps no file.
    ///
    /// An item inside a folder and an item that is this folder are treated as two items with one name, in either order.
    case refuse
    /// A file replaces a regular file, and a folder is merged with a folder.
    ///
    /// A merge replaces the files with equal names and keeps all others. Items inside a folder join an item that is
    /// this folder. Two items with the same name are still refused.
    case replace
    /// The item is named `NAME-2`, with the number before the extension, or with the next free number.
    ///
    /// All kept representations of an item have the same number, except representations with the same name.
    case rename
    /// The item is left out if the folder has its name.
    ///
    /// If two items of a stream have the same name, the second is named `NAME-2`, as with ``rename``.
    case skip
  }

  /// The path of the directory.
  public let path: String
  /// The types to accept, most preferred first.
  ///
  /// A representation is accepted if it conforms to one of them. An item without an accepted representation is left
  /// out. If the list is empty, every type is accepted, and the first representation of each item is kept, unless
  /// ``keepsAllRepresentations`` is set.
  public var acceptedTypes: [UTType] = []
  /// Whether every accepted representation becomes a file, and not only the most preferred one.
  ///
  /// Aliases of a representation that was kept are not written. If several representations have the same name, all but
  /// the first get numbers.
  public var keepsAllRepresentations = false
  /// Whether names may start with a period.
  ///
  /// Names inside a received folder always may.
  public var allowsHiddenNames = false
  /// Whether a missing directory is created.
  ///
  /// Its parent must exist. The directory is removed again if no file is kept, unless the stream was complete and had
  /// no items.
  public var isCreatedWhenMissing = false
  /// The policy for an item whose name is taken.
  public var collision = Collision.refuse
  /// Whether files get the permissions and the modification time of the source, instead of the defaults for new files.
  ///
  /// See ``/ItemTransfer/ItemFileAttributes``. If this is false, a file keeps each execute permission of the source for
  /// which the new file is also readable. Files in a folder always keep their times. If this is true, they have the
  /// permissions of the source. Otherwise, the umask reduces the permissions.
  public var preservesAttributes = false
  /// Whether an item that is a folder is unpacked.
  ///
  /// If this is false, it is kept as the tar archive that was transferred, with `.tar` appended to its name.
  public var unpacksFolders = true

  /// Whether symbolic links in a folder may lead out of the folder.
  ///
  /// If this is false, a folder with such a link is refused with `unsafeName`. If it is true, a program that follows
  /// links in the folder can reach every file of this user: set this only for sources that you trust.
  public var allowsAllLinks = false

  /// Whether files in folders get the extended attributes that the source sends; only attributes of users (`user.*`).
  public var restoresExtendedAttributes = false

  /// Whether files in folders get the owners and groups that the source sends, which requires the rights of root.
  public var restoresOwners = false

  /// Whether everything is flushed to the disk before it is reported as received.
  ///
  /// If this is true, the result of ``receive(from:options:progress:)`` survives a crash of the machine, if the disk
  /// keeps the data that it acknowledged. That covers the files, their names, and the directories created for them. If
  /// this is false, the result survives a crash of this process. After a crash of the machine soon afterwards, a file
  /// may be missing, empty or incomplete. Flushing costs milliseconds for each file and folder.
  ///
  /// Files from a source that allows a move are always flushed, because the source removes its own files afterwards.
  public var isDurable = false

  /// Whether an interrupted receive keeps the content that has arrived, and a later receive of the same items continues
  /// it.
  ///
  /// This applies to the items of a session (``receive(_:progress:)-(IncomingDrop,_)``) and of a ``DropFile``, and not
  /// to a stream. The content stays in a staging directory whose name ends in `.partial`, after an error or a
  /// cancellation as well as after a crash of this process. ``removeLeftovers()`` removes it.
  ///
  /// A file is continued if its item has the same name (without a name, the same number) and folder, and it has the same
  /// type and size. The source of a session first compares its content with a SHA-256 digest of the kept bytes. If it
  /// differs, the file is received from its start. A ``DropFile`` from a ``RandomAccessSource`` continues only what came
  /// from a source of the same name, and its checksum of the whole content is verified at the end. Nothing is
  /// kept of a file on this machine. Content that a drop file stores in several frames is received from its start.
  ///
  /// Kept content is used only with a proof that a receiver of this user wrote it: a code with a key in
  /// `$XDG_STATE_HOME/dragpipe`, or `~/.local/state/dragpipe`. Without such a directory, nothing is kept.
  ///
  /// The archive of a folder is stored completely before it is unpacked, so it temporarily needs twice the space.
  /// This property has no effect on file systems that other machines may use.
  public var isResumable = false

  /// The items to receive; `nil` for all.
  ///
  /// An item that is selected by its type is received in that type.
  package var selection: ItemSelection?
  /// Whether items with hidden names are left out instead of refused, as long as other items are kept.
  package var leavesOutHiddenNames = false

  /// The way in which files get their names.
  package var naming = Naming.suggested

  var folderOptions: FolderUnpacker.Options {
    var options = FolderUnpacker.Options()
    options.ignoresUmask = preservesAttributes
    options.isDurable = isDurable
    options.allowsAllLinks = allowsAllLinks
    options.setsAttributes = restoresExtendedAttributes
    options.setsOwners = restoresOwners
    return options
  }

  /// The directory of the key for ``StagingSeal``; `nil` for the standard directory.
  package var stateDirectory: String?
  /// The source of which kept content must be; empty for a source that compares the content itself.
  var origin = ""
  /// The maximum number of bytes of all accepted representations; streams and sessions also have a limit of their own.
  package var byteLimit = UInt64.max

  /// Creates a folder with the path of a directory.
  ///
  /// Does not open the directory.
  public init(path: String) {
    self.path = path
  }

  /// Returns the indices of the representations to keep, in the source's order: at most one, or with
  /// ``keepsAllRepresentations`` all that are not aliases of each other.
  func acceptedIndices(among offered: [ItemRepresentation.Traits]) -> [Int] {
    acceptedIndices(among: offered, acceptedTypes)
  }

  /// Returns the indices of the representations to keep of an item, and adds the matching words of ``selection``.
  func acceptedIndices(
    among offered: [ItemRepresentation.Traits], ofItem index: Int, _ name: String?, in folder: String?,
    matching words: inout Set<Int>
  ) -> [Int] {
    guard let selection else { return acceptedIndices(among: offered) }
    let naming = selection.words(namingItem: index, name, in: folder)
    if !naming.isEmpty {
      let found = acceptedIndices(among: offered)
      if !found.isEmpty { words.formUnion(naming) }
      return found
    }
    let types = selection.words.indices.filter { position in
      selection.words[position].type.map { type in offered.contains { $0.conforms(to: type) } } ?? false
    }
    if types.isEmpty { return [] }
    let found = acceptedIndices(among: offered, types.compactMap { selection.words[$0].type }).filter { index in
      acceptedTypes.isEmpty || acceptedTypes.contains { offered[index].conforms(to: $0) }
    }
    if !found.isEmpty { words.formUnion(types) }
    return found
  }

  private func acceptedIndices(among offered: [ItemRepresentation.Traits], _ acceptedTypes: [UTType]) -> [Int] {
    if keepsAllRepresentations {
      var kept: Set<UTType> = []
      let accepted = offered.indices.filter { index in
        acceptedTypes.isEmpty || acceptedTypes.contains { offered[index].conforms(to: $0) }
      }
      // An original comes before its aliases.
      return accepted.filter { index in
        let isNew = kept.insert(offered[index].aliasedType ?? offered[index].contentType).inserted
        return isNew || offered[index].aliasedType == nil
      }
    }
    guard !acceptedTypes.isEmpty else { return offered.isEmpty ? [] : [0] }
    for type in acceptedTypes {
      if let index = offered.firstIndex(where: { $0.conforms(to: type) }) { return [index] }
    }
    return []
  }
}
