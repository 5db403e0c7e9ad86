// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials
package import UniformTypes

extension ItemContent {
  /// Content that stays what it is when its source removes its file or folder; blocks.
  ///
  /// A file is kept open, which is as good as a copy unless the source overwrites it; of a folder the archive is made.
  ///
  /// - Parameters:
  ///   - type: What it is; only what conforms to a directory can be a folder.
  ///   - isCancelled: Asked between the steps of an archive.
  /// - Returns: The same content; what cannot be opened is left for the one who reads it to refuse.
  /// - Throws: As `FolderContent.packed`.
  package func kept(as type: UTType, isCancelled: () -> Bool) throws -> ItemContent {
    guard case .file(let sent) = self, sent.file.isFileURL, let file = try? LocalFile.open(sent.file.path) else {
      return self
    }
    switch try file.kind() {
    case .file:
      let path = URL(filePath: file.descriptorPath, directoryHint: .notDirectory)
      return .file(SentTransferredFile(path, allowAccessingOriginalFile: false, keepingAlive: file))
    case .folder where type.conforms(to: .directory):
      return try FolderContent.archive(of: sent.file.path, isCancelled: isCancelled)
    case .folder, .other: return self
    }
  }
}
