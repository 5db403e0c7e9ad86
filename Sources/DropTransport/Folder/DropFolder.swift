// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Glibc
public import ItemTransfer
internal import Synchronization
public import UniformTypes

/// A directory that takes items as files: all that a stream or a drop brings, or none of it.
///
/// Files are staged in a directory of their own inside it, named `.dragpipe-` and random characters, that nobody else
/// can read; they get their names only once the end of the stream has been verified. A receive that is killed leaves that
/// directory, and the next one removes it (``removeLeftovers()``). Names are kept exactly as they
/// were sent, or refused. Nothing that is there is replaced unless ``collision`` says so. An item that is a folder
/// becomes one again, with everything in it. A file that was in a folder of its source's
/// (``/ItemTransfer/ItemFileAttributes/folder``) goes to a folder of that name, which is created if necessary. Links in
/// the folder are never followed.
///
/// ```swift
/// var folder = DropFolder(path: "in")
/// folder.acceptedTypes = [.image, .pdf]
/// let receipt = try await folder.receive(from: .standardInput)
/// ```
public struct DropFolder: Sendable, Hashable {
  /// What becomes of an item whose name is taken, in the folder or by another item.
  ///
  /// Where several representations of an item are kept, one name that is taken decides for all of them.
  public enum Collision: Sendable, Hashable, CaseIterable {
    /// Nothing is kept of the whole stream; the error is `alreadyExists`, or `duplicateName` for two items.
    ///
    /// An item that goes to a folder and an item that is this folder are such two items, in either order.
    case refuse
    /// It takes the place of a regular file that was there before, and a folder is merged with one that was there: files
    /// of its names are replaced, all others stay. Items that go to a folder join an item that is this folder. Two items
    /// of one name are still refused.
    case replace
    /// It is called `NAME-2`, with the number before the extension, or as much more as is needed; all that is kept of
    /// an item has the same number.
    case rename
    /// It is left out where the folder has the name. Of two items of one name in a stream, the second is called `NAME-2`,
    /// as with ``rename``.
    case skip
  }

  /// Where the directory is.
  public let path: String
  /// Which representations are wanted, by what they conform to, the type that is wanted most first; an item without any
  /// is left out.
  ///
  /// Empty, the first representation of each item is taken.
  public var acceptedTypes: [UTType] = []
  /// Whether every representation that is accepted becomes a file of its own, and not the one that is wanted most alone.
  ///
  /// One that has the bytes of another one that is kept becomes none; of several that have the same name, all but the
  /// first get numbers.
  public var keepsAllRepresentations = false
  /// Whether names may start with a period; those in a folder may, in any case.
  public var allowsHiddenNames = false
  /// Whether a missing directory is made; its parent must be there.
  ///
  /// It goes again where nothing comes of the stream, unless that was whole and had no items.
  public var isCreatedWhenMissing = false
  /// What becomes of an item whose name is taken.
  public var collision = Collision.refuse
  /// Whether files get the permissions and the time that the source says, and not those of new files.
  ///
  /// See ``/ItemTransfer/ItemFileAttributes``. Without it, an executable file stays executable for its owner, as far as the
  /// umask allows. Files in a folder always keep their times, to the second. Their permissions are those of the source
  /// with it, and are reduced by the umask without it.
  public var preservesAttributes = false
  /// Whether an item that is a folder becomes one; else it is kept as the zip archive that it travels as, with `.zip` at
  /// the end of its name.
  public var unpacksFolders = true

  /// Whether everything is flushed to the disk before it is reported as received.
  ///
  /// With it, what ``receive(from:options:progress:)`` has returned survives a crash of the machine, as far as its disk
  /// keeps what it has acknowledged: the files, their names, and the directories that were created for them. Without it,
  /// that survives a crash of this process; after a crash of the machine soon afterwards, a file may be missing, empty
  /// or incomplete. Flushing costs milliseconds for each file and folder.
  ///
  /// What comes from a source that allows a move is flushed in any case, as the source removes its own afterwards.
  public var isDurable = false

  /// Whether a file that is moved within its file system is given a name here, instead of being copied.
  ///
  /// The source must allow the use of its own file (``/ItemTransfer/SentTransferredFile/allowAccessingOriginalFile``), and
  /// a move. The file must be a regular file of this user with a single name, on the folder's file system, and have the
  /// size and the time that were offered. Any other file is copied.
  ///
  /// Such a file keeps its owner, permissions and times, whatever ``preservesAttributes`` and the umask say. Its content
  /// is not read, so it is not verified, and a program that has it open for writing can still change it: set this for
  /// sources that you trust. ``IncomingDrop/finish(_:keeping:)`` waits until the source has removed its own name, for up
  /// to 10 seconds without progress. A file that the source keeps, for whatever reason, becomes a copy here by then.
  public var takesOriginalFiles = false

  /// What files are called.
  package var naming = Naming.suggested

  var wanted: WantedRepresentations {
    WantedRepresentations(acceptedTypes: acceptedTypes, isAll: keepsAllRepresentations)
  }

  /// Names a directory; nothing is opened yet.
  public init(path: String) {
    self.path = path
  }

  /// Reads a stream to its verified end, and keeps what is wanted of each item as a file.
  ///
  /// - Parameters:
  ///   - endpoint: Where the stream comes from.
  ///   - options: Limits and idle timeout.
  ///   - progress: Counts the bytes that are kept, as they come.
  /// - Returns: The files, and what is not among them.
  /// - Throws: `DropStreamError`; no file is there then, nor any temporary one. Cancelling the task throws the code
  ///   `cancelled` and leaves as little.
  public func receive(
    from endpoint: DropEndpoint, options: DropStreamOptions = DropStreamOptions(), progress: ItemProgress? = nil
  ) async throws(DropStreamError) -> Receipt {
    let receipt = try await receive(from: endpoint, options: options, observer: progress.map(Observer.init(counting:)))
    progress?.finish()
    return receipt
  }

  /// The same for who wants to know more of what is going on.
  package func receive(
    from endpoint: DropEndpoint, options: DropStreamOptions = DropStreamOptions(), observer: Observer?
  ) async throws(DropStreamError) -> Receipt {
    var receipt = Receipt()
    let publication = try await receive(from: endpoint, options: options, observer: observer) { receipt.add($0) }
    receipt.settle(publication)
    return receipt
  }

  /// The same without a list of what has come, for streams of very many items.
  ///
  /// - Parameters:
  ///   - endpoint: Where the stream comes from.
  ///   - options: Limits and idle timeout.
  ///   - observer: Told of files and bytes.
  ///   - arrive: Told of each item, before it is known whether any will be kept.
  /// - Returns: What was decided in the end.
  /// - Throws: `DropStreamError`; no file is there then, nor any temporary one.
  package func receive(
    from endpoint: DropEndpoint, options: DropStreamOptions, observer: Observer?, arrive: ([Arrival]) -> Void
  ) async throws(DropStreamError) -> Publication {
    let program = try StreamProgram(endpoint, access: O_RDONLY)
    let publication = Lock(Publication())
    let sink = FolderSink(self, observer: observer) { outcome in publication.withLock { $0 = outcome } }
    let reader = try StreamReader(program.endpoint, options, sink: sink)
    do throws(DropStreamError) {
      while let arrivals = try await reader.next(isolation: nil) { arrive(arrivals) }
      await program.end()
      return publication.withLock { $0 }
    } catch {
      throw await program.fail(with: error)
    }
  }
}
