// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropTransport

/// The summary of received items.
///
/// It takes limited memory, regardless of their number.
struct ReceiptSummary: Sendable {
  /// The maximum number of left-out items to list.
  static let listedCount = 1000

  private(set) var fileCount = 0
  private(set) var byteCount: UInt64 = 0
  /// The first left-out items, up to ``listedCount``.
  private(set) var leftOut: [DropFolder.LeftOutItem] = []
  private(set) var leftOutCount = 0
  private var takenCount = 0
  private(set) var firstMissing: DropFolder.MissingFile?
  private(set) var missingCount = 0

  init() {}

  init(_ receipt: DropFolder.Receipt) {
    for item in receipt.leftOut { add(item) }
    for file in receipt.missing { add(file) }
    fileCount = receipt.files.count
    byteCount = receipt.files.reduce(0) { $0 + $1.byteCount }
  }

  /// Whether items were offered, but none with an accepted type.
  var hasNothingAcceptable: Bool { fileCount == 0 && missingCount == 0 && leftOutCount > 0 && takenCount == 0 }

  /// Adds items that arrived before the end of the stream.
  ///
  /// Files are added later, when they are published.
  mutating func add(_ arrivals: [DropFolder.Arrival]) {
    for arrival in arrivals {
      switch arrival {
      case .file: break
      case .missing(let file): add(file)
      case .leftOut(let item): add(item)
      }
    }
  }

  mutating func settle(_ publication: DropFolder.Publication) {
    for item in publication.leftOut { add(item) }
    fileCount = publication.fileCount
    byteCount = publication.byteCount
  }

  private mutating func add(_ item: DropFolder.LeftOutItem) {
    leftOutCount += 1
    if item.takenName != nil { takenCount += 1 }
    if leftOut.count < Self.listedCount { leftOut.append(item) }
  }

  private mutating func add(_ file: DropFolder.MissingFile) {
    missingCount += 1
    firstMissing = firstMissing ?? file
  }
}
