// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

package import ItemTransfer
public import UniformTypes

extension DropFolder {
  /// A received file or folder.
  public struct File: Sendable, Hashable {
    /// The name in the folder.
    public internal(set) var name: String
    /// The type that the source declared.
    public let contentType: UTType
    /// The number of bytes received for the file.
    public let byteCount: UInt64
    /// The index of the item, counted from 0.
    public internal(set) var itemIndex: Int
    /// The name that the source suggested, if any.
    ///
    /// Escape it before printing it to a terminal.
    public let suggestedName: String?
  }

  /// A file that is missing because the source could not provide its representation.
  public struct MissingFile: Sendable, Hashable {
    /// The name that the file would have.
    public let name: String
    /// The type that the file would have.
    public let contentType: UTType
    /// The failure that the source reported.
    public let failure: SenderFailure
    /// The index of the item, counted from 0.
    public internal(set) var itemIndex: Int
  }

  /// An item that was left out because no type was acceptable or because its name was taken.
  public struct LeftOutItem: Sendable, Hashable {
    /// The name that the source suggested, if any.
    ///
    /// Escape it before printing it to a terminal.
    public let suggestedName: String?
    /// The types of its representations.
    public let contentTypes: [UTType]
    /// The name that was taken; `nil` if no type was acceptable.
    public internal(set) var takenName: String?
    /// Whether the item was left out because its name, or the name of its folder, starts with a period.
    package internal(set) var isHidden = false
    /// The index of the item, counted from 0.
    public internal(set) var itemIndex: Int
  }

  /// The result of a receive.
  ///
  /// A complete and verified stream may contain representations that its source could not provide.
  public struct Receipt: Sendable, Hashable {
    /// The files that are in the folder now, in the order of the items.
    public internal(set) var files: [File] = []
    /// The files whose representations the source could not provide.
    public internal(set) var missing: [MissingFile] = []
    /// The items that were not acceptable or whose names were taken.
    public internal(set) var leftOut: [LeftOutItem] = []
    /// The indices of the words of ``ItemSelection`` that an item matched.
    package internal(set) var matchedWords: Set<Int> = []

    /// The indices of the items of which at least one file was kept, in ascending order.
    public var keptItems: [Int] { Array(Set(files.map(\.itemIndex))).sorted() }

    /// Whether the source offered items, and none in an acceptable type.
    ///
    /// This is false if a file was kept or the source failed to provide an item. It is also false if an item was left
    /// out because its name was taken.
    public var hasNothingAcceptable: Bool {
      files.isEmpty && missing.isEmpty && !leftOut.isEmpty && leftOut.allSatisfy { $0.takenName == nil }
    }

    /// Returns the receipt with the indices that the items have behind the items of earlier drops.
    func following(_ itemCount: Int) -> Receipt {
      guard itemCount > 0 else { return self }
      var copy = self
      for index in copy.files.indices { copy.files[index].itemIndex += itemCount }
      for index in copy.missing.indices { copy.missing[index].itemIndex += itemCount }
      for index in copy.leftOut.indices { copy.leftOut[index].itemIndex += itemCount }
      return copy
    }

    mutating func append(_ other: Receipt) {
      files += other.files
      missing += other.missing
      leftOut += other.leftOut
      matchedWords.formUnion(other.matchedWords)
    }

    /// Applies the final names, and moves the items that were left out from ``files`` to ``leftOut``.
    mutating func settle(_ publication: Publication.Outcome) {
      if !publication.leftOut.isEmpty {
        let items = Set(publication.leftOut.map(\.itemIndex))
        files.removeAll { items.contains($0.itemIndex) }
        leftOut = (leftOut + publication.leftOut).sorted { $0.itemIndex < $1.itemIndex }
      }
      if publication.finalNames.isEmpty { return }
      for index in files.indices {
        if let name = publication.finalNames[Array(files[index].name.utf8)] { files[index].name = name }
      }
    }
  }

  /// The names of received files.
  package enum Naming: Sendable, Hashable {
    /// The name that the source suggests.
    case suggested
    /// One name for every item, so that only one item can be kept.
    case fixed(String)
    /// The number of the item and the index of the representation.
    case numbered
  }

  /// Callbacks about the progress of a receive, which run on the receiving thread.
  package struct Observer: Sendable {
    let begin: @Sendable (_ name: String, _ byteCount: UInt64?) -> Void
    let advance: @Sendable (Int) -> Void
    let remark: @Sendable (String) -> Void
    let load: (@Sendable (_ itemIndex: Int, _ progress: ItemProgress) -> Void)?
    let fail: @Sendable (DropStreamError) -> Void
    private(set) var end: @Sendable () -> Void = {}

    /// Creates an observer.
    ///
    /// - Parameters:
    ///   - begin: Called for each file before its bytes arrive, with its size in bytes if it is known.
    ///   - advance: Called with the number of bytes received since the last call.
    ///   - remark: Called with a line about staging directories for the user, escaped for a terminal.
    ///   - load: Called before each representation of a session is loaded. Cancelling the progress cancels that load
    ///     only; the file is then reported as missing.
    ///   - fail: Called with the error of each representation that an item of this process could not load.
    package init(
      begin: @escaping @Sendable (_ name: String, _ byteCount: UInt64?) -> Void,
      advance: @escaping @Sendable (Int) -> Void, remark: @escaping @Sendable (String) -> Void = { _ in },
      load: (@Sendable (_ itemIndex: Int, _ progress: ItemProgress) -> Void)? = nil,
      fail: @escaping @Sendable (DropStreamError) -> Void = { _ in }
    ) {
      self.begin = begin
      self.advance = advance
      self.remark = remark
      self.load = load
      self.fail = fail
    }

    init(counting progress: ItemProgress) {
      self.init(begin: { _, _ in }, advance: { progress.advance(by: Int64($0)) })
      end = { progress.finish() }
    }
  }
}
