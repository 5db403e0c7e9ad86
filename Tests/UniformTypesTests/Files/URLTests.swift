// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import UniformTypes

@Suite struct URLTests {
  private let folder = URL(fileURLWithPath: "/tmp/heroes", isDirectory: true)

  @Test(
    "a name gets the type's extension unless it has one that fits",
    arguments: [
      ("puppy", UTType.jpeg, "puppy.jpeg"), ("puppy.jpg", .image, "puppy.jpg"),
      ("puppy.jpg", .plainText, "puppy.jpg.txt"),
      ("puppy.JPG", .jpeg, "puppy.JPG"), ("puppy", .image, "puppy"), ("v1.2", .png, "v1.2.png"),
      (".hidden", .png, ".hidden.png"),
      ("saga.txt", .text, "saga.txt"), ("a.svgz", .svg, "a.svgz"), ("a b.é", .json, "a b.é.json"),
    ])
  func appendsComponent(name: String, type: UTType, expected: String) {
    #expect(folder.appendingPathComponent(name, conformingTo: type).path == "/tmp/heroes/" + expected)
    var url = folder
    url.appendPathComponent(name, conformingTo: type)
    #expect(url.path == "/tmp/heroes/" + expected)
  }

  @Test("the last component gets the type's extension unless it has one that fits")
  func appendsExtension() {
    let file = folder.appendingPathComponent("puppy")
    #expect(file.appendingPathExtension(for: .png).path == "/tmp/heroes/puppy.png")
    #expect(file.appendingPathExtension(for: .png).appendingPathExtension(for: .image).path == "/tmp/heroes/puppy.png")
    var url = file
    url.appendPathExtension(for: .gzip)
    #expect(url.path == "/tmp/heroes/puppy.gz")
    #expect(URL(fileURLWithPath: "/").appendingPathExtension(for: .png).path == "/")
  }

  @Test("a URL for a directory's type is a directory's")
  func directories() {
    #expect(folder.appendingPathComponent("Tales", conformingTo: .folder).hasDirectoryPath)
    #expect(folder.appendingPathComponent("Tale", conformingTo: .rtfd).absoluteString.hasSuffix("Tale.rtfd/"))
    #expect(!folder.appendingPathComponent("Tale", conformingTo: .png).hasDirectoryPath)
  }
}
