// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import UniformTypes

@Suite(.serialized, .limited) struct UTTypeTagsTests {
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

  @Test(
    "what cannot be an extension has no type", arguments: ["", ".", ".png", "a/b", "/", "\u{0}", "png\u{0}"])
  func invalidExtension(filenameExtension: String) {
    #expect(UTType(filenameExtension: filenameExtension) == nil)
    #expect(UTType.types(tag: filenameExtension, tagClass: .filenameExtension, conformingTo: nil).isEmpty)
  }

  @Test(
    "an extension that nobody declares has a dynamic type",
    arguments: [
      ("no-such-extension", "no-such-extension"), ("PNG ", "png "), ("a:b=c,d\\e", "a:b=c,d\\e"), ("Ärger", "Ärger"),
    ])
  func unknownExtension(filenameExtension: String, kept: String) throws {
    let type = try #require(UTType(filenameExtension: filenameExtension))
    #expect(type.isDynamic && !type.isDeclared)
    #expect(type.preferredFilenameExtension == kept)
    #expect(type.supertypes == [.data, .item])
    #expect(UTType(type.identifier) == type)
    #expect(UTType(filenameExtension: filenameExtension, conformingTo: .image)?.conforms(to: .image) == true)
  }

  @Test(
    "the longest tag has a type, and one that is longer has none", arguments: [UTTagClass.filenameExtension, .mimeType])
  func longestTag(tagClass: UTTagClass) throws {
    let longest = String(repeating: "x", count: UTType.maximumTagLength)
    let type = try #require(UTType(tag: longest, tagClass: tagClass, conformingTo: .data))
    #expect(UTType(type.identifier)?.tags == [tagClass: [longest]])
    #expect(UTType(tag: longest + "x", tagClass: tagClass, conformingTo: .data) == nil)
  }

  @Test("the first type that claims an extension has it, unless another parent is asked for")
  func sharedExtension() {
    #expect(UTType(filenameExtension: "plist") == .propertyList)
    #expect(UTType(filenameExtension: "plist", conformingTo: .xml) == .xmlPropertyList)
    #expect(UTType(filenameExtension: "plist", conformingTo: .binaryPropertyList) == .binaryPropertyList)
    #expect(UTType(filenameExtension: "plist", conformingTo: .image)?.isDynamic == true)
  }

  @Test("only a type that conforms to the wanted parent is found")
  func conformingTo() {
    #expect(UTType(filenameExtension: "png", conformingTo: .image) == .png)
    #expect(UTType(filenameExtension: "png", conformingTo: .png) == .png)
    #expect(UTType(filenameExtension: "png", conformingTo: .text)?.isDynamic == true)
    #expect(UTType(filenameExtension: "png", conformingTo: .text)?.supertypes.contains(.text) == true)
    #expect(UTType(mimeType: "image/png", conformingTo: .image) == .png)
    #expect(UTType(mimeType: "image/png", conformingTo: .text)?.tags == [.mimeType: ["image/png"]])
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
    #expect(UTType(mimeType: "text/plain;charset=utf-8", conformingTo: .image)?.isDynamic == true)
  }

  @Test(
    "what cannot be a MIME type has no type",
    arguments: [
      "", ";", " ", "\t;charset=utf-8", "a/b\u{0}", "a/\u{1B}[2J", "a\nb", "not a mime type", "image/", "/png", "a/b/c",
      "a/b c",
    ])
  func invalidMIMEType(mimeType: String) {
    #expect(UTType(mimeType: mimeType) == nil)
  }

  @Test(
    "an undeclared MIME type has a dynamic type without case and parameters",
    arguments: [
      ("dev.kaya/note", "dev.kaya/note"), (" dev.kaya/note ", "dev.kaya/note"),
      ("Dev.Kaya/NOTE; charset=utf-8", "dev.kaya/note"), ("dev.kaya/note ;a=\"b c\"", "dev.kaya/note"),
    ])
  func unknownMIMEType(mimeType: String, kept: String) throws {
    let type = try #require(UTType(mimeType: mimeType))
    #expect(type.identifier == "dyn.ah62d4rv4gq80k3p0f3z0c8pbf71g87df")
    #expect(type.isDynamic && type.conforms(to: .data) && type.preferredMIMEType == kept)
  }

  @Test func nameOfX11KeepsItsCase() throws {
    let type = try #require(UTType(mimeType: "x-kde-passwordManagerHint"))
    #expect(type.isDynamic && type.preferredMIMEType == "x-kde-passwordManagerHint")
  }

  @Test(
    "a declared type need not bear a MIME type that names its format",
    arguments: [
      ("application/javascript", "com.netscape.javascript-source"), ("Text/X-Python; a=b", "public.python-script"),
      ("application/x-compressed-tar", "org.gnu.gnu-zip-tar-archive"),
    ])
  func reviewedMIMETypes(mimeType: String, identifier: String) {
    #expect(UTType(mimeType: mimeType)?.identifier == identifier)
    #expect(UTType(mimeType: mimeType, conformingTo: .image)?.isDynamic == true)
  }

  @Test func everyReviewedMIMETypeNamesItsDeclaredType() {
    for (identifier, mimeTypes) in MIMEIdentifiers.entries {
      #expect(UTType(identifier)?.isDeclared == true, "\(identifier)")
      for mimeType in mimeTypes.split(separator: " ") {
        #expect(UTType(mimeType: String(mimeType))?.identifier == identifier, "\(mimeType)")
        #expect(!MIMEIdentifiers.foreign.contains(String(mimeType)))
      }
    }
  }

