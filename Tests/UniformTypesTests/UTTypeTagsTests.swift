// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import UniformTypes

@Suite struct UTTypeTagsTests {
  @Test(
    "a type is found by its extension, in any case",
    arguments: [
      ("png", UTType.png), ("PNG", .png), ("jpg", .jpeg), ("jpeg", .jpeg), ("txt", .plainText), ("Text", .plainText),
      ("htm", .html), ("svgz", .svg), ("csv", .commaSeparatedText), ("gz", .gzip), ("mp4", .mpeg4Movie),
      ("json", .json), ("zip", .zip),
    ])
  func findsByExtension(filenameExtension: String, type: UTType) {
    #expect(UTType(filenameExtension: filenameExtension) == type)
  }

  @Test("no type is found for an unknown extension", arguments: ["", ".png", "no-such-extension", "png ", "\u{0}"])
  func unknownExtension(filenameExtension: String) {
    #expect(UTType(filenameExtension: filenameExtension) == nil)
  }

  @Test("the first type that claims an extension has it, unless another parent is asked for")
  func sharedExtension() {
    #expect(UTType(filenameExtension: "plist") == .propertyList)
    #expect(UTType(filenameExtension: "plist", conformingTo: .xml) == .xmlPropertyList)
    #expect(UTType(filenameExtension: "plist", conformingTo: .binaryPropertyList) == .binaryPropertyList)
    #expect(UTType(filenameExtension: "plist", conformingTo: .image) == nil)
  }

  @Test("only a type that conforms to the wanted parent is found")
  func conformingTo() {
    #expect(UTType(filenameExtension: "png", conformingTo: .image) == .png)
    #expect(UTType(filenameExtension: "png", conformingTo: .png) == .png)
    #expect(UTType(filenameExtension: "png", conformingTo: .text) == nil)
    #expect(UTType(mimeType: "image/png", conformingTo: .image) == .png)
    #expect(UTType(mimeType: "image/png", conformingTo: .text) == nil)
  }

  @Test(
    "a type is found by its MIME type, in any case and with or without parameters",
    arguments: [
      ("image/png", UTType.png), ("IMAGE/PNG", .png), (" Image/Png ", .png), ("text/plain", .plainText),
      ("text/html; charset=iso-8859-1", .html), ("application/json;charset=utf-8", .json), ("text/xml", .xml),
      ("application/xml", .xml), ("application/octet-stream", .data), ("text/plain; format=flowed", .plainText),
      ("text/plain;charset=us-ascii", .plainText), ("image/png;", .png),
    ])
  func findsByMIMEType(mimeType: String, type: UTType) {
    #expect(UTType(mimeType: mimeType) == type)
  }

  @Test(
    "a parameter that a type declares counts, however it is written and among others",
    arguments: [
      "text/plain;charset=utf-8", "text/plain; charset=UTF-8", "Text/Plain;\tCharset=\"utf-8\"",
      "text/plain; format=flowed; charset=utf-8", "text/plain; charset=utf-8; format=flowed",
    ])
  func declaredParameterCounts(mimeType: String) {
    #expect(UTType(mimeType: mimeType) == .utf8PlainText)
  }

  @Test("where the type with the parameter is not wanted, the one without it is found")
  func parameterOfAnotherBranch() {
    #expect(UTType(mimeType: "text/plain;charset=utf-8", conformingTo: .plainText) == .utf8PlainText)
    #expect(UTType(mimeType: "text/plain;charset=utf-8", conformingTo: .image) == nil)
  }

  @Test("no type is found for an unknown MIME type", arguments: ["", ";", " ", "png", "image/", "x/y;charset=utf-8"])
  func unknownMIMEType(mimeType: String) {
    #expect(UTType(mimeType: mimeType) == nil)
  }

  @Test("the preferred tags are the first ones of the declaration")
  func preferredTags() {
    #expect(UTType.jpeg.preferredFilenameExtension == "jpeg")
    #expect(UTType.jpeg.preferredMIMEType == "image/jpeg")
    #expect(UTType.plainText.preferredFilenameExtension == "txt")
    #expect(UTType.utf8PlainText.preferredMIMEType == "text/plain;charset=utf-8")
    #expect(UTType(importedAs: "PUBLIC.PNG").preferredFilenameExtension == "png")
  }

  @Test("a type without tags, declared or not, prefers none")
  func noPreferredTags() {
    #expect(UTType.image.preferredFilenameExtension == nil)
    #expect(UTType.image.preferredMIMEType == nil)
    #expect(UTType(importedAs: "org.example.tags.undeclared").preferredFilenameExtension == nil)
    #expect(UTType(exportedAs: "org.example.tags.exported", conformingTo: .png).preferredFilenameExtension == nil)
    #expect(UTType.utf8PlainText.preferredFilenameExtension == nil)
  }
}
