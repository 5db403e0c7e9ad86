// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import ItemTransfer
import TestSupport
import Testing

@testable import DropTransport

/// The staging directories that killed receivers leave behind.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct LeftoverTests {
  private static let name = ".dragpipe-abcdefghijkl"
  private let fixture: FolderFixture

  init() throws {
    fixture = try FolderFixture()
  }

  /// Creates a staging directory in the state in which a killed receiver leaves it.
  private func leave(_ files: [String: String], _ name: String = Self.name, mode: Int = 0o700) throws {
    let directory = fixture.file(name)
    try FileManager.default.createDirectory(
      at: directory, withIntermediateDirectories: false, attributes: [.posixPermissions: mode])
    for (file, text) in files {
      let url = directory.appendingPathComponent(file)
      try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.utf8).write(to: url)
    }
  }

  private func inode(_ path: String) throws -> UInt64 {
    try SystemCalls.statusAt(DropEndpoint.currentDirectory, fixture.file(path).path).inode
  }

  /// Writes the list of replaced files, as a receiver does before it names its files.
  ///
  /// Each entry contains the inode of its staged file, or another number if the file was exchanged.
  @discardableResult private func list(_ entries: [ReplacedFileList.Entry]) throws -> OwnedDescriptor {
    let staging = try OwnedDescriptor.open(fixture.file(Self.name).path, O_RDONLY | O_DIRECTORY)
    try ReplacedFileList.append(entries, in: staging.raw, named: Self.name, fixture.seal)
    return staging
  }

  private func readList(_ staging: borrowing OwnedDescriptor) throws(SystemError) -> [ReplacedFileList.Entry] {
    try ReplacedFileList.entries(in: staging.raw, named: Self.name) { () throws(SystemError) in
      try StagingSeal(in: fixture.folder.stateDirectory)
    }
  }

  private func receive(_ text: String = "new", named name: String = "a") async throws {
    _ = try await fixture.receive(StreamBuilder.stream { $0.item(Array(text.utf8), name: name) })
  }

  @Test func receiverRemovesTheDirectoryOfADeadReceiver() async throws {
    try leave(["0": "half", "1.zip": "", "2/sub/deep": "x", "permissions": ""])
    try await receive()
    try fixture.expect(names: ["a"])
  }

  @Test func receiverKeepsTheDirectoryOfALiveReceiver() async throws {
    let staging = try StagingDirectory(in: fixture.folder)
    let name = try #require(try fixture.names.first)
    #expect(try await fixture.folder.removeLeftovers() == DropFolder.Leftovers())
    try await receive()
    try fixture.expect(names: ["a", name])
    staging.remove()
    try fixture.expect(names: ["a"])
  }

  @Test func directoryThatCannotBeRemovedIsReported() throws {
    let staging = try StagingDirectory(in: fixture.folder)
    try staging.stage(["a"])
    let name = try #require(try fixture.stagingName)
    try fixture.write("mine", to: name + "/mine")
    _ = try staging.publication().run()
    staging.remove()
    #expect(staging.takeRemarks() == ["cannot remove \(fixture.url.path)/\(name): Directory not empty"])
    try fixture.expect(tree: ["a": "new", name: "-", name + "/mine": "mine"])
  }

  @Test func removesOnlyStagingDirectories() async throws {
    let outside = try TemporaryDirectory()
    try outside.write(Data(), to: "canary")
    let others = [
      ".dragpipe-abcdefghijk", ".dragpipe-abcdefghijklm", ".dragpipe-ABCDEFGHIJKL", ".dragpipe-abcdefghijkl.unlocked",
    ]
    for name in others { try leave(["0": ""], name) }
    try fixture.write("file", to: ".dragpipe-aaaaaaaaaaaa")
    try FileManager.default.createSymbolicLink(
      at: fixture.file(".dragpipe-bbbbbbbbbbbb"), withDestinationURL: outside.url)
    try makeFIFO(fixture.file(".dragpipe-cccccccccccc").path)
    try leave(["0": ""], ".dragpipe-dddddddddddd", mode: 0o755)
    var names = try fixture.names
    if geteuid() == 0 {
      try leave(["0": ""], ".dragpipe-eeeeeeeeeeee")
      #expect(chown(fixture.file(".dragpipe-eeeeeeeeeeee").path, 65534, 65534) == 0)
      names = try fixture.names
    }
    #expect(try await fixture.folder.removeLeftovers() == DropFolder.Leftovers())
    try fixture.expect(names: names)
    #expect(try FileManager.default.contentsOfDirectory(atPath: outside.url.path) == ["canary"])
  }

  @Test func linksInADirectoryAreRemovedAndNotFollowed() async throws {
    let outside = try TemporaryDirectory()
    try outside.write(Data(), to: "canary")
    try leave(["1/file": ""])
    for name in ["0", "1/link"] {
      try FileManager.default.createSymbolicLink(
        at: fixture.file(Self.name).appendingPathComponent(name), withDestinationURL: outside.url)
    }
    #expect(try await fixture.folder.removeLeftovers().removedCount == 1)
    try fixture.expect(names: [])
    #expect(try FileManager.default.contentsOfDirectory(atPath: outside.url.path) == ["canary"])
  }

  @Test func formerFilesAreRestoredWhereTheirNamesAreFree() async throws {
    try fixture.makeDirectory("sub")
    try leave(["0": "former", "1": "former of b", "2": "staged", "3/x": "former of x", "3/y": "staged"])
    try list([
      .init(inode: 0, staged: "0", name: "a"), .init(inode: 0, staged: "1", name: "sub/b"),
      .init(inode: try inode(Self.name + "/2"), staged: "2", name: "c"), .init(inode: 0, staged: "3/x", name: "sub/x"),
      .init(inode: try inode(Self.name + "/3/y"), staged: "3/y", name: "sub/y"),
    ])
    let leftovers = try await fixture.folder.removeLeftovers()
    #expect(leftovers.restoredFiles == ["a", "sub/b", "sub/x"])
    #expect(leftovers.keptFiles == [] && leftovers.failures == [] && leftovers.removedCount == 1)
    try fixture.expect(tree: ["a": "former", "sub": "-", "sub/b": "former of b", "sub/x": "former of x"])
  }

  /// Names are bytes: `String` takes two forms of one letter for equal.
  @Test func formerFilesWhoseNamesDifferOnlyInNormalizationAreBothRestored() async throws {
    let names = ["caf\u{E9}", "cafe\u{301}"]
    try fixture.makeDirectory("sub")
    try leave([:])
    try FileManager.default.createDirectory(at: fixture.file(Self.name + "/0"), withIntermediateDirectories: false)
    for name in names { try Data(name.utf8).write(to: fixture.file(Self.name + "/0/" + name)) }
    try list(names.map { .init(inode: 0, staged: "0/" + $0, name: "sub/" + $0) })
    let leftovers = try await fixture.folder.removeLeftovers()
    #expect(leftovers.restoredFiles.map { Array($0.utf8) } == names.map { Array("sub/\($0)".utf8) })
    for name in names { #expect(try fixture.content("sub/" + name) == Array(name.utf8)) }
  }

  @Test func formerFilesAreKeptWhereTheirNamesAreTaken() async throws {
    try fixture.write("new", to: "a")
    try leave(["0": "former", "1": "staged", "2/x": "former", "2/z": "staged", "3/y": "staged"])
    let path = "\(fixture.url.path)/\(Self.name)/"
    try list([
      .init(inode: 0, staged: "0", name: "a"), .init(inode: try inode(Self.name + "/1"), staged: "1", name: "b"),
      .init(inode: 0, staged: "2/x", name: "missing/x"), .init(inode: 0, staged: "9", name: "gone"),
    ])
    for _ in 0..<2 {
      let leftovers = try await fixture.folder.removeLeftovers()
      #expect(leftovers.restoredFiles == [] && leftovers.removedCount == 0 && leftovers.failures == [])
      #expect(
        leftovers.keptFiles == [.init(name: "a", path: path + "0"), .init(name: "missing/x", path: path + "2/x")])
    }
    #expect(
      Set(try FileManager.default.contentsOfDirectory(atPath: path)) == ["0", "2", ReplacedFileList.fileName])
    #expect(try fixture.content("a") == Array("new".utf8))
    // The file `a` is restored after its name has become free. The other file was moved away, so its folder is not
    // needed.
    try FileManager.default.removeItem(at: fixture.file("a"))
    try FileManager.default.removeItem(atPath: path + "2/x")
    #expect(try await fixture.folder.removeLeftovers().restoredFiles == ["a"])
    try fixture.expect(tree: ["a": "former"])
  }

  @Test func pathsInAListCannotLeaveTheDirectories() async throws {
    try leave(["0": "former", "1": "former"])
    try list([
      .init(inode: 0, staged: "0", name: "../outside"), .init(inode: 0, staged: "../../canary", name: "a"),
      .init(inode: 0, staged: "1", name: "/tmp/a"), .init(inode: 0, staged: "", name: "b"),
    ])
    _ = try await fixture.folder.removeLeftovers()
    try fixture.expect(names: [])
  }

  /// A sender chooses the content of a received folder, which may be the destination of a later receive.
  @Test(arguments: ["none", "another directory", "another key"])
  func formerFilesOfAForgedListStayAndAreReported(proof: String) async throws {
    try leave(["0": "source me"])
    let staging = try OwnedDescriptor.open(fixture.file(Self.name).path, O_RDONLY | O_DIRECTORY)
    let entry = ReplacedFileList.Entry(inode: 0, staged: "0", name: ".envrc")
    switch proof {
    case "none": try ReplacedFileList.append([entry], in: staging.raw, named: Self.name, nil)
    case "another key":
      try ReplacedFileList.append([entry], in: staging.raw, named: Self.name, FolderFixture().seal)
    default: try ReplacedFileList.append([entry], in: staging.raw, named: ".dragpipe-abcdefghijkm", fixture.seal)
    }
    let leftovers = try await fixture.folder.removeLeftovers()
    #expect(leftovers.restoredFiles == [] && leftovers.removedCount == 0)
    #expect(leftovers.failures.map { $0.hasSuffix("move or remove it") } == [true])
    #expect(try fixture.names == [Self.name])
    #expect(try fixture.content(Self.name + "/0") == Array("source me".utf8))
  }

  @Test func truncatedListIsReadUpToItsLastCompleteEntry() throws {
    try leave([:])
    let entries = [
      ReplacedFileList.Entry(inode: 7, staged: "0", name: "a\nb"), .init(inode: .max, staged: "1/x", name: "\u{E9}"),
    ]
    let staging = try list(entries)
    let file = fixture.file(Self.name + "/" + ReplacedFileList.fileName)
    let bytes = try Data(contentsOf: file)
    let proof = bytes.prefix(StagingSeal.length)
    for length in (0...bytes.count).reversed() {
      try bytes.prefix(length).write(to: file)
      let count = length == bytes.count ? 2 : length >= proof.count + 2 + 2 + 4 ? 1 : 0
      #expect(try readList(staging) == Array(entries.prefix(count)), "\(length) bytes")
    }
    try (proof + Data("x\0y\0z\0".utf8)).write(to: file)
    #expect(throws: SystemError(EILSEQ, in: "read")) { try readList(staging) }
    // If the former files cannot be identified, the cleaner removes nothing.
    var cleaner = LeftoverCleaner(
      try DestinationDirectory(fixture.folder), removesResumable: false, stateDirectory: fixture.folder.stateDirectory)
    cleaner.clean()
    #expect(cleaner.leftovers.failures.count == 1)
    try fixture.expect(names: [Self.name])
  }

  @Test func listBeyondTheLengthLimitIsRefused() throws {
    try leave(["0": "former"])
    let entry = ReplacedFileList.Entry(inode: 0, staged: "0", name: "a")
    let staging = try list([entry, .init(inode: 0, staged: "0", name: "b")])
    let file = fixture.file(Self.name + "/" + ReplacedFileList.fileName).path
    let proof = try Data(contentsOf: URL(fileURLWithPath: file)).prefix(StagingSeal.length)
    for (length, isRead) in [(ReplacedFileList.maximumLength, true), (ReplacedFileList.maximumLength + 1, false)] {
      // The list has only zeros, which are separators of empty fields, after its first entries.
      #expect(truncate(file, off_t(length)) == 0)
      let error = #expect(throws: SystemError.self) { try readList(staging) }
      #expect(error?.errorNumber == (isRead ? EILSEQ : EFBIG))
    }
    #expect(try truncate(file, off_t(proof.count) + 12) == 0 && readList(staging) == [entry])
  }

  @Test func everyFileIsListedBeforeTheFirstIsReplaced() throws {
    for name in ["a", "c"] { try fixture.write("old", to: name) }
    let staging = try StagingDirectory(in: fixture.folder { $0.collision = .replace })
    for name in ["a", "b", "c"] { try staging.stage([name]) }
    let publication = staging.publication()
    try publication.listReplacement(of: "a", by: "0")
    let entries = try ReplacedFileList.entries(in: staging.staging.raw, named: staging.staging.name) {
      () throws(SystemError) in
      try StagingSeal(in: fixture.folder.stateDirectory)
    }
    #expect(entries.map(\.name) == ["a", "b", "c"] && entries.map(\.staged) == ["0", "1", "2"])
    for entry in entries {
      #expect(try SystemCalls.statusAt(staging.staging.raw, entry.staged).inode == entry.inode)
    }
    _ = try publication.run()
    try fixture.expect(names: ["a", "b", "c"])
    #expect(staging.takeRemarks() == [])
  }
}