  /// Each of these was a declared type of another extension where the system had a MIME database.
  @Test(arguments: ["ini", "gem", "rng", "xll", "vob", "t", "pod", "tar.gz"])
  func databaseDoesNotNameTheTypeOfAnExtension(filenameExtension: String) throws {
    let type = try #require(UTType(filenameExtension: filenameExtension))
    let bears = type.tags[.filenameExtension]?.first == filenameExtension
    #expect(bears || type.isDeclared && type.tags[.filenameExtension]?.contains(filenameExtension) == true)
    #expect(type.isDynamic == (SystemTypes.indices(of: filenameExtension, kind: .filenameExtension).count == 0))
  }

  @Test("without a parent, a dynamic type states none and conforms to nothing else")
  func dynamicTypeWithoutParent() throws {
    let type = try #require(UTType(tag: "dev.kaya/note", tagClass: .mimeType, conformingTo: nil))
    #expect(type.identifier == "dyn.agq80k3p0f3z0c8pbf71g87df")
    #expect(type.supertypes.isEmpty && !type.conforms(to: .data))
    let pasteboard = UTTagClass(rawValue: "com.apple.nspboard-type")
    let other = try #require(UTType(tag: "dev.kaya/note", tagClass: pasteboard, conformingTo: .data))
    #expect(other.tags == [pasteboard: ["dev.kaya/note"]])
    #expect(other.preferredMIMEType == nil)
    #expect(other.identifier.hasPrefix("dyn.ah62d4rv4gu8"))
  }

  @Test(
    "names of X11 are text",
    arguments: [("UTF8_STRING", UTType.utf8PlainText), ("STRING", .plainText), ("TEXT", .plainText)])
  func namesOfX11(name: String, type: UTType) {
    #expect(UTType(mimeType: name) == type)
  }

  @Test("OSTypes and pasteboard types are compared with their case")
  func tagsWithCase() {
    let osType = UTTagClass(rawValue: "com.apple.ostype")
    #expect(UTType(tag: "PNGf", tagClass: osType, conformingTo: nil) == .png)
    #expect(UTType(tag: "pngf", tagClass: osType, conformingTo: nil)?.isDynamic == true)
    #expect(UTType.utf8PlainText.tags[osType] == ["utf8"])
    #expect(
      UTType(
        tag: "Apple PNG pasteboard type", tagClass: UTTagClass(rawValue: "COM.apple.nspboard-type"), conformingTo: nil)
        == .png)
    #expect(
      UTType(tag: "x", tagClass: UTTagClass(rawValue: "org.example.no-class"), conformingTo: nil)?.isDynamic == true)
  }

  @Test("all types that bear a tag are found, or a dynamic one")
  func allTypes() {
    #expect(
      UTType.types(tag: "plist", tagClass: .filenameExtension, conformingTo: .propertyList) == [
        .propertyList, .binaryPropertyList, .xmlPropertyList, UTType(named: "com.apple.ascii-property-list"),
      ])
    #expect(UTType.types(tag: "mp4", tagClass: .filenameExtension, conformingTo: nil) == [.mpeg4Movie, .mpeg4Audio])
    let unknown = UTType.types(tag: "no-such", tagClass: .filenameExtension, conformingTo: nil)
    #expect(unknown.count == 1 && unknown[0].isDynamic)
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

  @Test("each type that bears a tag is named once, however often a text asks for it")
  func eachTypeOnce() {
    let types = UTType.types(
      tag: "text/plain;charset=utf-8; charset=UTF-8", tagClass: .mimeType, conformingTo: .plainText)
    #expect(types.first == .utf8PlainText && types.contains(.plainText))
    #expect(Set(types).count == types.count)
  }

  @Test("a parameter that a type of this process declares counts more than a type without it")
  func ownParameterCounts() {
    TypeRegistry.shared.declare([
      TypeDeclaration(
        "org.example.tags.profiled", conformsTo: ["public.plain-text"],
        tags: [.mimeType: ["text/plain;profile=saga"], .filenameExtension: []])
    ])
    #expect(UTType(mimeType: "text/plain; profile=Saga")?.identifier == "org.example.tags.profiled")
    #expect(UTType(mimeType: "text/plain; profile=other") == .plainText)
    #expect(
      UTType.types(tag: "text/plain;profile=saga", tagClass: .mimeType, conformingTo: nil).map(\.identifier)
        == ["org.example.tags.profiled", "public.plain-text"])
    // A class without a tag is left out.
    #expect(UTType("org.example.tags.profiled")?.tags == [.mimeType: ["text/plain;profile=saga"]])
  }

  @Test("every dynamic type that is made decodes again; where none would, there is none")
  func dynamicTypesDecode() throws {
    let long = UTType(importedAs: "org.example." + String(repeating: "x", count: 1000))
    let colons = String(repeating: ":", count: UTType.maximumTagLength)
    let longClass = UTTagClass(rawValue: String(repeating: "c", count: 5000))
    for (tag, tagClass, parent) in [(colons, UTTagClass.mimeType, long), ("x", longClass, .data)] {
      #expect(UTType(tag: tag, tagClass: tagClass, conformingTo: parent) == nil)
      #expect(UTType.types(tag: tag, tagClass: tagClass, conformingTo: parent).isEmpty)
    }
    #expect(UTType(tag: "x", tagClass: UTTagClass(rawValue: ""), conformingTo: nil) == nil)
    for name in ["public.data", "UTTypeConformsTo", "PUBLIC.mime-TYPE", "x"] {
      let tagClass = UTTagClass(rawValue: name)
      let type = try #require(UTType(tag: "a/b", tagClass: tagClass, conformingTo: UTType(importedAs: name)))
      #expect(type.isDynamic && UTType(type.identifier)?.tags == [tagClass: ["a/b"]])
      #expect(type.conforms(to: UTType(importedAs: name)))
    }
  }
}
