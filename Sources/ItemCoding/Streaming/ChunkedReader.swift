// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials

/// Finds items in bytes that arrive in chunks, as a ``ReaderSequence`` drives it; the public readers are such.
package protocol ChunkedReader: Sendable {
  associatedtype Item
  associatedtype Failure: Error

  /// Takes the next bytes, cut anywhere.
  mutating func append(_ bytes: Data)
  /// Says that there are no more bytes.
  mutating func finish()
  /// The next item; `nil` means that more bytes are needed or, after ``finish()``, that this was all.
  mutating func next() throws(Failure) -> Item?
}

extension ChunkedReader {
  /// Everything in bytes that are already there.
  package consuming func all(in bytes: Data) throws(Failure) -> [Item] {
    var reader = self
    reader.append(bytes)
    reader.finish()
    var items: [Item] = []
    while let item = try reader.next() { items.append(item) }
    return items
  }
}
