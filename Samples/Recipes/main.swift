// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DragPipe
import Foundation

struct Recipe: Codable, Transferable {
  var title: String
  static var transferRepresentation: some TransferRepresentation { CodableRepresentation(contentType: .json) }
}
do {
  try await DropStream.withReader(from: .standardInput) { items in
    for try await item in items { print(try await item.value(as: Recipe.self).title) }
  }
} catch {
  FileHandle.standardError.write(Data("recipes: \(error)\n".utf8))
  exit(65)
}
