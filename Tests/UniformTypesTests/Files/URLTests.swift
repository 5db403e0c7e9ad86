// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import UniformTypes

@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct URLTests {
  private let folder = URL(fileURLWithPath: "/tmp/heroes", isDirectory: true)

  @Test(arguments: [
    ("puppy", UTType.jpeg, "puppy.jpeg"), ("puppy.jpg", .image, "puppy.jpg"),
    ("puppy.jpg", .plainText, "puppy.jpg.txt"), ("puppy.JPG", .jpeg, "puppy.JPG"), ("puppy", .image, "puppy"),
    ("v1.2", .png, "v1.2.png"), (".hidden", .png, ".hidden.png"), ("saga.txt", .text, "saga.txt"),
    ("a.svgz", .svg, "a.svgz"), ("a b.é", .json, "a b.é.json"),
  ])
  func appendsComponentWithExtensionOfTheType(name: String, type: UTType, expected: String) {
    #expect(folder.appendingPathComponent(name, conformingTo: type).path == "/tmp/heroes/" + expected)
    var url = folder
    url.appendPathComponent(name, conformingTo: type)
    #expect(url.path == "/tmp/heroes/" + expected)
  }

  @Test func directoryTypeYieldsDirectoryURL() {
    #expect(folder.appendingPathComponent("Tales", conformingTo: .folder).hasDirectoryPath)
    #expect(folder.appendingPathComponent("Tale", conformingTo: .rtfd).absoluteString.hasSuffix("Tale.rtfd/"))
    #expect(!folder.appendingPathComponent("Tale", conformingTo: .png).hasDirectoryPath)
  }

  @Test(arguments: [
    ("puppy", "puppy.png"), ("a/puppy", "a/puppy.png"), ("file:///a/puppy.gz", "file:///a/puppy.gz.png"),
    ("https://x.org/a%2Fb?q=1#f", "https://x.org/a%2Fb.png?q=1#f"),
    ("https://x.org/a/?q=1", "https://x.org/a.png?q=1"), ("file:///a/b%2541", "file:///a/b%2541.png"),
    ("file:///a/..", "file:///a/.."), ("file:///a/.", "file:///a/."), ("https://x.org", "https://x.org"),
    ("https://x.org/", "https://x.org/"), ("a%2Fb.png", "a%2Fb.png"), ("file:///a/b.png", "file:///a/b.png"),
    ("file:///", "file:///"),
  ])
  func onlyTheLastComponentChanges(text: String, expected: String) throws {
    var url = try #require(URL(string: text))
    #expect(url.appendingPathExtension(for: .png).absoluteString == expected)
    // A type without an extension of its own changes nothing.
    #expect(url.appendingPathExtension(for: .image) == url)
    url.appendPathExtension(for: .png)
    #expect(url.absoluteString == expected)
  }

  @Test func relativeURLKeepsItsBase() throws {
    let url = try #require(URL(string: "a/Tale", relativeTo: folder))
    #expect(url.appendingPathExtension(for: .rtfd).relativeString == "a/Tale.rtfd/")
    #expect(url.appendingPathExtension(for: .rtfd).baseURL == url.baseURL)
    #expect(url.appendingPathExtension(for: .folder).relativeString == "a/Tale/")
    #expect(url.appendingPathExtension(for: .image) == url)
  }

  @Test func emptyExtensionIsNotAppended() throws {
    let type = try #require(UTType("dyn.age8u"))
    #expect(folder.appendingPathComponent("puppy", conformingTo: type).lastPathComponent == "puppy")
    #expect(folder.appendingPathComponent("..", conformingTo: .png).lastPathComponent == "..")
  }

  @Test func pathOfOtherSchemesIsNotReadAsAFile() throws {
    let url = try #require(URL(string: "https://example.org/etc/passwd.png"))
    #expect(try url.contentType(by: .name) == .png)
    for evidence in [FileEvidence.content, .nameAndContent] {
      #expect(throws: FileTypeError(path: url.absoluteString, errorNumber: EINVAL)) {
        try url.contentType(by: evidence)
      }
    }
  }
}
