// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Cocoa

/// The members of file coordination, file wrappers and resource values, each used as in a program for Apple's systems.
enum FileMembers {
  static var all: [Member] {
    var list = MemberList()
    addResourceValues(to: &list)
    addDirectories(to: &list)
    addCoordinator(to: &list)
    addWrapper(to: &list)
    return list.members
  }

  private static func addResourceValues(to list: inout MemberList) {
    list.of("URLResourceValues")
    list.differs(
      "contentTypeKey, contentType",
      "`contentType` needs a literal list of keys, or the key of the path: Foundation does not know the key here."
    ) {
      try await withFile { try $0.resourceValues(forKeys: [.contentTypeKey]).contentType == .plainText }
    }
    list.of("URL")
    list.differs(
      "startAccessingSecurityScopedResource()", "It has no effect and returns `true`: Linux has no such sandbox."
    ) {
      URL(fileURLWithPath: "/saga").startAccessingSecurityScopedResource()
    }
    list.differs("stopAccessingSecurityScopedResource()", "It has no effect.") {
      URL(fileURLWithPath: "/saga").stopAccessingSecurityScopedResource()
      return true
    }
  }

  private static func addDirectories(to list: inout MemberList) {
    list.has(
      "cachesDirectory", "applicationSupportDirectory", "documentsDirectory", "downloadsDirectory", "desktopDirectory",
      "picturesDirectory", "moviesDirectory", "musicDirectory", "sharedPublicDirectory"
    ) {
      let directories: [URL] = [
        .cachesDirectory, .applicationSupportDirectory, .documentsDirectory, .downloadsDirectory, .desktopDirectory,
        .picturesDirectory, .moviesDirectory, .musicDirectory, .sharedPublicDirectory,
      ]
      return directories.allSatisfy { $0.isFileURL && $0.hasDirectoryPath }
    }
    list.differs("libraryDirectory", "It is the directory of `applicationSupportDirectory`.") {
      URL.libraryDirectory == .applicationSupportDirectory
    }
    list.differs("trashDirectory", "It is `Trash/files` in `applicationSupportDirectory`.") {
      URL.trashDirectory.lastPathComponent == "files"
    }
    list.differs("applicationDirectory", "It is `/usr/share/applications`.") {
      URL.applicationDirectory.path == "/usr/share/applications"
    }
    list.differs("userDirectory", "It is `/home`.") { URL.userDirectory.path == "/home" }
    list.has("init(for:in:appropriateFor:create:)") {
      try URL(for: .cachesDirectory, in: .userDomainMask).path == URL.cachesDirectory.path
    }
    list.differs(
      "init(resolvingAliasFileAt:options:)", "It resolves symbolic links, which are the alias files of Linux."
    ) {
      try await withFile {
        try URL(resolvingAliasFileAt: $0) == $0 && URL(resolvingAliasFileAt: $0, options: .withoutUI) == $0
      }
    }
    list.of("FileManager")
    list.differs(
      "containerURL(forSecurityApplicationGroupIdentifier:)",
      "The directory is `app-groups` in the user's data directory; Linux has no entitlements."
    ) {
      FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: "group/../heroes") == nil
    }
  }

  private static func addCoordinator(to list: inout MemberList) {
    let url = URL(fileURLWithPath: "/saga")
    let other = URL(fileURLWithPath: "/edda")
    list.of("NSFileCoordinator")
    list.differs("init(filePresenter:)", "The presenter is ignored: no presenter is notified.") {
      !NSFileCoordinator(filePresenter: nil).purposeIdentifier.isEmpty
    }
    list.has(
      "coordinate(writingItemAt:options:error:byAccessor:)",
      "coordinate(writingItemAt:options:writingItemAt:options:error:byAccessor:)"
    ) {
      var error: NSError?
      var paths: [String] = []
      let coordinator = NSFileCoordinator(filePresenter: nil)
      coordinator.coordinate(writingItemAt: url, options: .forReplacing, error: &error) { paths.append($0.path) }
      coordinator.coordinate(
        writingItemAt: url, options: .forMoving, writingItemAt: other, options: .forReplacing, error: nil
      ) {
        paths += [$0.path, $1.path]
      }
      return error == nil && paths == ["/saga", "/saga", "/edda"]
    }
    list.differs(
      "coordinate(readingItemAt:options:error:byAccessor:)", "`forUploading` does not archive a folder."
    ) {
      var path = ""
      NSFileCoordinator().coordinate(readingItemAt: url, options: [], error: nil) { path = $0.path }
      return path == "/saga"
    }
    list.has("coordinate(readingItemAt:options:writingItemAt:options:error:byAccessor:)", "purposeIdentifier") {
      let coordinator = NSFileCoordinator()
      coordinator.purposeIdentifier = "org.example.edda"
      var paths: [String] = []
      coordinator.coordinate(
        readingItemAt: url, options: .withoutChanges, writingItemAt: other, options: [], error: nil
      ) {
        paths = [$0.path, $1.path]
      }
      return paths == ["/saga", "/edda"] && coordinator.purposeIdentifier == "org.example.edda"
    }
    list.has("coordinate(with:queue:byAccessor:)", "cancel()", "NSFileAccessIntent") {
      let coordinator = NSFileCoordinator()
      let intents = [NSFileAccessIntent.readingIntent(with: url), .writingIntent(with: other, options: .forDeleting)]
      let hasFailed = await answer { completion in
        coordinator.coordinate(with: intents, queue: OperationQueue()) { completion($0 != nil) }
      }
      coordinator.cancel()
      return hasFailed == false && intents[0].url == url
    }
    list.differs("item(at:willMoveTo:), item(at:didMoveTo:)", "They have no effect: no presenter is notified.") {
      let coordinator = NSFileCoordinator()
      coordinator.item(at: url, willMoveTo: other)
      coordinator.item(at: url, didMoveTo: other)
      return true
    }
    list.lacks("addFilePresenter(_:), removeFilePresenter(_:), filePresenters", "No presenter is notified.")
    list.lacks("prepare(forReadingItemsAt:writingItemsAt:options:byAccessor:)", "It saves messages between processes.")
  }

  private static func addWrapper(to list: inout MemberList) {
    list.of("FileWrapper")
    list.has("init(regularFileWithContents:)", "regularFileContents", "isRegularFile", "preferredFilename") {
      let text = FileWrapper(regularFileWithContents: Data("Hail".utf8))
      text.preferredFilename = "hail.txt"
      return text.isRegularFile && text.regularFileContents == Data("Hail".utf8)
        && text.preferredFilename == "hail.txt"
    }
    list.has(
      "init(directoryWithFileWrappers:)", "isDirectory", "fileWrappers", "addFileWrapper(_:)", "removeFileWrapper(_:)",
      "addRegularFile(withContents:preferredFilename:)", "keyForChildFileWrapper(_:)"
    ) {
      let folder = FileWrapper(directoryWithFileWrappers: ["a": FileWrapper(regularFileWithContents: Data())])
      let key = folder.addRegularFile(withContents: Data([1]), preferredFilename: "a")
      guard let added = folder.fileWrappers?[key], key != "a" else { return false }
      let other = FileWrapper(regularFileWithContents: Data())
      other.preferredFilename = "b"
      folder.addFileWrapper(other)
      let isFound = folder.keyForChildFileWrapper(added) == key
      folder.removeFileWrapper(added)
      return isFound && folder.isDirectory && folder.fileWrappers?.keys.sorted() == ["a", "b"]
    }
    list.has("init(symbolicLinkWithDestinationURL:)", "isSymbolicLink", "symbolicLinkDestinationURL") {
      let link = FileWrapper(symbolicLinkWithDestinationURL: URL(fileURLWithPath: "/saga"))
      return link.isSymbolicLink && link.symbolicLinkDestinationURL?.path == "/saga"
    }
    list.has(
      "init(url:options:)", "filename", "fileAttributes", "matchesContents(of:)", "read(from:options:)",
      "write(to:options:originalContentsURL:)"
    ) {
      try await withFile { file in
        let wrapper = try FileWrapper(url: file, options: .immediate)
        let isSame = wrapper.matchesContents(of: file) && wrapper.filename == file.lastPathComponent
        try wrapper.write(to: file, options: [.atomic, .withNameUpdating], originalContentsURL: nil)
        try wrapper.read(from: file)
        return isSame && wrapper.regularFileContents == Data("Hail".utf8)
          && wrapper.fileAttributes[FileAttributeKey.size.rawValue] as? Int == 4
      }
    }
    list.lacks("serializedRepresentation, init(serializedRepresentation:)", "Apple does not document the format.")
    list.lacks("init(coder:)", "Apple does not document the format.")
  }
}
