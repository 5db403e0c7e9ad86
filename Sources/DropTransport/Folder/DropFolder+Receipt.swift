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
    public let takenName: String?
    /// Which item it is, counted from 0.
    public let itemIndex: Int
  }

  /// What has come of a stream: a whole and verified one may have items that its source could not make.
  public struct Receipt: Sendable, Hashable {
    /// The files that are in the folder now, in the order of the items.
    public internal(set) var files: [File] = []
    /// What is not there.
    public internal(set) var missing: [MissingFile] = []
    /// What was not wanted.
    public internal(set) var leftOut: [LeftOutItem] = []

    /// The items of which something was kept, by index, in order.
    public var keptItems: [Int] { Array(Set(files.map(\.itemIndex))).sorted() }

    mutating func add(_ arrivals: [Arrival]) {
      for arrival in arrivals {
        switch arrival {
        case .file(let file): files.append(file)
        case .missing(let missing): self.missing.append(missing)
        case .leftOut(let item): leftOut.append(item)
        }
      }
    }

    /// Says of files what they are called in the end.
    mutating func rename(_ finalNames: [String: String]) {
      guard !finalNames.isEmpty else { return }
      for index in files.indices {
        if let name = finalNames[files[index].name] { files[index].name = name }
      }
    }
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
  enum Arrival: Sendable {
    case file(File)
    case missing(MissingFile)
    case leftOut(LeftOutItem)
  }

  /// Is told what is being received, on the thread that receives it.
  package struct Observer: Sendable {
    let begin: @Sendable (_ name: String, _ byteCount: UInt64?) -> Void
    let advance: @Sendable (Int) -> Void

    /// - Parameters:
    ///   - begin: Told of each file before its bytes come, and of its size where that is known.
    ///   - advance: Told of bytes.
    package init(
      begin: @escaping @Sendable (_ name: String, _ byteCount: UInt64?) -> Void,
      advance: @escaping @Sendable (Int) -> Void
    ) {
      self.begin = begin
      self.advance = advance
    }

    init(counting progress: ItemProgress) {
      self.init(begin: { _, _ in }, advance: { progress.advance(by: Int64($0)) })
    }
  }
}
