// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import ItemTransfer
import TestSupport
import UniformTypes

@testable import DropTransport

/// A way to transfer items to a folder.
///
/// All ways must have the same result.
enum FolderWay: String, CaseIterable, Sendable {
  case pipe, session

  /// Transfers items to a folder.
  func receive(_ items: [ItemProvider], into folder: DropFolder) async throws -> DropFolder.Receipt {
    switch self {
    case .pipe:
      let pair = try DescriptorPair.pipe()
      async let written: Void = DropStream.withWriter(to: pair.writer) { writer in
        for item in items { _ = try await writer.writeAvailable(item) }
      }
      let received: Result<DropFolder.Receipt, any Error>
      do { received = .success(try await folder.receive(from: pair.reader)) } catch { received = .failure(error) }
      _ = try? await written
      return try received.get()
    case .session:
      let (_, received) = try await holdSession { session in
        try await session.offer(items)
      } destination: { session in
        for try await drop in session.drops {
          do {
            let receipt = try await folder.receive(drop)
            try await drop.finish(.copy, keeping: receipt.keptItems)
            return receipt
          } catch {
            try? await drop.refuse(because: "\(error)")
            throw error
          }
        }
        throw CancellationError()
      }
      return try received.get()
    }
  }
}

/// Returns an item with text representations: for each type, its content.
func textItem(_ name: String?, _ representations: KeyValuePairs<UTType, String>) -> ItemProvider {
  let item = ItemProvider(suggestedName: name)
  for (type, text) in representations { item.register(type) { _ in Data(text.utf8) } }
  return item
}
