// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// Finds where the files of a list go: below the folder that all of them have in common, paths are kept.
///
/// So two files of the same name from different folders arrive side by side, and a list of files from one folder
/// arrives without folders, wherever that folder is.
struct ListedFolders {
  private typealias Path = [ArraySlice<UInt8>]
  private static let separator = UInt8(ascii: "/")

  /// Returns the names with their folders, without those in a folder that is listed itself: it is sent complete.
  ///
  /// Blocking.
  static func names(_ names: [String]) -> [OfferedName] {
    // A path that is absolute, or leaves the current directory, can be compared with others only from the root.
    let isLocal = names.allSatisfy { !$0.utf8.starts(with: "/".utf8) && !components($0).contains { isParent($0) } }
    let paths = names.map { name in
      UndecodableName.shown(name) == nil ? components(isLocal ? name : OfferedFile(path: name).resolvedPath) : nil
    }
    var folders: Set<Path> = []
    for (name, path) in zip(names, paths) {
      if let path, OfferedFile(path: name).isFolder { folders.insert(path) }
    }
    let common = commonCount(of: paths.compactMap { $0?.dropLast() })
    return zip(names, paths).compactMap { (name, path) -> OfferedName? in
      guard let path else { return OfferedName(path: name) }
      if (0..<path.count).contains(where: { folders.contains(Path(path.prefix($0))) }) { return nil }
      let folder = Array(path.dropLast().dropFirst(common).joined(separator: [separator]))
      return OfferedName(path: name, folder: folder.isEmpty ? nil : String(decoding: folder, as: UTF8.self))
    }
  }

  private static func components(_ path: String) -> Path {
    Array(path.utf8).split(separator: separator).filter { !$0.elementsEqual(".".utf8) }
  }

  private static func isParent(_ component: ArraySlice<UInt8>) -> Bool { component.elementsEqual("..".utf8) }

  /// How many folders all paths begin with.
  private static func commonCount(of folders: [ArraySlice<ArraySlice<UInt8>>]) -> Int {
    guard let first = folders.first else { return 0 }
    return folders.reduce(first.count) { count, folder in
      zip(first.prefix(count), folder).prefix(while: { $0.elementsEqual($1) }).count
    }
  }
}
