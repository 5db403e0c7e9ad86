// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import UniformTypes

@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct FileIdentificationTests {
  private static let hasDatabase = FileManager.default.fileExists(atPath: "/usr/share/mime/mime.cache")
  private static let noDatabase = MIMEBridge(database: MIMEDatabase(directories: []))
  private static let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13]
  private static let words = Array("let m = 1 // words, and more words\n".utf8)
  private static let noise: [UInt8] = (1...255).map { $0 &* 77 }
  private static let bytes = IdentifiedFile(type: .data, mimeType: "application/octet-stream", basis: .guess)

  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
  }

  private func file(_ name: String, _ content: [UInt8] = []) throws -> String {
    try directory.write(Data(content), to: name).path
  }

  private func identification(_ name: String, hasDatabase: Bool) -> FileIdentification {
    FileIdentification(name: name, bridge: hasDatabase ? .current : Self.noDatabase)
  }

  private func identify(_ name: String, _ content: [UInt8], hasDatabase: Bool) -> IdentifiedFile {
    identification(name, hasDatabase: hasDatabase).byNameAndContent(content.span)
  }

  // MARK: By name

  @Test(arguments: [
    ("photo.HEIC", UTType.heic), ("a.png", .png), ("a.b.png", .png),
    ("notes.tgz", UTType(named: "org.gnu.gnu-zip-tar-archive")),
    ("a.svgz", .svg), (".png.txt", .plainText), ("x.swift", .swiftSource),
  ])
  func longestKnownExtensionDeterminesTheType(name: String, type: UTType) throws {
    let found = [identification(name, hasDatabase: false).byName(), UTType.identify(fileNamed: name)]
    #expect(found.map { $0?.type } == [type, type])
    #expect(try UTType.identify(fileAt: "/no/such/\(name)", by: .name).basis == .name)
  }

  @Test(arguments: ["x", ".hidden", "x.", "", "x.no-such"])
  func unknownExtensionIsData(name: String) {
    let found = UTType.identify(fileNamed: name)
    let isExpected = found.type == .data || found.type.preferredFilenameExtension == "no-such"
    #expect(found.basis == .guess && found.mimeType == "application/octet-stream" && isExpected)
    #expect(found.type.conforms(to: .data))
  }

  @Test(.enabled(if: hasDatabase)) func systemDatabaseDeterminesTheType() throws {
    let files = ["notes.tar.gz", "Makefile"].map { UTType.identify(fileNamed: $0) }
    #expect(files.map(\.mimeType) == ["application/x-compressed-tar", "text/x-makefile"])
    #expect(files[0].type.identifier == "org.gnu.gnu-zip-tar-archive" && files[1].type.conforms(to: .text))
    // The table of system types has no type with this extension.
    let mimeType = try #require(MIMEDatabaseCache.shared.current().types(withFilenameExtension: "ocl").first)
    let found = UTType.identify(fileNamed: "main.ocl")
    #expect(found.type == UTType(filenameExtension: "ocl") && found.type.isDynamic)
    #expect([found.mimeType, found.type.preferredMIMEType] == [mimeType, mimeType])
    #expect(found.type.conforms(to: .text) == mimeType.hasPrefix("text/"))
    #expect(UTType(mimeType: mimeType).map { found.type.conforms(to: $0) } == true)
    #expect(identify("x.svgz", [0x1F, 0x8B, 8, 0], hasDatabase: true).type == .svg)
    for (name, content) in [("bzip2.1", Array(".TH BZIP2 1\n".utf8)), ("ls.1", Self.words)] {
      #expect(identify(name, content, hasDatabase: true).mimeType == "application/x-troff-man")
    }
  }

  @Test func overlongNameIsReadFromItsEnd() async throws {
    let periods = String(repeating: "a.", count: 500_000)
    // A search from the start would take hours.
    try await onThread {
      #expect(UTType.identify(fileNamed: periods + "png").type == .png)
      let archive = UTType.identify(content: [1, 2, 3].span, named: periods + "tar.gz")
      #expect(archive == UTType.identify(content: [1, 2, 3].span, named: "a.tar.gz"))
      _ = UTType.identify(fileNamed: String(repeating: "ä.", count: 1000) + "ä")
    }
  }

  // MARK: By content

  @Test(arguments: [true, false])
  func contentDeterminesTheTypeWithoutAName(hasDatabase: Bool) {
    func found(_ bytes: [UInt8]) -> IdentifiedFile {
      identification("", hasDatabase: hasDatabase).byContent(bytes.span)
    }
    let texts = ["%PDF-1.7\n", "#!/bin/sh\necho\n", "plain words\n"]
    #expect(texts.map { found(Array($0.utf8)).type } == [.pdf, .shellScript, .utf8PlainText])
    #expect(found(Array("bplist00\u{0}\u{1}".utf8)).type.conforms(to: .propertyList))
    let files = [IdentifiedFile(type: .png, mimeType: "image/png", basis: .content), Self.bytes]
    #expect([Self.png, [0, 1, 2, 3, 0xFF]].map { found($0) } == files)
  }

  @Test func knownNamePrevailsOverContentOfItsKind() throws {
    let script = try file("a.sh.txt", Array("#!/bin/sh\necho\n".utf8))
    let picture = try file("a.txt", Self.png)
    let types = [
      try UTType.identify(fileAt: script).type, try UTType.identify(fileAt: picture).type,
      try UTType.identify(fileAt: picture, by: .content).type, UTType.identify(content: Self.png.span).type,
      UTType.identify(content: Array("words".utf8).span, named: "a.json").type,
    ]
    #expect(types == [.plainText, .png, .png, .png, .json])
    #expect(
      try UTType.identify(fileAt: file("a.no-such", Self.png))
        == IdentifiedFile(type: .png, mimeType: "image/png", basis: .content))
    let words = try UTType.identify(fileAt: file("b.no-such", Array("Sing, O Muse\n".utf8)))
    let type = try #require(UTType(filenameExtension: "no-such", conformingTo: .plainText))
    #expect(words == IdentifiedFile(type: type, mimeType: "text/plain", basis: .guess))
  }

  // MARK: One decision

  /// The MIME database gives many of these extensions to other formats, such as `otf`, `ts`, `obj` and `opus`.
  @Test(arguments: [true, false]) func declaredTypeOfTheExtensionComesFirst(hasDatabase: Bool) throws {
    let extensions = Set(UTType.allDeclared.flatMap { $0.tags[.filenameExtension] ?? [] })
    for word in extensions {
      guard let declared = UTType(filenameExtension: word), declared.isDeclared else { continue }
      let found = identification("a.\(word)", hasDatabase: hasDatabase).byName()
      #expect(found?.type == declared, "\(word): \(String(describing: found))")
    }
    #expect(extensions.count > 1100)
    // The database's claim is on more than the extension, or on its case.
    guard hasDatabase else { return }
    let names = ["a.tar.gz", "CMakeLists.txt", "a.C"].map { UTType.identify(fileNamed: $0).mimeType }
    #expect(names == ["application/x-compressed-tar", "text/x-cmake", "text/x-c++src"])
  }

  @Test(arguments: [true, false]) func textNeverRefutesADeclaredTextType(hasDatabase: Bool) throws {
    let texts = [
      "// a comment\n", "/* a comment */\n", "# a comment\n", "#!/bin/sh\necho\n", "{\"a\": 1}\n{\"a\": 2}\n",
      "<?xml version=\"1.0\"?><a/>\n", "let a = \"%PDF-1.7\"\n", "candidate_id,name\n", "From: a\n\nb\n",
      "%PDF-1.7 and GIF89a\n", "GIF89a is a format\n",
    ].map { Array($0.utf8) }
    var count = 0
    // A database, such as that of KDE, gives these extensions to several text formats, of which the content selects one.
    let shared: Set = ["asc", "d.ts", "xmi"]
    for word in Set(UTType.allDeclared.flatMap { $0.tags[.filenameExtension] ?? [] }) {
      guard let named = identification("a.\(word)", hasDatabase: hasDatabase).byName()?.type,
        named.conforms(to: .text), !shared.contains(word)
      else { continue }
      count += 1
      for text in texts {
        let found = identify("a.\(word)", text, hasDatabase: hasDatabase)
        #expect(found.type.conforms(to: named) && found.basis != .guess, "\(word): \(found)")
      }
    }
    #expect(count > 400)
  }

  @Test(arguments: [true, false]) func signatureOfAnotherFamilyRefutesABinaryType(hasDatabase: Bool) {
    let brand = Array("\u{0}\u{0}\u{0}\u{10}ftypmp42\u{0}\u{0}\u{0}\u{0}".utf8)
    for (name, content, type) in [
      ("a.jpg", Self.png, UTType.png), ("a.docx", Self.png, .png), ("a.mp3", Array("%PDF-1.7\n\u{1}".utf8), .pdf),
      ("a.jpg", brand, .mpeg4Movie),
    ] {
      #expect(identify(name, content, hasDatabase: hasDatabase).type == type, "\(name)")
    }
    let program = identify("a.ul", [0x7F, 0x45, 0x4C, 0x46, 2, 1, 1, 0], hasDatabase: hasDatabase)
    #expect(program.type.conforms(to: UTType(named: "public.elf-binary")))
    // One family, an unknown signature of the same kind, a type of unknown kind, and a container.
    let archive: [UInt8] = [0x50, 0x4B, 3, 4, 20, 0, 0, 0]
    for (name, content) in [
      ("a.mov", brand), ("a.m4a", brand), ("a.dng", [0x49, 0x49, 0x2A, 0, 8, 0, 0, 0]), ("a.tga", Self.png),
      ("a.docx", archive), ("a.dll", Array("MZ\u{1}\u{0}\u{3}\u{0}\u{0}\u{0}".utf8)),
    ] {
      let found = identify(name, content, hasDatabase: hasDatabase)
      #expect(found.type == UTType(filenameExtension: String(name.dropFirst(2))), "\(name): \(found)")
    }
  }

  @Test func contentContradictsAStatedTypeByTheSameRule() {
    let lines = Array("{\"a\": 1}\n{\"a\": 2}\n".utf8)
    for (type, content, contradiction) in [
      (UTType(named: "org.jsonlines.jsonl"), lines, nil), (.swiftSource, Array("// a\n".utf8), nil),
      (.png, Self.png, nil), (.jpeg, Self.png, .png), (.data, Self.png, .png), (.text, Self.png, .png),
      (.pdf, Self.words, .utf8PlainText), (.plainText, Array("#!/bin/sh\n".utf8), .shellScript),
      (.png, Self.noise, nil), (.plainText, Self.noise, .data), (.utf16PlainText, [0x68, 0, 0x69, 0], nil),
      (.png, [], nil),
    ] as [(UTType, [UInt8], UTType?)] {
      #expect(type.contradiction(by: content.span) == contradiction, "\(type)")
    }
  }

  @Test(arguments: [true, false]) func contentThatRefutesTheBestProposalRefutesTheOthers(hasDatabase: Bool) {
    let gzip: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0]
    for (name, content, type) in [
      ("a.html", gzip, UTType.gzip), ("a.xml", Self.png, .png), ("a.key", Self.png, .png), ("a.otf", Self.png, .png),
      ("a.vb", Self.png, .png), ("a.ico", Self.png, .png), ("a.eml", Self.png, .png), ("a.plist", Self.png, .png),
      ("a.key", Array("-----BEGIN PRIVATE KEY-----\n".utf8), nil),
    ] as [(String, [UInt8], UTType?)] {
      let found = identify(name, content, hasDatabase: hasDatabase).type
      #expect(type.map { $0 == found } ?? found.conforms(to: .plainText), "\(name): \(found)")
    }
  }

  @Test(arguments: [true, false]) func programsAreNeitherScriptsNorDocuments(hasDatabase: Bool) {
    let program: [UInt8] = [0x7F, 0x45, 0x4C, 0x46, 2, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0x3E, 0]
    for name in ["a.json", "a.sh", "a.py", "a.js", "a.pl", "a.rb"] {
      let found = identify(name, program, hasDatabase: hasDatabase)
      #expect(found.type.conforms(to: UTType(named: "public.elf-binary")), "\(name): \(found)")
    }
  }

  @Test(arguments: [true, false]) func scriptIsThatOfItsInterpreter(hasDatabase: Bool) {
    let scripts = [
      "#!/usr/bin/env node\n\"use strict\";\n": "com.netscape.javascript-source",
      "\"use strict\";\nlet a;\n": "com.netscape.javascript-source",
      "#!/usr/bin/perl\nuse strict;\n": "public.perl-script",
    ]
    for (text, identifier) in scripts {
      let found = identification("", hasDatabase: hasDatabase).byContent(Array(text.utf8).span)
      #expect(found.type.identifier == identifier, "\(text)")
    }
  }

  @Test(arguments: [true, false]) func universalMachOFileIsNotAJavaClass(hasDatabase: Bool) {
    let identification = identification("", hasDatabase: hasDatabase)
    let types = [2, 52].map { identification.byContent([0xCA, 0xFE, 0xBA, 0xBE, 0, 0, 0, $0, 1].span).type.identifier }
    #expect(types == ["com.apple.mach-o-binary", "com.sun.java-class"])
  }

  @Test(.enabled(if: hasDatabase)) func wordsOfATextAreNotSignatures() {
    let texts = ["candidate_id,name\n1,2\n", "id.pub is a key\n"].map { Array($0.utf8) }
    for text in texts {
      #expect(UTType.identify(content: text.span).type.conforms(to: .plainText))
      #expect(UTType.identify(content: text.span, named: "id.pub").type.conforms(to: .plainText))
    }
  }

  @Test(.enabled(if: hasDatabase)) func scriptsAreNotPrograms() throws {
    for word in ["pyx", "wsgi", "perl", "pod", "al", "t", "jsm", "es"] {
      let type = try #require(UTType(filenameExtension: word))
      #expect(!type.conforms(to: .executable) || type.conforms(to: .script), "\(word): \(type.supertypes)")
      #expect(type.conforms(to: .text), "\(word)")
    }
  }

  @Test(arguments: [true, false])
  func textRefutesBinaryFormatOfName(hasDatabase: Bool) throws {
    // The table has another type with this extension, which conforms to text.
    #expect(identify("m.ts", Self.words, hasDatabase: hasDatabase).type.identifier == "com.microsoft.typescript")
    let names = ["x.template", "r.bin", "photo.bmp", "song.mp3", "a.exe", "a.dll", "a.pth", "a.msg", "a.ko"]
    for name in ["m.ts"] + names {
      let found = identify(name, Self.words, hasDatabase: hasDatabase)
      // A declared text type, such as that of TypeScript, has its own MIME type.
      let mimeType = found.type.preferredMIMEType ?? "text/plain"
      #expect(found.type.conforms(to: .plainText) && found.mimeType == mimeType, "\(name): \(found)")
      let tag = try #require(name.split(separator: ".").last.map(String.init))
      #expect(found.type.tags[.filenameExtension]?.contains(tag) == true)
    }
  }

  @Test(arguments: [true, false])
  func binaryContentRefutesTextOfName(hasDatabase: Bool) {
    for name in ["a.txt", "a.json", "a.swift", "st-0.6", "x.html", "r.bin"] {
      #expect(identify(name, Self.noise, hasDatabase: hasDatabase) == Self.bytes, "\(name)")
    }
    let pictures = ["a.txt", "r.bin"].map { identify($0, Self.png, hasDatabase: hasDatabase) }
    let picture = IdentifiedFile(type: .png, mimeType: "image/png", basis: .content)
    #expect(pictures[0].mimeType == "image/png" && pictures[1] == picture)
  }

  @Test(arguments: [true, false])
  func typeWithoutMIMETypeTakesThatOfItsContainer(hasDatabase: Bool) {
    TypeRegistry.shared.declare([
      TypeDeclaration("org.example.identification", tags: [.filenameExtension: ["identification"]])
    ])
    let found = [[0x50, 0x4B, 3, 4, 20, 0, 0, 0], Self.words].map { content in
      identify("x.identification", content, hasDatabase: hasDatabase)
    }
    #expect(found.allSatisfy { $0.type.identifier == "org.example.identification" }, "\(found)")
    #expect(found[0].mimeType == "application/zip")
    let document = identify("a.pom", Array("<?xml version='1.0'?><project/>".utf8), hasDatabase: hasDatabase)
    #expect("\(document.type) \(document.mimeType)" == "org.dragpipe.maven-pom application/xml")
  }

  @Test(arguments: [true, false])
  func versionIsNotSectionOfManual(hasDatabase: Bool) {
    for name in ["libdb5.3", "st-0.6"] {
      let found = identify(name, Self.words, hasDatabase: hasDatabase)
      #expect(found == IdentifiedFile(type: .utf8PlainText, mimeType: "text/plain", basis: .guess), "\(name)")
    }
    #expect(identification("libdb5.3", hasDatabase: hasDatabase).byName() == nil)
  }

  // MARK: Files

  @Test func directoriesAreFoldersOrPackages() throws {
    let base = directory.url.path
    for (name, type) in [
      ("plain", UTType.folder), ("plain/", .folder), ("Tale.rtfd", .rtfd), ("v1.2", .folder), (".rtfd", .folder),
    ] {
      try FileManager.default.createDirectory(atPath: "\(base)/\(name)", withIntermediateDirectories: true)
      for evidence in FileEvidence.allCases {
        let found = try UTType.identify(fileAt: "\(base)/\(name)", by: evidence)
        #expect(found.type == type && found.basis == .kind, "\(name): \(found)")
      }
    }
    #expect(try UTType.identify(fileAt: "/").type == .folder)
  }

  @Test func namedPipesAndDevicesAreNotOpened() throws {
    let pipe = directory.url.path + "/pipe.png"
    try #require(mkfifo(pipe, 0o600) == 0)
    let found = try UTType.identify(fileAt: pipe)
    #expect(found == IdentifiedFile(type: .item, mimeType: "inode/fifo", basis: .kind))
    #expect(try UTType.identify(fileAt: "/dev/zero", by: .content).mimeType == "inode/chardevice")
    // A pipe that replaces a file before its content is read is not taken for an empty file.
    #expect(throws: FileTypeError(path: pipe, errorNumber: EINVAL)) { try UTType.fileContent(at: pipe, limit: 16) }
    #expect(try UTType.fileContent(at: file("file", Self.png), limit: 16) == Self.png)
  }

  @Test func linksAreFollowed() throws {
    let target = try file("target.bin", Self.png)
    let link = directory.url.path + "/link.no-such"
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: target)
    #expect(try UTType.identify(fileAt: link).type == .png)
  }

  @Test(arguments: [FileEvidence.content, .nameAndContent])
  func missingFileIsAnErrorWithItsPath(evidence: FileEvidence) throws {
    let path = directory.url.path + "/none.png"
    let error = try #require(throws: FileTypeError.self) { try UTType.identify(fileAt: path, by: evidence) }
    #expect(error.errorNumber == ENOENT && "\(error)" == "\(path): No such file or directory")
    #expect(throws: FileTypeError(path: "a\u{0}b", errorNumber: EINVAL)) {
      try UTType.identify(fileAt: "a\u{0}b", by: evidence)
    }
    #expect(throws: FileTypeError.self) { try UTType.identify(fileAt: "", by: evidence) }
    let hostile = FileTypeError(path: "a\u{1B}[2Jb", errorNumber: ENOENT).description
    #expect(!hostile.contains("\u{1B}") && hostile.hasSuffix("No such file or directory"))
  }

  @Test func attachedMIMETypePrevailsOverTheName() throws {
    let path = try file("a.txt", Array("words".utf8))
    guard setxattr(path, "text/markdown") else { return }
    let found = try UTType.identify(fileAt: path)
    let type = try UTType.identify(fileAt: path, by: .content).type
    #expect(found.basis == .attribute && found.mimeType == "text/markdown" && type == .utf8PlainText)
    for nonsense in ["", "no slash", "a/b\u{1B}[2J"] where setxattr(path, nonsense) {
      #expect(try UTType.identify(fileAt: path).type == .plainText)
    }
  }

  /// Sets the extended attribute; returns whether the file system supports it.
  private func setxattr(_ path: String, _ value: String) -> Bool {
    typealias Call =
      @convention(c) (UnsafePointer<CChar>, UnsafePointer<CChar>, UnsafePointer<CChar>, Int, CInt) -> CInt
    guard let call = dlsym(nil, "setxattr").map({ unsafeBitCast($0, to: Call.self) }) else { return false }
    return call(path, "user.mime_type", value, value.utf8.count, 0) == 0
  }
}
