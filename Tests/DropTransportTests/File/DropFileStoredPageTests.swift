// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import DropTransport

@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct DropFileStoredPageTests {
  /// Decodes a page entry by entry.
  ///
  /// Returns `nil` if the page contradicts itself.
  private func plainly(_ payload: [UInt8]) -> (offsets: [UInt64], representations: [[DropFileIndex.Representation]])? {
    func number(_ offset: Int, _ length: Int) -> UInt64 {
      payload[offset..<offset + length].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
    guard payload.count >= 8 else { return nil }
    let (items, count) = (Int(number(0, 4)), Int(number(4, 4)))
    guard payload.count == 8 + 16 * (items + count) else { return nil }
    let firsts = (0..<items).map { Int(number(8 + 16 * $0 + 8, 4)) }
    guard firsts == firsts.sorted(), firsts.first ?? 0 == 0, firsts.last ?? 0 <= count,
      (0..<items).allSatisfy({ number(8 + 16 * $0 + 12, 4) == 0 })
    else { return nil }
    let all = (0..<count).map { index in
      let offset = 8 + 16 * (items + index)
      return DropFileIndex.Representation(offset: number(offset, 8), byteCount: number(offset + 8, 8))
    }
    let ends = firsts.dropFirst() + [count]
    return ((0..<items).map { number(8 + 16 * $0, 8) }, zip(firsts, ends).map { Array(all[$0..<$1]) })
  }

  private func expectAgreement(_ payload: [UInt8]) {
    let plain = plainly(payload)
    let stored = DropFileIndex.StoredPage(payload)
    #expect((stored == nil) == (plain == nil), "\(payload)")
    guard let stored, let plain else { return }
    #expect(stored.itemCount == plain.offsets.count)
    for item in plain.offsets.indices {
      #expect(stored.offset(of: item) == plain.offsets[item], "\(payload)")
      #expect(stored.representations(of: item) == plain.representations[item], "\(payload)")
    }
  }

  @Test("a stored page returns the same entries as a decoded page, and both reject corrupt pages")
  func storedPageEqualsADecodedPage() {
    var generator = SeededGenerator.announced(#function)
    for _ in 0..<2000 {
      var page = DropFileIndex.Page()
      for _ in 0..<Int.random(in: 0...6, using: &generator) {
        page.items.append(
          DropFileIndex.Item(
            offset: .random(in: 0...(.max), using: &generator),
            firstRepresentation: UInt32(page.representations.count)))
        for _ in 0..<Int.random(in: 0...3, using: &generator) {
          page.representations.append(
            DropFileIndex.Representation(
              offset: .random(in: 0...(.max), using: &generator), byteCount: .random(in: 0...(.max), using: &generator))
          )
        }
      }
      var payload: [UInt8] = []
      page.append(to: &payload)
      expectAgreement(payload)
      #expect(DropFileIndex.StoredPage(payload) != nil)
      for _ in 0..<8 {
        var damaged = payload
        let index = Int.random(in: 0..<damaged.count, using: &generator)
        switch Int.random(in: 0..<3, using: &generator) {
        case 0: damaged[index] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
        case 1: damaged[index] = UInt8.random(in: 0...3, using: &generator)
        default: damaged.removeLast(Int.random(in: 0...damaged.count, using: &generator))
        }
        expectAgreement(damaged)
      }
    }
  }
}
