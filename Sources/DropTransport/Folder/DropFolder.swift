// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import Glibc
public import ItemTransfer
public import UniformTypes

/// A directory that takes the items of a drop stream as files: all of them, or none.
///
/// Files are staged in a directory of their own inside it, named `.dragpipe-` and random characters, that nobody else
/// can read; they get their names only once the end of the stream has been verified. Names are kept exactly as they
/// were sent, or refused. Nothing that is there is ever replaced. An item that is a folder is kept as the zip archive
/// that it travels as, with `.zip` at the end of its name.
///
/// ```swift
/// let receipt = try await DropFolder(path: "in").receive(from: .standardInput)
/// ```
public struct DropFolder: Sendable, Hashable {
  /// A file that has arrived.
  public struct File: Sendable, Hashable {
    /// Its name in the folder.
    public let name: String
    /// What the source says it is.
    public let contentType: UTType
    /// Its size.
    public let byteCount: UInt64
  }

  /// An item that is not there, because the source could not make it.
  public struct MissingFile: Sendable, Hashable {
    /// What it would be called.
    public let name: String
    /// What it would be.
    public let contentType: UTType
    /// The source's words.
    public let failure: SenderFailure
  }

  /// What has come of a stream: a whole and verified one may have items that its source could not make.
  public struct Receipt: Sendable, Hashable {
    /// The files that are in the folder now, in the order of the items.
    public internal(set) var files: [File] = []
    /// What is not there.
    public internal(set) var missing: [MissingFile] = []
  }

  enum Arrival: Sendable {
    case file(File)
    case missing(MissingFile)
  }

  /// Where the directory is.
  public let path: String
  /// Whether names may start with a period.
  public var allowsHiddenNames = false
  /// Whether a missing directory is made; its parent must be there.
  public var isCreatedWhenMissing = false

  /// Names a directory; nothing is opened yet.
  public init(path: String) {
    self.path = path
  }

  /// Reads a stream to its verified end, and keeps the first representation of each item as a file.
  ///
  /// - Parameters:
  ///   - endpoint: Where the stream comes from.
  ///   - options: Limits and idle timeout.
  ///   - progress: Counts the bytes of finished items.
  /// - Returns: The files, and what the source could not make.
  /// - Throws: `DropStreamError`; no file is there then, nor any temporary one. Cancelling the task throws the code
  ///   `cancelled` and leaves as little.
  public func receive(
    from endpoint: DropEndpoint, options: DropStreamOptions = DropStreamOptions(), progress: ItemProgress? = nil
  ) async throws(DropStreamError) -> Receipt {
    let program = try StreamProgram(endpoint, access: O_RDONLY)
    let lane = try InputLane(endpoint: program.endpoint, options: options, sink: FolderSink(self))
    do throws(DropStreamError) {
      let receipt = try await receive(LaneItems(lane), progress)
      await program.end()
      return receipt
    } catch {
      throw await program.fail(with: error)
    }
  }

  private func receive(
    _ items: LaneItems<FolderSink>, _ progress: ItemProgress?
  ) async throws(DropStreamError) -> Receipt {
    var receipt = Receipt()
    while let arrival = try await items.next(isolation: nil) {
      switch arrival {
      case .file(let file):
        receipt.files.append(file)
        progress?.advance(by: Int64(clamping: file.byteCount))
      case .missing(let missing): receipt.missing.append(missing)
      }
    }
    progress?.finish()
    return receipt
  }
}
