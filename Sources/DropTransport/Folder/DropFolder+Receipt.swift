// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import ItemTransfer
public import UniformTypes

extension DropFolder {
  /// A file or folder that has arrived.
  public struct File: Sendable, Hashable {
    /// Its name in the folder.
    public internal(set) var name: String
    /// What the source says it is.
    public let contentType: UTType
    /// How many bytes have come for it.
    public let byteCount: UInt64
    /// Which item it is, counted from 0.
    public let itemIndex: Int
    /// What the source calls it, to be escaped before it reaches a terminal.
    public let suggestedName: String?
    /// Whether it is the source's own file, whose content was not verified (``DropFolder/takesOriginalFiles``).
    public internal(set) var isOriginal = false
  }

  /// An item that is not there, because the source could not make it.
  public struct MissingFile: Sendable, Hashable {
    /// What it would be called.
    public let name: String
    /// What it would be.
    public let contentType: UTType
    /// The source's words.
    public let failure: SenderFailure
    /// Which item it is, counted from 0.
    public let itemIndex: Int
  }

  /// An item that was left out: nothing of it was wanted, or its name was taken.
  public struct LeftOutItem: Sendable, Hashable {
    /// What the source calls it, to be escaped before it reaches a terminal.
    public let suggestedName: String?
    /// What it was offered as.
    public let contentTypes: [UTType]
    /// The name that was taken; `nil` where no type was wanted.
    public internal(set) var takenName: String?
    /// Which item it is, counted from 0.
    public let itemIndex: Int
  }

  /// What has come of a stream: a whole and verified one may have items that its source could not make.
  public struct Receipt: Sendable, Hashable {
    /// The files that are in the folder now, in the order of the items.
    public internal(set) var files: [File] = []
    /// What is not there.
    public internal(set) var missing: [MissingFile] = []
    /// What was not wanted, or has a name that was taken.
    public internal(set) var leftOut: [LeftOutItem] = []

    /// The items of which something was kept, by index, in order.
    public var keptItems: [Int] { Array(Set(files.map(\.itemIndex))).sorted() }

    /// Whether items were offered, and none as a type that is accepted.
    ///
    /// False where something was kept, could not be made by its source, or was left out because its name was taken.
    public var hasNothingAcceptable: Bool {
      files.isEmpty && missing.isEmpty && !leftOut.isEmpty && leftOut.allSatisfy { $0.takenName == nil }
    }

    mutating func add(_ arrivals: [Arrival]) {
      for arrival in arrivals {
        switch arrival {
        case .file(let file): files.append(file)
        case .missing(let missing): self.missing.append(missing)
        case .leftOut(let item): leftOut.append(item)
        }
      }
    }

    /// Says what has become of the files in the end.
    mutating func settle(_ publication: Publication) {
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

  /// What was decided when the files got their names.
  package struct Publication: Sendable {
    /// What is called otherwise than was said, by the bytes of what was said.
    var finalNames: [[UInt8]: String] = [:]
    /// What is not kept after all, as its name has been taken meanwhile.
    package var leftOut: [LeftOutItem] = []
    /// How many files were kept.
    package var fileCount = 0
    /// How many bytes came for them.
    package var byteCount: UInt64 = 0
    /// The files that have names of the source's as well, until it removes those.
    var originals: OriginalFiles?
  }

  /// What files are called.
  package enum Naming: Sendable, Hashable {
    /// As the source says.
    case suggested
    /// All the same: there can be one.
    case fixed(String)
    /// By the number of the item.
    case numbered
  }

  /// What has become of a part of an item.
  package enum Arrival: Sendable {
    case file(File)
    case missing(MissingFile)
    case leftOut(LeftOutItem)
  }

  /// Is told what is being received, on the thread that receives it.
  package struct Observer: Sendable {
    let begin: @Sendable (_ name: String, _ byteCount: UInt64?) -> Void
    let advance: @Sendable (Int) -> Void
    let remark: @Sendable (String) -> Void

    /// - Parameters:
    ///   - begin: Told of each file before its bytes come, and of its size where that is known.
    ///   - advance: Told of bytes.
    ///   - remark: Gets lines for people about staging directories, escaped for a terminal.
    package init(
      begin: @escaping @Sendable (_ name: String, _ byteCount: UInt64?) -> Void,
      advance: @escaping @Sendable (Int) -> Void, remark: @escaping @Sendable (String) -> Void = { _ in }
    ) {
      self.begin = begin
      self.advance = advance
      self.remark = remark
    }

    init(counting progress: ItemProgress) {
      self.init(begin: { _, _ in }, advance: { progress.advance(by: Int64($0)) })
    }
  }
}
