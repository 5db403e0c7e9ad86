// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import ItemProviderCompat
import TestSupport
import Testing

@testable import AppleSourcesSwift5

/// Uses every implemented member of Apple's API from a Swift 5 target, which must compile without a warning.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct AppleMembersSwift5Tests {
  @Test func everyImplementedMemberWorksInSwift5() async throws {
    let members = [
      ProviderMembers.all, TransferableMembers.all, TypeMembers.all, ActivityMembers.all, ExtensionMembers.all,
      FileMembers.all, DragMembers.all,
    ]
    for member in members.joined() {
      guard let use = member.use else { continue }
      let isAsDocumented = try await use()
      #expect(isAsDocumented, "\(member.owner).\(member.name)")
    }
  }

  @Test func snippetsOfTutorialsWorkInSwift5() async throws {
    let areWell = try await tutorialSnippetsWork()
    #expect(areWell)
  }

  @Test func subclassesMayOverrideMembers() async throws {
    let isWell = try await subclassesWork()
    #expect(isWell)
  }
}

@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct FavouritesListTests {
  private static let atalanta = SagaHero(name: "Atalanta", home: "Arcadia")
  private static let theseus = SagaHero(name: "Theseus", home: "Athens")

  @Test @MainActor func addsEachDroppedHeroOnceAndIgnoresOthers() async throws {
    let list = FavouritesList()
    var changeCount = 0
    list.didChange = { changeCount += 1 }
    let text = NSItemProvider(object: "no hero" as NSString)
    let broken = NSItemProvider()
    broken.registerDataRepresentation(forTypeIdentifier: "org.dragpipe.sample.saga-hero", visibility: .all) {
      $0(Data("no hero either".utf8), nil)
      return nil
    }
    #expect(!list.canHandle([text]))
    let providers = [Self.theseus, Self.atalanta, Self.theseus].map { NSItemProvider(object: $0) }
    #expect(list.canHandle(providers + [text]))
    list.performDrop(of: [broken, text] + providers)
    try await wait(for: "two heroes") { list.heroes.count == 2 }
    list.performDrop(of: [NSItemProvider(object: SagaHero(name: "Zetes", home: "Thrace"))])
    try await wait(for: "the third hero") { list.heroes.count == 3 }
    #expect(list.heroes.map(\.name) == ["Atalanta", "Theseus", "Zetes"])
    #expect(changeCount == 3)
  }
}

@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct NoteUploadTests {
  @Test func filesThatImportOnlyFoundationHaveTheNamesOfTheLongShim() {
    #expect(NoteUpload.canUpload(NSItemProvider(object: "Hail" as NSString)) && !NoteUpload.canUpload(NSItemProvider()))
    let request = NoteUpload.request(for: "Hail", to: URL(fileURLWithPath: "/saga"))
    #expect(request.httpMethod == "POST" && request.httpBody == Data("Hail".utf8))
    #expect(request.value(forHTTPHeaderField: "Content-Type") == "text/html")
  }
}

@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct NoteFileTests {
  @Test func notesAreReadAndReplacedUnderCoordination() throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let note = directory.file("note.txt")
    #expect(throws: CocoaError.self) { try NoteFile.read(note) }
    try NoteFile.write("Hail", to: note)
    try NoteFile.write("Hail, Ajax", to: note)
    let text = try NoteFile.read(note)
    #expect(text == "Hail, Ajax")
    #expect(NoteFile.isText(note) && !NoteFile.isText(directory.file("ajax.png")))
    #expect(throws: CocoaError.self) { try NoteFile.write("Hail", to: note.appendingPathComponent("below")) }
  }
}
