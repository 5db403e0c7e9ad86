// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import ItemProviderCompat
import TestSupport
import Testing
import UniformTypeIdentifiers

/// File wrappers, and the content type of a file in its resource values.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct FileWrapperTests {
  private let directory: TemporaryDirectory
  private let files = FileManager.default

  init() throws {
    directory = try TemporaryDirectory()
  }

  /// Returns a wrapper of a folder with a file, an empty folder and a link.
  private func book() -> FileWrapper {
    let text = FileWrapper(regularFileWithContents: Data("Hail".utf8))
    text.fileAttributes[FileAttributeKey.posixPermissions.rawValue] = NSNumber(value: 0o600)
    return FileWrapper(directoryWithFileWrappers: [
      "hail.txt": text, "empty": FileWrapper(directoryWithFileWrappers: [:]),
      "link": FileWrapper(symbolicLinkWithDestinationURL: URL(fileURLWithPath: "/nowhere")),
    ])
  }

  @Test(arguments: [FileWrapper.WritingOptions(), .atomic])
  func aFolderRoundTrips(options: FileWrapper.WritingOptions) throws {
    defer { directory.remove() }
    let url = directory.file("book")
    try book().write(to: url, options: options, originalContentsURL: nil)
    let found = try FileWrapper(url: url, options: [])
    #expect(found.filename == "book" && found.preferredFilename == "book")
    let children = try #require(found.fileWrappers)
    #expect(children.keys.sorted() == ["empty", "hail.txt", "link"])
    let text = children["hail.txt"]
    #expect(text?.regularFileContents == Data("Hail".utf8))
    #expect(text?.fileAttributes[FileAttributeKey.posixPermissions.rawValue] as? Int == 0o600)
    let (empty, link) = (children["empty"]?.fileWrappers, children["link"]?.symbolicLinkDestinationURL)
    #expect(empty?.isEmpty == true && link?.path == "/nowhere")
    let matchesFirst = found.matchesContents(of: url)
    try Data("Hail, Ajax".utf8).write(to: url.appendingPathComponent("hail.txt"))
    #expect([matchesFirst, found.matchesContents(of: url)] == [true, false])
    #expect(try files.contentsOfDirectory(atPath: directory.url.path) == ["book"])
  }

  @Test func anAtomicWriteReplacesAFolderAndAnOtherOneDoesNot() throws {
    defer { directory.remove() }
    let url = directory.file("book")
    try files.createDirectory(at: url.appendingPathComponent("old"), withIntermediateDirectories: true)
    #expect(throws: (any Error).self) { try book().write(to: url, originalContentsURL: nil) }
    #expect(try files.contentsOfDirectory(atPath: url.path) == ["old"])
    try book().write(to: url, options: .atomic, originalContentsURL: nil)
    #expect(try files.contentsOfDirectory(atPath: url.path).sorted() == ["empty", "hail.txt", "link"])
    #expect(try files.contentsOfDirectory(atPath: directory.url.path) == ["book"])
  }

  @Test(arguments: ["", ".", "..", "../out", "a/b", "a\0b"])
  func aNameOutsideOfTheFolderIsRefusedAndLeavesNothing(name: String) throws {
    defer { directory.remove() }
    let folder = FileWrapper(directoryWithFileWrappers: [name: FileWrapper(regularFileWithContents: Data())])
    let error = #expect(throws: CocoaError.self) {
      try folder.write(to: directory.file("book"), options: .atomic, originalContentsURL: nil)
    }
    #expect(error?.code == .fileWriteInvalidFileName)
    #expect(try files.contentsOfDirectory(atPath: directory.url.path).isEmpty)
  }

  @Test func namesThatAreTakenGetAPrefix() {
    defer { directory.remove() }
    let folder = FileWrapper(directoryWithFileWrappers: [:])
    let keys = (1...3).map { _ in folder.addRegularFile(withContents: Data(), preferredFilename: "a") }
    #expect(Set(keys).count == 3 && keys.first == "a" && keys.allSatisfy { $0.hasSuffix("a") })
  }

  @Test func contentsAreReadAtTheirFirstUse() throws {
    defer { directory.remove() }
    let url = directory.file("hail.txt")
    try Data("Hail".utf8).write(to: url)
    let late = try FileWrapper(url: url, options: [])
    let early = try FileWrapper(url: url, options: .immediate)
    try files.removeItem(at: url)
    #expect(late.regularFileContents == nil && early.regularFileContents == Data("Hail".utf8))
    #expect(throws: CocoaError.self) { try late.write(to: url, originalContentsURL: nil) }
    // The original may have moved before it is written.
    let moved = directory.file("moved.txt")
    try Data("Hail".utf8).write(to: moved)
    try late.write(to: url, originalContentsURL: moved)
    #expect(try Data(contentsOf: url) == Data("Hail".utf8))
  }

  @Test(arguments: ["/dev/null", "/nonexistent"]) func devicesAndMissingFilesAreErrors(path: String) {
    defer { directory.remove() }
    #expect(throws: CocoaError.self) { try FileWrapper(url: URL(fileURLWithPath: path)) }
  }

  @Test func resourceValuesHaveTheTypeOfTheFile() throws {
    defer { directory.remove() }
    let picture = directory.file("ajax.png")
    let folder = directory.file("sagas")
    try Data().write(to: picture)
    try files.createDirectory(at: folder, withIntermediateDirectories: false)
    let keys: Set<URLResourceKey> = [.contentTypeKey, .pathKey]
    // The type of a missing file follows from its name, as for an existing file.
    let values = try [
      picture.resourceValues(forKeys: [.contentTypeKey]), folder.resourceValues(forKeys: [.contentTypeKey]),
      picture.resourceValues(forKeys: [.nameKey]), picture.resourceValues(forKeys: keys),
      directory.file("missing.png").resourceValues(forKeys: [.contentTypeKey]),
    ]
    #expect(values.map(\.contentType) == [.png, .folder, nil, .png, .png])
    #expect(try picture.resourceValues(forKeys: [.contentTypeKey, .nameKey]).name == "ajax.png")
  }
}
