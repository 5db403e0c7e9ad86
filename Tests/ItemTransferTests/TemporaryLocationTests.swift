// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import TestSupport
import Testing

@testable import ItemTransfer

@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct TemporaryLocationTests {
  private func permissions(_ path: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
  }

  @Test func filesAndDirectoriesArePrivateAndUnique() throws {
    try withTemporaryDirectory { directory in
      let place = TemporaryLocation(hiddenIn: directory)
      let (file, descriptor) = try place.makeFile()
      defer { close(descriptor) }
      let (other, otherDescriptor) = try place.makeFile()
      defer { close(otherDescriptor) }
      #expect(try permissions(file.path) == 0o600)
      #expect(file.path != other.path)
      let made = try place.makeDirectory()
      #expect(try permissions(made) == 0o700)
      #expect(try place.makeDirectory() != made)
    }
  }

  @Test func namesAreHiddenInUserDirectoriesOnly() throws {
    try withTemporaryDirectory { directory in
      let made = URL(fileURLWithPath: try TemporaryLocation(hiddenIn: directory).makeDirectory())
      #expect(made.lastPathComponent.hasPrefix(".dragpipe-"))
      #expect(made.deletingLastPathComponent().path == directory.path)
    }
    let made = URL(fileURLWithPath: try TemporaryLocation.standard.makeDirectory())
    defer { try? FileManager.default.removeItem(at: made) }
    #expect(made.lastPathComponent.hasPrefix("dragpipe-"))
  }

  @Test func fileIsRemovedWithItsLastReference() throws {
    try withTemporaryDirectory { directory in
      var file: TransientFile?
      let descriptor: CInt
      (file, descriptor) = try TemporaryLocation(hiddenIn: directory).makeFile()
      close(descriptor)
      #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).count == 1)
      #expect(file != nil)
      file = nil
      #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).isEmpty)
    }
  }

  @Test func directoryIsCreatedInAMovedParent() throws {
    try withTemporaryDirectory { directory in
      let before = directory.appendingPathComponent("before", isDirectory: true)
      let after = directory.appendingPathComponent("after", isDirectory: true)
      try FileManager.default.createDirectory(at: before, withIntermediateDirectories: false)
      let parent = open(before.path, O_RDONLY | O_DIRECTORY)
      defer { close(parent) }
      try FileManager.default.moveItem(at: before, to: after)
      let name = try TemporaryLocation(hiddenIn: before).makeDirectory(at: parent)
      #expect(try permissions(after.path + "/" + name) == 0o700)
    }
  }

  @Test func errorsNameTheDirectoryAndTheSetting() throws {
    let missing = URL(fileURLWithPath: "/nowhere/at/all")
    for make in [{ _ = try $0.makeFile() }, { _ = try $0.makeDirectory() }] as [(TemporaryLocation) throws -> Void] {
      let error = #expect(throws: FileError.self) { try make(TemporaryLocation(hiddenIn: missing)) }
      #expect(error?.description == "create /nowhere/at/all: No such file or directory")
    }
    let usual = TemporaryLocation.standard
    #expect(
      usual.error(SystemError(EACCES, in: "mkdir")).description
        == "cannot create temporary files in \(usual.path) (see TMPDIR): Permission denied")
  }
}
