// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import AppKit

/// Functions that read and write notes which other programs may access at the same time.
enum NoteFile {
  static func read(_ url: URL) throws -> String {
    var coordinationError: NSError?
    var result: Result<String, Error>?
    NSFileCoordinator(filePresenter: nil).coordinate(readingItemAt: url, options: [], error: &coordinationError) {
      url in
      result = Result { try String(contentsOf: url, encoding: .utf8) }
    }
    if let error = coordinationError { throw error }
    return try result?.get() ?? ""
  }

  static func write(_ text: String, to url: URL) throws {
    var coordinationError: NSError?
    var writeError: Error?
    NSFileCoordinator().coordinate(writingItemAt: url, options: .forReplacing, error: &coordinationError) { url in
      let file = FileWrapper(regularFileWithContents: Data(text.utf8))
      do {
        try file.write(to: url, options: .atomic, originalContentsURL: nil)
      } catch {
        writeError = error
      }
    }
    if let error = coordinationError ?? writeError { throw error }
  }

  /// Returns whether the type of the file is text.
  static func isText(_ url: URL) -> Bool {
    let values = try? url.resourceValues(forKeys: [.contentTypeKey])
    return values?.contentType?.conforms(to: .text) ?? false
  }
}
