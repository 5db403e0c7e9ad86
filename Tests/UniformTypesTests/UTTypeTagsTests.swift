// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import UniformTypes

@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct UTTypeTagsTests {
  // MARK: Filename extensions

  /// Other tests find every type of the table by each of its tags.
  ///
  /// These rows do not follow the table if it changes.
  @Test(
    arguments: [
      ("png", "public.png", .image), ("PNG", "public.png", .image), ("d.ts", "com.microsoft.typescript", .sourceCode),
      ("DROP", "org.dragpipe.drop", .data), ("so", "org.dragpipe.elf-shared-library", .executable),
      ("jpg", "public.jpeg", .image), ("jpeg", "public.jpeg", .image), ("txt", "public.plain-text", .text),
      ("Text", "public.plain-text", .text), ("htm", "public.html", .text), ("svgz", "public.svg-image", .image),
      ("csv", "public.comma-separated-values-text", .text), ("gz", "org.gnu.gnu-zip-archive", .archive),
      ("json", "public.json", .text), ("zip", "public.zip-archive", .archive), ("yml", "public.yaml", nil),
      ("heic", "public.heic", .image), ("tar", "public.tar-archive", .archive), ("css", "public.css", .text),
      ("dng", "com.adobe.raw-image", .rawImage), ("jxl", "public.jpeg-xl", .image),
      ("geojson", "public.geojson", .json), ("heics", "public.heics", .image),
      ("dmg", "com.apple.disk-image-udif", .diskImage), ("img", "com.apple.disk-image-udif", .diskImage),
      ("iso", "public.iso-image", .diskImage), ("nef", "com.nikon.raw-image", .rawImage),
      ("cr2", "com.canon.cr2-raw-image", .rawImage), ("cr3", "com.canon.cr3-raw-image", .rawImage),
      ("arw", "com.sony.arw-raw-image", .rawImage), ("raf", "com.fuji.raw-image", .rawImage),
      ("rw2", "com.panasonic.rw2-raw-image", .rawImage), ("avif", "public.avif", .image),
      ("hdr", "public.radiance", .image), ("md", "net.daringfireball.markdown", .plainText),
      ("mkv", "org.matroska.mkv", .movie), ("ogg", "org.xiph.ogg-audio", .audio), ("opus", "org.xiph.opus", .audio),
      ("webm", "org.webmproject.webm", .movie), ("gpx", "com.topografix.gpx", .xml),
      ("metal", "com.apple.metal", .sourceCode), ("proto", "public.protobuf-source", .sourceCode),
      ("eml", "com.apple.mail.email", .emailMessage), ("xliff", "org.oasis-open.xliff", .xml),
      ("wasm", "org.dragpipe.webassembly-module", .executable), ("zst", "com.facebook.zstandard-archive", .archive),
      ("sqlite", "org.sqlite.sqlite3", .database), ("deb", "org.debian.deb-archive", .archive),
      ("toml", "public.toml", .plainText), ("go", "org.golang.go-script", .sourceCode),
      ("rs", "public.rust-source", .sourceCode), ("pyc", "public.python-bytecode", .data),
      ("mo", "net.poedit.mo", .data), ("gltf", "org.khronos.gltf", .json), ("woff2", "org.w3.woff2", .font),
      ("rar", "com.rarlab.rar-archive", .archive), ("js.map", "org.dragpipe.source-map", .json),
      // Several types claim these extensions. Types of other owners take no tag from Apple's types.
      ("plist", "com.apple.property-list", nil), ("xml", "public.xml", nil), ("otf", "public.opentype-font", nil),
      ("otc", "public.opentype-collection-font", nil), ("mp4", "public.mpeg-4", nil), ("smf", "public.midi-audio", nil),
      ("ts", "public.mpeg-2-transport-stream", nil), ("pot", "com.microsoft.powerpoint.pot", nil),
      ("pic", "com.apple.pict", nil), ("r", "com.apple.rez-source", nil),
      ("key", "com.apple.iWork.Keynote.sffkey", nil), ("raw", "com.panasonic.raw-image", nil),
      ("orf", "com.olympus.raw-image", .rawImage),
    ] as [(String, String, UTType?)])
  func extensionFindsItsDeclaredType(filenameExtension: String, identifier: String, parent: UTType?) throws {
    let type = try #require(UTType(filenameExtension: filenameExtension))
    #expect(type.identifier == identifier && type.isDeclared && type.conforms(to: parent ?? .data))
  }

  @Test func invalidTagHasNoType() {
    let invalid: [UTTagClass: [String]] = [
      .filenameExtension: ["", ".", ".png", "a/b", "/", "\u{0}", "png\u{0}"],
      .mimeType: [
        "", ";", " ", "\t;charset=utf-8", "a/b\u{0}", "a/\u{1B}[2J", "a\nb", "not a mime type", "image/", "/png",
        "a/b/c", "a/b c",
      ],
      UTTagClass(rawValue: ""): ["x"], UTTagClass(rawValue: String(repeating: "c", count: 5000)): ["x"],
    ]
    for (tagClass, tags) in invalid {
      for tag in tags {
        let all = UTType.types(tag: tag, tagClass: tagClass, conformingTo: nil)
        let first = UTType(tag: tag, tagClass: tagClass, conformingTo: .data)
        #expect(first == nil && all.isEmpty, "\(tag.debugDescription)")
      }
    }
    let long = UTType(importedAs: "org.example." + String(repeating: "x", count: 1000))
    let colons = String(repeating: ":", count: UTType.maximumTagLength)
    let types = [
      UTType(filenameExtension: ""), UTType(mimeType: ""), UTType(tag: colons, tagClass: .mimeType, conformingTo: long),
    ]
    #expect(types == [nil, nil, nil])
  }

  @Test(arguments: [
    ("no-such-extension", "no-such-extension"), ("PNG ", "png "), ("a:b=c,d\\e", "a:b=c,d\\e"), ("Ärger", "Ärger"),
  ])
  func undeclaredExtensionHasADynamicType(filenameExtension: String, kept: String) throws {
    let type = try #require(UTType(filenameExtension: filenameExtension))
    #expect(type.isDynamic && !type.isDeclared && UTType(type.identifier) == type)
    let image = UTType(filenameExtension: filenameExtension, conformingTo: .image)
    #expect([type, image].map { $0?.conforms(to: .image) } == [false, true])
    #expect(type.preferredFilenameExtension == kept && type.supertypes == [.data, .item])
  }

  @Test(arguments: [UTTagClass.filenameExtension, .mimeType])
  func overlongTagHasNoType(tagClass: UTTagClass) throws {
    let longest = String(repeating: "x", count: UTType.maximumTagLength)
    let type = try #require(UTType(tag: longest, tagClass: tagClass, conformingTo: .data))
    let longer = UTType(tag: longest + "x", tagClass: tagClass, conformingTo: .data)
    #expect(UTType(type.identifier)?.tags == [tagClass: [longest]] && longer == nil)
  }

  @Test func parentSelectsAmongTypesWithATag() {
    for (tag, tagClass, parent, expected) in [
      ("plist", .filenameExtension, .xml, .xmlPropertyList), ("png", .filenameExtension, .png, .png),
      ("plist", .filenameExtension, .binaryPropertyList, .binaryPropertyList),
      ("png", .filenameExtension, .text, nil), ("image/png", .mimeType, .image, .png),
      ("image/png", .mimeType, .text, nil), ("text/plain;charset=utf-8", .mimeType, .plainText, .utf8PlainText),
      ("text/plain;charset=utf-8", .mimeType, .image, nil),
    ] as [(String, UTTagClass, UTType, UTType?)] {
      let found = UTType(tag: tag, tagClass: tagClass, conformingTo: parent)
      let isNew = found?.isDynamic == true && found?.conforms(to: parent) == true
      let isExpected = expected == nil ? isNew : found == expected
      #expect(isExpected, "\(tag), \(parent)")
    }
    #expect(UTType(mimeType: "image/png", conformingTo: .text)?.tags == [.mimeType: ["image/png"]])
  }

  /// On systems with a MIME database, these extensions once led to a declared type of another extension.
  @Test(arguments: ["ini", "gem", "rng", "xll", "vob", "t", "pod", "tar.gz"])
  func databaseDoesNotNameTheTypeOfAnExtension(filenameExtension: String) throws {
    let type = try #require(UTType(filenameExtension: filenameExtension))
    let bears = type.tags[.filenameExtension]?.first == filenameExtension
    #expect(bears || type.isDeclared && type.tags[.filenameExtension]?.contains(filenameExtension) == true)
    #expect(type.isDynamic == (SystemTypes.indices(of: filenameExtension, kind: .filenameExtension).count == 0))
  }

  // MARK: MIME types

  @Test(
    arguments: [
      ("image/png", "public.png"), ("IMAGE/PNG", "public.png"), (" Image/Png ", "public.png"),
      ("image/png;", "public.png"), ("text/html; charset=iso-8859-1", "public.html"),
      ("application/json;charset=utf-8", "public.json"), ("text/xml", "public.xml"), ("application/xml", "public.xml"),
      ("image/x-adobe-dng", "com.adobe.raw-image"), ("image/jxl", "public.jpeg-xl"),
      ("application/geo+json", "public.geojson"), ("image/heic-sequence", "public.heics"),
      ("application/x-tar", "public.tar-archive"), ("text/css", "public.css"),
      ("application/x-sharedlib", "org.dragpipe.elf-shared-library"),
      ("application/x-pie-executable", "org.dragpipe.elf-executable"), ("text/markdown", "net.daringfireball.markdown"),
      ("application/vnd.dragpipe.drop", "org.dragpipe.drop"), ("image/x-nikon-nef", "com.nikon.raw-image"),
      ("application/wasm", "org.dragpipe.webassembly-module"), ("message/rfc822", "com.apple.mail.email"),
      ("text/vnd.trolltech.linguist", "net.poedit.qt"),
      // A parameter that a type declares is significant.
      ("text/plain", "public.plain-text"), ("text/plain; format=flowed", "public.plain-text"),
      ("text/plain;charset=us-ascii", "public.plain-text"), ("text/plain;charset=utf-8", "public.utf8-plain-text"),
      ("text/plain; charset=UTF-8", "public.utf8-plain-text"),
      ("Text/Plain;\tCharset=\"utf-8\"", "public.utf8-plain-text"),
      ("text/plain; format=flowed; charset=utf-8", "public.utf8-plain-text"),
      ("text/plain; charset=utf-8; format=flowed", "public.utf8-plain-text"),
      // Names of X11.
      ("UTF8_STRING", "public.utf8-plain-text"), ("STRING", "public.plain-text"), ("TEXT", "public.plain-text"),
      // Several types claim these MIME types.
      ("application/octet-stream", "public.data"), ("application/vnd.ms-powerpoint", "com.microsoft.powerpoint.ppt"),
      ("application/msword", "com.microsoft.word.doc"), ("application/vnd.ms-excel", "com.microsoft.excel.xls"),
      ("audio/aiff", "public.aiff-audio"), ("application/x-msdownload", "com.microsoft.windows-executable"),
      // Types without that tag.
      ("application/javascript", "com.netscape.javascript-source"), ("Text/X-Python; a=b", "public.python-script"),
      ("application/x-compressed-tar", "org.gnu.gnu-zip-tar-archive"),
    ] as [(String, String)])
  func mimeTypeFindsItsDeclaredType(mimeType: String, identifier: String) {
    #expect(UTType(mimeType: mimeType)?.identifier == identifier)
  }

  @Test func everyReviewedMIMETypeNamesItsDeclaredType() {
    for (identifier, mimeTypes) in MIMEIdentifiers.entries {
      if UTType(identifier)?.isDeclared != true { Issue.record("\(identifier)") }
      for mimeType in mimeTypes.split(separator: " ").map(String.init)
      where UTType(mimeType: mimeType, conformingTo: .item)?.identifier != identifier
        || MIMEIdentifiers.foreign.contains(mimeType)
      {
        Issue.record("\(mimeType)")
      }
    }
    for mimeType in ["application/javascript", "Text/X-Python; a=b", "application/x-compressed-tar"] {
      #expect(UTType(mimeType: mimeType, conformingTo: .image)?.isDynamic == true, "\(mimeType)")
    }
  }

  @Test(arguments: [
    ("dev.kaya/note", "dev.kaya/note"), (" dev.kaya/note ", "dev.kaya/note"),
    ("Dev.Kaya/NOTE; charset=utf-8", "dev.kaya/note"), ("dev.kaya/note ;a=\"b c\"", "dev.kaya/note"),
  ])
  func undeclaredMIMETypeHasADynamicType(mimeType: String, kept: String) throws {
    let type = try #require(UTType(mimeType: mimeType))
    #expect([type.identifier, type.preferredMIMEType] == ["dyn.ah62d4rv4gq80k3p0f3z0c8pbf71g87df", kept])
    #expect(type.isDynamic && type.conforms(to: .data))
  }

  @Test func nameOfX11KeepsItsCase() {
    let type = UTType(mimeType: "x-kde-passwordManagerHint")
    #expect(type?.isDynamic == true && type?.preferredMIMEType == "x-kde-passwordManagerHint")
  }

  @Test func parameterOfAProgramsTypePrecedes() {
    TypeRegistry.shared.declare([
      TypeDeclaration(
        "org.example.tags.profiled", conformsTo: ["public.plain-text"],
        tags: [.mimeType: ["text/plain;profile=saga"], .filenameExtension: []])
    ])
    let found = ["Saga", "other"].map { UTType(mimeType: "text/plain; profile=\($0)")?.identifier }
    #expect(found == ["org.example.tags.profiled", "public.plain-text"])
    #expect(
      UTType.types(tag: "text/plain;profile=saga", tagClass: .mimeType, conformingTo: nil).map(\.identifier)
        == ["org.example.tags.profiled", "public.plain-text"])
    // A tag class without tags is not among the keys.
    #expect(UTType("org.example.tags.profiled")?.tags == [.mimeType: ["text/plain;profile=saga"]])
  }

  // MARK: Tags of any class

  @Test func dynamicTypeWithoutParentHasNoSupertypes() throws {
    let type = try #require(UTType(tag: "dev.kaya/note", tagClass: .mimeType, conformingTo: nil))
    let isData = type.conforms(to: .data)
    #expect(type.identifier == "dyn.agq80k3p0f3z0c8pbf71g87df" && type.supertypes.isEmpty && !isData)
    let pasteboard = UTTagClass(rawValue: "com.apple.nspboard-type")
    let other = try #require(UTType(tag: "dev.kaya/note", tagClass: pasteboard, conformingTo: .data))
    let isPrefixed = other.identifier.hasPrefix("dyn.ah62d4rv4gu8")
    #expect(other.tags == [pasteboard: ["dev.kaya/note"]] && other.preferredMIMEType == nil && isPrefixed)
  }

  @Test func osTypesAndPasteboardTypesAreCaseSensitive() {
    let osType = UTTagClass(rawValue: "com.apple.ostype")
    let pasteboard = UTTagClass(rawValue: "COM.apple.nspboard-type")
    for (tag, tagClass, isPNG) in [
      ("PNGf", osType, true), ("pngf", osType, false), ("Apple PNG pasteboard type", pasteboard, true),
      ("x", UTTagClass(rawValue: "org.example.no-class"), false),
    ] {
      let found = UTType(tag: tag, tagClass: tagClass, conformingTo: nil)
      #expect(isPNG ? found == .png : found?.isDynamic == true, "\(tag)")
    }
    #expect(UTType.utf8PlainText.tags[osType] == ["utf8"])
  }

  @Test func findsAllTypesWithATagEachOnce() {
    #expect(
      UTType.types(tag: "plist", tagClass: .filenameExtension, conformingTo: .propertyList) == [
        .propertyList, .binaryPropertyList, .xmlPropertyList, UTType(named: "com.apple.ascii-property-list"),
      ])
    #expect(UTType.types(tag: "mp4", tagClass: .filenameExtension, conformingTo: nil) == [.mpeg4Movie, .mpeg4Audio])
    let unknown = UTType.types(tag: "no-such", tagClass: .filenameExtension, conformingTo: nil)
    #expect(unknown.count == 1 && unknown[0].isDynamic)
    let types = UTType.types(
      tag: "text/plain;charset=utf-8; charset=UTF-8", tagClass: .mimeType, conformingTo: .plainText)
    #expect(types.first == .utf8PlainText && types.contains(.plainText) && Set(types).count == types.count)
  }

  @Test func preferredTagsAreTheFirstOnes() {
    let exported = UTType(exportedAs: "org.example.tags.exported", conformingTo: .png)
    for (type, filenameExtension, mimeType) in [
      (.jpeg, "jpeg", "image/jpeg"), (.plainText, "txt", "text/plain"),
      (.utf8PlainText, nil, "text/plain;charset=utf-8"), (UTType(importedAs: "PUBLIC.PNG"), "png", "image/png"),
      (.image, nil, nil), (UTType(importedAs: "org.example.tags.undeclared"), nil, nil), (exported, nil, nil),
    ] as [(UTType, String?, String?)] {
      #expect([type.preferredFilenameExtension, type.preferredMIMEType] == [filenameExtension, mimeType], "\(type)")
    }
  }

  @Test(arguments: ["public.data", "UTTypeConformsTo", "PUBLIC.mime-TYPE", "x"])
  func createdDynamicTypeDecodes(name: String) throws {
    let tagClass = UTTagClass(rawValue: name)
    let type = try #require(UTType(tag: "a/b", tagClass: tagClass, conformingTo: UTType(importedAs: name)))
    #expect(UTType(type.identifier)?.tags == [tagClass: ["a/b"]] && type.conforms(to: UTType(importedAs: name)))
  }
}
