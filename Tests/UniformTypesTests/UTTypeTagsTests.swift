// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import UniformTypes

@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct UTTypeTagsTests {
  @Test(arguments: [
    ("png", UTType.png), ("PNG", .png), ("jpg", .jpeg), ("jpeg", .jpeg), ("txt", .plainText), ("Text", .plainText),
    ("htm", .html), ("svgz", .svg), ("csv", .commaSeparatedText), ("gz", .gzip), ("mp4", .mpeg4Movie),
    ("json", .json), ("zip", .zip),
  ])
  func findsTypeByExtensionInAnyCase(filenameExtension: String, type: UTType) {
    #expect(UTType(filenameExtension: filenameExtension) == type)
  }

  @Test(arguments: ["", ".", ".png", "a/b", "/", "\u{0}", "png\u{0}"])
  func invalidExtensionHasNoType(filenameExtension: String) {
    #expect(UTType(filenameExtension: filenameExtension) == nil)
    #expect(UTType.types(tag: filenameExtension, tagClass: .filenameExtension, conformingTo: nil).isEmpty)
  }

  @Test(arguments: [
    ("no-such-extension", "no-such-extension"), ("PNG ", "png "), ("a:b=c,d\\e", "a:b=c,d\\e"), ("Ärger", "Ärger"),
  ])
  func undeclaredExtensionHasADynamicType(filenameExtension: String, kept: String) throws {
    let type = try #require(UTType(filenameExtension: filenameExtension))
    #expect(type.isDynamic && !type.isDeclared)
    #expect(type.preferredFilenameExtension == kept)
    #expect(type.supertypes == [.data, .item])
    #expect(UTType(type.identifier) == type)
    #expect(UTType(filenameExtension: filenameExtension, conformingTo: .image)?.conforms(to: .image) == true)
  }

  @Test(arguments: [UTTagClass.filenameExtension, .mimeType])
  func overlongTagHasNoType(tagClass: UTTagClass) throws {
    let longest = String(repeating: "x", count: UTType.maximumTagLength)
    let type = try #require(UTType(tag: longest, tagClass: tagClass, conformingTo: .data))
    #expect(UTType(type.identifier)?.tags == [tagClass: [longest]])
    #expect(UTType(tag: longest + "x", tagClass: tagClass, conformingTo: .data) == nil)
  }

  @Test func parentSelectsAmongTypesOfAnExtension() {
    #expect(UTType(filenameExtension: "plist") == .propertyList)
    #expect(UTType(filenameExtension: "plist", conformingTo: .xml) == .xmlPropertyList)
    #expect(UTType(filenameExtension: "plist", conformingTo: .binaryPropertyList) == .binaryPropertyList)
    #expect(UTType(filenameExtension: "plist", conformingTo: .image)?.isDynamic == true)
  }

  @Test func findsOnlyTypesThatConformToTheParent() {
    #expect(UTType(filenameExtension: "png", conformingTo: .image) == .png)
    #expect(UTType(filenameExtension: "png", conformingTo: .png) == .png)
    #expect(UTType(filenameExtension: "png", conformingTo: .text)?.isDynamic == true)
    #expect(UTType(filenameExtension: "png", conformingTo: .text)?.supertypes.contains(.text) == true)
    #expect(UTType(mimeType: "image/png", conformingTo: .image) == .png)
    #expect(UTType(mimeType: "image/png", conformingTo: .text)?.tags == [.mimeType: ["image/png"]])
  }

  @Test(arguments: [
    ("image/png", UTType.png), ("IMAGE/PNG", .png), (" Image/Png ", .png), ("text/plain", .plainText),
    ("text/html; charset=iso-8859-1", .html), ("application/json;charset=utf-8", .json), ("text/xml", .xml),
    ("application/xml", .xml), ("application/octet-stream", .data), ("text/plain; format=flowed", .plainText),
    ("text/plain;charset=us-ascii", .plainText), ("image/png;", .png),
  ])
  func findsTypeByMIMETypeInAnyCase(mimeType: String, type: UTType) {
    #expect(UTType(mimeType: mimeType) == type)
  }

  @Test(arguments: [
    "text/plain;charset=utf-8", "text/plain; charset=UTF-8", "Text/Plain;\tCharset=\"utf-8\"",
    "text/plain; format=flowed; charset=utf-8", "text/plain; charset=utf-8; format=flowed",
  ])
  func declaredParameterIsSignificant(mimeType: String) {
    #expect(UTType(mimeType: mimeType) == .utf8PlainText)
  }

  @Test func ignoresParameterOfATypeOutsideOfTheParent() {
    #expect(UTType(mimeType: "text/plain;charset=utf-8", conformingTo: .plainText) == .utf8PlainText)
    #expect(UTType(mimeType: "text/plain;charset=utf-8", conformingTo: .image)?.isDynamic == true)
  }

  @Test(arguments: [
    "", ";", " ", "\t;charset=utf-8", "a/b\u{0}", "a/\u{1B}[2J", "a\nb", "not a mime type", "image/", "/png", "a/b/c",
    "a/b c",
  ])
  func invalidMIMETypeHasNoType(mimeType: String) {
    #expect(UTType(mimeType: mimeType) == nil)
  }

  @Test(arguments: [
    ("dev.kaya/note", "dev.kaya/note"), (" dev.kaya/note ", "dev.kaya/note"),
    ("Dev.Kaya/NOTE; charset=utf-8", "dev.kaya/note"), ("dev.kaya/note ;a=\"b c\"", "dev.kaya/note"),
  ])
  func undeclaredMIMETypeHasADynamicType(mimeType: String, kept: String) throws {
    let type = try #require(UTType(mimeType: mimeType))
    #expect(type.identifier == "dyn.ah62d4rv4gq80k3p0f3z0c8pbf71g87df")
    #expect(type.isDynamic && type.conforms(to: .data) && type.preferredMIMEType == kept)
  }

  @Test func nameOfX11KeepsItsCase() throws {
    let type = try #require(UTType(mimeType: "x-kde-passwordManagerHint"))
    #expect(type.isDynamic && type.preferredMIMEType == "x-kde-passwordManagerHint")
  }

  @Test(arguments: [
    ("application/javascript", "com.netscape.javascript-source"), ("Text/X-Python; a=b", "public.python-script"),
    ("application/x-compressed-tar", "org.gnu.gnu-zip-tar-archive"),
  ])
  func reviewedMIMETypeFindsTypeWithoutThatTag(mimeType: String, identifier: String) {
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

  /// On systems with a MIME database, these extensions once led to a declared type of another extension.
  @Test(arguments: ["ini", "gem", "rng", "xll", "vob", "t", "pod", "tar.gz"])
  func databaseDoesNotNameTheTypeOfAnExtension(filenameExtension: String) throws {
    let type = try #require(UTType(filenameExtension: filenameExtension))
    let bears = type.tags[.filenameExtension]?.first == filenameExtension
    #expect(bears || type.isDeclared && type.tags[.filenameExtension]?.contains(filenameExtension) == true)
    #expect(type.isDynamic == (SystemTypes.indices(of: filenameExtension, kind: .filenameExtension).count == 0))
  }

  @Test func dynamicTypeWithoutParentHasNoSupertypes() throws {
    let type = try #require(UTType(tag: "dev.kaya/note", tagClass: .mimeType, conformingTo: nil))
    #expect(type.identifier == "dyn.agq80k3p0f3z0c8pbf71g87df")
    #expect(type.supertypes.isEmpty && !type.conforms(to: .data))
    let pasteboard = UTTagClass(rawValue: "com.apple.nspboard-type")
    let other = try #require(UTType(tag: "dev.kaya/note", tagClass: pasteboard, conformingTo: .data))
    #expect(other.tags == [pasteboard: ["dev.kaya/note"]])
    #expect(other.preferredMIMEType == nil)
    #expect(other.identifier.hasPrefix("dyn.ah62d4rv4gu8"))
  }

  @Test(arguments: [("UTF8_STRING", UTType.utf8PlainText), ("STRING", .plainText), ("TEXT", .plainText)])
  func x11NamesAreText(name: String, type: UTType) {
    #expect(UTType(mimeType: name) == type)
  }

  @Test func osTypesAndPasteboardTypesAreCaseSensitive() {
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

  @Test func findsAllTypesWithATag() {
    #expect(
      UTType.types(tag: "plist", tagClass: .filenameExtension, conformingTo: .propertyList) == [
        .propertyList, .binaryPropertyList, .xmlPropertyList, UTType(named: "com.apple.ascii-property-list"),
      ])
    #expect(UTType.types(tag: "mp4", tagClass: .filenameExtension, conformingTo: nil) == [.mpeg4Movie, .mpeg4Audio])
    let unknown = UTType.types(tag: "no-such", tagClass: .filenameExtension, conformingTo: nil)
    #expect(unknown.count == 1 && unknown[0].isDynamic)
  }

  @Test func preferredTagsAreTheFirstOnes() {
    #expect(UTType.jpeg.preferredFilenameExtension == "jpeg")
    #expect(UTType.jpeg.preferredMIMEType == "image/jpeg")
    #expect(UTType.plainText.preferredFilenameExtension == "txt")
    #expect(UTType.utf8PlainText.preferredMIMEType == "text/plain;charset=utf-8")
    #expect(UTType(importedAs: "PUBLIC.PNG").preferredFilenameExtension == "png")
  }

  @Test func typeWithoutTagsPrefersNone() {
    #expect(UTType.image.preferredFilenameExtension == nil)
    #expect(UTType.image.preferredMIMEType == nil)
    #expect(UTType(importedAs: "org.example.tags.undeclared").preferredFilenameExtension == nil)
    #expect(UTType(exportedAs: "org.example.tags.exported", conformingTo: .png).preferredFilenameExtension == nil)
    #expect(UTType.utf8PlainText.preferredFilenameExtension == nil)
  }

  @Test func eachTypeIsFoundOnce() {
    let types = UTType.types(
      tag: "text/plain;charset=utf-8; charset=UTF-8", tagClass: .mimeType, conformingTo: .plainText)
    #expect(types.first == .utf8PlainText && types.contains(.plainText))
    #expect(Set(types).count == types.count)
  }

  @Test func parameterOfAProgramsTypePrecedes() {
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
    // A tag class without tags is not among the keys.
    #expect(UTType("org.example.tags.profiled")?.tags == [.mimeType: ["text/plain;profile=saga"]])
  }

  @Test func createdDynamicTypesDecode() throws {
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
