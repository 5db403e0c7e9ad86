// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import ItemProviderCompat
import TestSupport
import Testing

/// The names that Foundation lacks on Linux.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct FoundationAdditionTests {
  @Test func anEmptyProgressIsIndeterminateAndHasNoParent() {
    let parent = Progress(totalUnitCount: 1)
    parent.becomeCurrent(withPendingUnitCount: 1)
    let progress = Progress()
    progress.totalUnitCount = 2
    progress.completedUnitCount = 1
    parent.resignCurrent()
    #expect(Progress().totalUnitCount == 0 && Progress().isIndeterminate)
    #expect(progress.fractionCompleted == 0.5 && parent.fractionCompleted != 0.5)
  }

  @Test func directoriesFollowTheVariablesOfTheUser() async throws {
    await #expect(processExitsWith: .success) {
      setenv("XDG_CACHE_HOME", "/saga/caches", 1)
      setenv("XDG_DATA_HOME", "/saga/data", 1)
      let paths = [URL.cachesDirectory, .applicationSupportDirectory, .libraryDirectory, .trashDirectory].map(\.path)
      #expect(paths == ["/saga/caches", "/saga/data", "/saga/data", "/saga/data/Trash/files"])
      #expect(URL.cachesDirectory.hasDirectoryPath)
    }
  }

  @Test func directoriesOfTheUserHaveTheNamesThatTheUserHasChosen() async throws {
    let home = try TemporaryDirectory()
    defer { home.remove() }
    let names = ["DOCUMENTS", "DOWNLOAD", "DESKTOP", "PICTURES", "VIDEOS", "MUSIC", "PUBLICSHARE"]
    _ = try home.write(
      Data(names.map { "XDG_\($0)_DIR=\"/saga/\($0)\"\n" }.joined().utf8), to: "user-dirs.dirs")
    await #expect(processExitsWith: .success) { [path = home.url.path as String] in
      setenv("XDG_CONFIG_HOME", path, 1)
      let directories: [URL] = [
        .documentsDirectory, .downloadsDirectory, .desktopDirectory, .picturesDirectory, .moviesDirectory,
        .musicDirectory, .sharedPublicDirectory,
      ]
      let home = URL.homeDirectory
      let expected = ["DOCUMENTS", "DOWNLOAD", "DESKTOP", "PICTURES", "VIDEOS", "MUSIC", "PUBLICSHARE"]
      #expect(directories.map(\.path) == expected.map { "/saga/\($0)" })
      let choices = [
        "XDG_MUSIC_DIR=\"$HOME/My \\\"Songs\\\"\"", "XDG_VIDEOS_DIR=\"films\"", "XDG_DESKTOP_DIR=\"$HOME\"",
      ]
      try Data(choices.joined(separator: "\n").utf8).write(to: URL(fileURLWithPath: path + "/user-dirs.dirs"))
      let found = [URL.musicDirectory, .moviesDirectory, .desktopDirectory, .documentsDirectory].map(\.path)
      #expect(found == [home.path + "/My \"Songs\"", home.path + "/Videos", home.path, home.path + "/Documents"])
    }
  }

  @Test func aDirectoryThatLinuxLacksIsAnError() {
    #expect(throws: (any Error).self) { try URL(for: .applicationDirectory, in: .userDomainMask) }
  }

  @Test func onlyTheUserMayWriteToAGroupContainer() async throws {
    let data = try TemporaryDirectory()
    defer { data.remove() }
    await #expect(processExitsWith: .success) { [path = data.url.path as String] in
      umask(0)
      setenv("XDG_DATA_HOME", path, 1)
      func container(_ identifier: String) -> String? {
        FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: identifier)?.path
      }
      #expect(container("group.org.example.heroes") == path + "/app-groups/group.org.example.heroes")
      for directory in ["/app-groups", "/app-groups/group.org.example.heroes"] {
        let attributes = try FileManager.default.attributesOfItem(atPath: path + directory)
        #expect(attributes[.posixPermissions] as? Int == 0o700, "\(directory)")
      }
      try Data("Hail".utf8).write(to: URL(fileURLWithPath: path + "/app-groups/group.org.example.heroes/hail.txt"))
      // The second call keeps the contents and the mode.
      chmod(path + "/app-groups/group.org.example.heroes", 0o750)
      #expect(container("group.org.example.heroes") != nil)
      let names = try FileManager.default.contentsOfDirectory(atPath: path + "/app-groups/group.org.example.heroes")
      let mode = try FileManager.default.attributesOfItem(atPath: path + "/app-groups/group.org.example.heroes")
      #expect(names == ["hail.txt"] && mode[.posixPermissions] as? Int == 0o750)
      try FileManager.default.createSymbolicLink(atPath: path + "/app-groups/link", withDestinationPath: "/tmp")
      chmod(path + "/app-groups/group.org.example.heroes", 0o770)
      #expect(container("link") == nil && container("group.org.example.heroes") == nil)
      chmod(path + "/app-groups", 0o777)
      #expect(container("other") == nil)
    }
  }

  @Test func identifiersThatAreNotANameHaveNoGroupContainer() async throws {
    let data = try TemporaryDirectory()
    defer { data.remove() }
    await #expect(processExitsWith: .success) { [path = data.url.path as String] in
      setenv("XDG_DATA_HOME", path, 1)
      for identifier in [
        "", ".", "..", "a/b", "../a", "/", "a/\u{301}b", "a\0b", "a\nb", "a\u{7F}", "a\u{85}",
        String(repeating: "a", count: 256), String(repeating: "ä", count: 128),
      ] {
        #expect(FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: identifier) == nil)
      }
      #expect(try FileManager.default.contentsOfDirectory(atPath: path) == [])
      // A file has the name of the group.
      try FileManager.default.createDirectory(atPath: path + "/app-groups", withIntermediateDirectories: false)
      try Data().write(to: URL(fileURLWithPath: path + "/app-groups/taken"))
      #expect(FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: "taken") == nil)
      let longest = String(repeating: "a", count: 255)
      #expect(FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: longest) != nil)
    }
  }

  @Test func aliasFilesAreSymbolicLinks() throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let file = try directory.write(Data("Hail".utf8), to: "hail.txt")
    let (first, second, broken) = (directory.file("first"), directory.file("second"), directory.file("broken"))
    try FileManager.default.createSymbolicLink(atPath: first.path, withDestinationPath: "hail.txt")
    try FileManager.default.createSymbolicLink(at: second, withDestinationURL: first)
    try FileManager.default.createSymbolicLink(at: broken, withDestinationURL: directory.file("missing"))
    for url in [file, first, second] {
      let resolved = try URL(resolvingAliasFileAt: url, options: [.withoutUI, .withoutMounting])
      #expect(resolved.path == file.path)
    }
    for url in [broken, directory.file("missing"), URL(string: "https://example.org/hail.txt")] {
      #expect(throws: CocoaError.self) { try URL(resolvingAliasFileAt: try #require(url)) }
    }
  }
}
