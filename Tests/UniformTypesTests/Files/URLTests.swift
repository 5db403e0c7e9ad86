// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import UniformTypes

@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct URLTests {
  private let folder = URL(fileURLWithPath: "/tmp/heroes", isDirectory: true)

  @Test(arguments: [
    ("puppy", UTType.jpeg, "puppy.jpeg"), ("puppy.jpg", .image, "puppy.jpg"),
    ("puppy.jpg", .plainText, "puppy.jpg.txt"), ("puppy.JPG", .jpeg, "puppy.JPG"), ("puppy", .image, "puppy"),
    ("v1.2", .png, "v1.2.png"), (".hidden", .png, ".hidden.png"), ("saga.txt", .text, "saga.txt"),
    ("a.svgz", .svg, "a.svgz"), ("a b.é", .json, "a b.é.json"),
  ])
  func appendsComponentWithExtensionOfTheType(name: String, type: UTType, expected: String) {
    var url = folder
    url.appendPathComponent(name, conformingTo: type)
    for url in [url, folder.appendingPathComponent(name, conformingTo: type)] {
      #expect(url.path == "/tmp/heroes/" + expected)
    }
  }

  @Test func directoryTypeYieldsDirectoryURL() {
    let urls = [UTType.folder, .rtfd, .png].map { folder.appendingPathComponent("Tale", conformingTo: $0) }
    #expect(urls.map(\.hasDirectoryPath) == [true, true, false])
    #expect(urls[1].absoluteString.hasSuffix("Tale.rtfd/"))
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
    // A type without an extension of its own changes nothing.
    #expect(url.appendingPathExtension(for: .image) == url)
    let appended = url.appendingPathExtension(for: .png)
    url.appendPathExtension(for: .png)
    #expect([appended, url].map(\.absoluteString) == [expected, expected])
  }

  @Test func relativeURLKeepsItsBase() throws {
    let url = try #require(URL(string: "a/Tale", relativeTo: folder))
    let urls = [UTType.rtfd, .folder, .image].map { url.appendingPathExtension(for: $0) }
    #expect(urls.map(\.relativeString) == ["a/Tale.rtfd/", "a/Tale/", "a/Tale"])
    #expect(urls[0].baseURL == url.baseURL && urls[2] == url)
  }

  @Test func emptyExtensionIsNotAppended() throws {
    let type = try #require(UTType("dyn.age8u"))
    let urls = [("puppy", type), ("..", .png)].map { folder.appendingPathComponent($0, conformingTo: $1) }
    #expect(urls.map(\.lastPathComponent) == ["puppy", ".."])
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
