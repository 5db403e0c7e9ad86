// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

extension DropFileIndex {
  /// A page as it is in a file: whole, but what it says of an item is only read when that is asked for.
  struct StoredPage: Hashable, Sendable {
    private let payload: [UInt8]
    let itemCount: Int
    private let representationCount: Int

    /// Takes a page that somebody else has written.
    ///
    /// - Returns: `nil` where it contradicts itself.
    init?(_ payload: [UInt8]) {
      guard payload.count >= Page.headerLength else { return nil }
      let (items, count) = payload.withUnsafeBytes { bytes in
        (Int(bytes.littleEndian(at: 0, as: UInt32.self)), Int(bytes.littleEndian(at: 4, as: UInt32.self)))
      }
      guard payload.count == Page.headerLength + items * Item.length + count * Representation.length,
        payload.withUnsafeBytes({ Self.isInOrder($0, items: items, representations: count) })
      else { return nil }
      self.payload = payload
      itemCount = items
      representationCount = count
    }

    /// Whether what is between the first representations of two items is the former's, and the rest of each is zero.
    private static func isInOrder(_ payload: UnsafeRawBufferPointer, items: Int, representations: Int) -> Bool {
      var last: UInt64 = 0
      for item in 0..<items {
        // With the four bytes of zero, which would make it too large.
        let first = payload.littleEndian(at: Page.headerLength + item * Item.length + 8, as: UInt64.self)
        guard first >= last, first <= representations, item > 0 || first == 0 else { return false }
        last = first
      }
      return true
    }

    /// Where the offer of an item is.
    func offset(of item: Int) -> UInt64 {
      payload.withUnsafeBytes { $0.littleEndian(at: start(of: item)) }
    }

    /// The representations of an item of the page.
    func representations(of item: Int) -> [Representation] {
      let end = item + 1 < itemCount ? firstRepresentation(of: item + 1) : representationCount
      return payload.withUnsafeBytes { bytes in
        (firstRepresentation(of: item)..<end).map { number in
          let offset = start(of: itemCount) + number * Representation.length
          return Representation(
            offset: bytes.littleEndian(at: offset), byteCount: bytes.littleEndian(at: offset + 8))
        }
      }
    }

    private func firstRepresentation(of item: Int) -> Int {
      payload.withUnsafeBytes { Int($0.littleEndian(at: start(of: item) + 8, as: UInt32.self)) }
    }

    private func start(of item: Int) -> Int {
      Page.headerLength + item * Item.length
    }
  }
}
