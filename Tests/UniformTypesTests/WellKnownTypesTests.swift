// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import UniformTypes

/// The rows of the table of system types.
///
/// Each row has a source, and each row that does not come from Apple's own tables has declared parents.
@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct WellKnownTypesTests {
  private struct Row {
    var identifier: String
    var parents: [String]
    var tags: [UTTagClass: [String]]
    var source: String

    var isFact: Bool { source == "Apple: UTType" || source == "Apple: CoreTypes" }
  }

  private static let rows: [Row] = {
    do {
      let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardizedFileURL
      let path = root.path + "/Sources/UniformTypes/SystemTypes/system-types.tsv"
      let lines = try String(contentsOfFile: path, encoding: .utf8).components(separatedBy: "\n")
        .filter { !$0.isEmpty && !$0.hasPrefix("#") }.map { $0.components(separatedBy: "\t") }
      let list = { (field: String) in field.components(separatedBy: ", ").filter { !$0.isEmpty } }
      return lines.dropFirst().map { fields in
        Row(
          identifier: fields[0], parents: list(fields[3]),
          tags: [.filenameExtension: list(fields[4]), .mimeType: list(fields[5])], source: fields[10])
      }
    } catch {
      Issue.record(error)
      return []
    }
  }()

  @Test func everyRowHasOneIdentifierAndASource() {
    #expect(Self.rows.count == SystemTypes.declaredCount)
    #expect(Set(Self.rows.map { $0.identifier.lowercased() }).count == Self.rows.count)
    let apples = Self.rows.filter { $0.source.hasPrefix("Apple: ") }
    #expect(apples.count == SystemTypes.appleCount)
    let kinds = ["Apple: UTType", "Apple: CoreTypes", "Apple: macOS", "owner: ", "published: ", "DragPipe: "]
    for row in Self.rows {
      #expect(kinds.contains { row.source.hasPrefix($0) && row.source != "owner: " }, "\(row)")
      #expect(TypeDeclaration.fault(inIdentifier: row.identifier) == nil, "\(row)")
      #expect(row.identifier.hasPrefix("org.dragpipe.") == row.source.hasPrefix("DragPipe: "), "\(row)")
    }
  }

  @Test func everyTagIsValidAndInOneRowOnce() {
    for row in Self.rows {
      for (tagClass, tags) in row.tags {
        // Apple's tables have one MIME type whose parameter has no value.
        for tag in tags where tag != "text/plain;charset=" {
          #expect(UTType.isValid(tag: tag, of: tagClass), "\(tag) of \(row.identifier)")
        }
        #expect(row.isFact || Set(tags.map { $0.lowercased() }).count == tags.count, "\(row)")
      }
    }
  }

  @Test func parentsOfAddedTypesAreDeclared() {
    let identifiers = Set(Self.rows.map(\.identifier))
    for row in Self.rows where !row.isFact {
      #expect(!row.parents.isEmpty && identifiers.isSuperset(of: row.parents), "\(row)")
      let type = UTType(named: row.identifier)
      #expect(!type.supertypes.contains(type), "\(row)")
      #expect(type.conforms(to: .data) || type.conforms(to: .directory) || row.tags.values.allSatisfy(\.isEmpty))
    }
  }

  @Test(
    arguments: [
      ("dmg", "com.apple.disk-image-udif", UTType.diskImage), ("img", "com.apple.disk-image-udif", .diskImage),
      ("iso", "public.iso-image", .diskImage), ("nef", "com.nikon.raw-image", .rawImage),
      ("cr2", "com.canon.cr2-raw-image", .rawImage), ("cr3", "com.canon.cr3-raw-image", .rawImage),
      ("arw", "com.sony.arw-raw-image", .rawImage), ("orf", "com.olympus.raw-image", .rawImage),
      ("raf", "com.fuji.raw-image", .rawImage), ("rw2", "com.panasonic.rw2-raw-image", .rawImage),
      ("avif", "public.avif", .image), ("hdr", "public.radiance", .image),
      ("md", "net.daringfireball.markdown", .plainText), ("mkv", "org.matroska.mkv", .movie),
      ("ogg", "org.xiph.ogg-audio", .audio), ("opus", "org.xiph.opus", .audio),
      ("webm", "org.webmproject.webm", .movie), ("gpx", "com.topografix.gpx", .xml),
      ("metal", "com.apple.metal", .sourceCode), ("proto", "public.protobuf-source", .sourceCode),
      ("eml", "com.apple.mail.email", .emailMessage), ("xliff", "org.oasis-open.xliff", .xml),
      ("wasm", "org.dragpipe.webassembly-module", .executable), ("zst", "com.facebook.zstandard-archive", .archive),
      ("sqlite", "org.sqlite.sqlite3", .database), ("deb", "org.debian.deb-archive", .archive),
      ("toml", "public.toml", .plainText), ("go", "org.golang.go-script", .sourceCode),
      ("rs", "public.rust-source", .sourceCode), ("so", "org.dragpipe.elf-shared-library", .executable),
      ("pyc", "public.python-bytecode", .data), ("mo", "net.poedit.mo", .data),
      ("gltf", "org.khronos.gltf", .json), ("woff2", "org.w3.woff2", .font),
      ("rar", "com.rarlab.rar-archive", .archive),
      ("d.ts", "com.microsoft.typescript", .sourceCode), ("js.map", "org.dragpipe.source-map", .json),
      ("DROP", "org.dragpipe.drop", .data),
    ])
  func commonExtensionHasADeclaredType(filenameExtension: String, identifier: String, parent: UTType) throws {
    let type = try #require(UTType(filenameExtension: filenameExtension))
    #expect(type.identifier == identifier)
    #expect(type.isDeclared && type.conforms(to: parent))
  }

  @Test(
    arguments: [
      ("application/x-sharedlib", "org.dragpipe.elf-shared-library"),
      ("application/x-pie-executable", "org.dragpipe.elf-executable"), ("text/markdown", "net.daringfireball.markdown"),
      ("application/vnd.dragpipe.drop", "org.dragpipe.drop"), ("image/x-nikon-nef", "com.nikon.raw-image"),
      ("application/wasm", "org.dragpipe.webassembly-module"), ("message/rfc822", "com.apple.mail.email"),
      ("text/vnd.trolltech.linguist", "net.poedit.qt"),
    ])
  func commonMIMETypeHasADeclaredType(mimeType: String, identifier: String) {
    #expect(UTType(mimeType: mimeType)?.identifier == identifier)
  }

  @Test(
    arguments: [
      ("ts", "public.mpeg-2-transport-stream"), ("pot", "com.microsoft.powerpoint.pot"), ("pic", "com.apple.pict"),
      ("r", "com.apple.rez-source"), ("key", "com.apple.iWork.Keynote.sffkey"), ("raw", "com.panasonic.raw-image"),
    ])
  func addedTypesTakeNoTagFromApple(filenameExtension: String, identifier: String) {
    #expect(UTType(filenameExtension: filenameExtension)?.identifier == identifier)
  }

  @Test func dropIsKnownByNameAndByContent() {
    let start: [UInt8] = [0xD7, 0x44, 0x52, 0x50, 0x0D, 0x0A, 0x1A, 0x0A, 1, 0, 1, 1]
    for found in [UTType.identify(fileNamed: "a.drop"), UTType.identify(content: start.span)] {
      #expect(found.type.identifier == "org.dragpipe.drop")
      #expect(found.mimeType == "application/vnd.dragpipe.drop")
    }
    #expect(UTType.identify(content: Array(start.dropLast(5)).span).type.identifier != "org.dragpipe.drop")
  }
}
