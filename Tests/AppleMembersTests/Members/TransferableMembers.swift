// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import CoreTransferable

/// The members of CoreTransferable, each used as in a program for Apple's systems.
enum TransferableMembers {
  static var all: [Member] {
    var list = MemberList()
    addProtocols(to: &list)
    addExporting(to: &list)
    addModifiers(to: &list)
    addRepresentations(to: &list)
    addFiles(to: &list)
    addConformances(to: &list)
    return list.members
  }

  private static func addProtocols(to list: inout MemberList) {
    list.of("Transferable")
    list.has("Transferable", "Representation", "transferRepresentation") {
      func types<Value: Transferable>(_ value: Value) -> Any.Type { Value.Representation.self }
      return types(Ode()) == type(of: Ode.transferRepresentation)
    }
    list.of("TransferRepresentation")
    list.has("TransferRepresentation", "Item", "Body", "body") {
      Verse.Representation.Item.self == Verse.self && Scroll.Body.self != Never.self
        && Verse.exportedContentTypes() == [.utf8PlainText, .json]
    }
    list.of("TransferRepresentationBuilder")
    list.has("TransferRepresentationBuilder", "buildExpression(_: CodableRepresentation)", "buildExpression(_:)") {
      type(of: odeAsText) == CodableRepresentation<Ode, JSONEncoder, JSONDecoder>.self
    }
    list.differs(
      "buildBlock(_:…)",
      "The builder adds one representation after the other, so a list may have any length, and may have conditions."
    ) {
      Ode.exportedContentTypes() == [.json, .rtf, .utf8PlainText]
    }
  }

  private static func addExporting(to list: inout MemberList) {
    list.of("Transferable")
    list.has("exported(as:)") {
      try await Ode().exported(as: .plainText) == Data("Sing, goddess".utf8)
    }
    list.has("export(to:contentType:)") {
      let directory = FileManager.default.temporaryDirectory.appendingPathComponent("dragpipe-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
      defer { try? FileManager.default.removeItem(at: directory) }
      let file = try await Ode().export(to: directory, contentType: .rtf)
      return file.lastPathComponent == "Ode.rtf" && FileManager.default.fileExists(atPath: file.path)
    }
    list.has("withExportedFile(contentType:fileHandler:)") {
      let text = try await Ode().withExportedFile(contentType: .plainText) {
        try String(contentsOf: $0, encoding: .utf8)
      }
      return text == "Sing, goddess"
    }
    list.has("init(importing: Data, contentType:)") {
      let data = try await Ode().exported(as: .json)
      return try await Ode(importing: data, contentType: .json) == Ode()
    }
    list.has("init(importing: URL, contentType:)") {
      try await Ode().withExportedFile(contentType: .json) { try await Ode(importing: $0, contentType: .json) } == Ode()
    }
    list.has("exportedContentTypes(_:) (instance)", "exportedContentTypes(visibility:) (static)") {
      Ode(words: "").exportedContentTypes() == [.json, .rtf] && Ode.exportedContentTypes(visibility: .all).count == 3
    }
    list.has("importedContentTypes() (instance)", "importedContentTypes() (static)") {
      Ode().importedContentTypes() == [.json] && Ode.importedContentTypes() == [.json]
    }
    list.has("suggestedFilename") { Ode().suggestedFilename == "Ode" }
  }

  private static func addModifiers(to list: inout MemberList) {
    list.of("TransferRepresentation")
    list.has("visibility(_:)") {
      Verse.exportedContentTypes(visibility: .all) == [.utf8PlainText, .json]
        && Verse.exportedContentTypes(visibility: .ownProcess).contains(.xml)
    }
    list.has("exportingCondition(_:)", "_ConditionalTransferRepresentation") {
      let conditional = DataRepresentation<Ode>(exportedContentType: .rtf) { _ in Data() }.exportingCondition { _ in
        true
      }
      return type(of: conditional) == _ConditionalTransferRepresentation<DataRepresentation<Ode>>.self
    }
    list.has("suggestedFileName(_: String)", "suggestedFileName(_: closure)") {
      Ode().suggestedFilename == "Ode" && Verse().suggestedFilename == "Sing.txt"
    }
    list.differs("TupleTransferRepresentation", "Its `init(_:)` does not exist: only the builder creates a tuple.") {
      Canto.transferRepresentation.parts.count == 3
    }
  }

  private static func addRepresentations(to list: inout MemberList) {
    list.of("CodableRepresentation")
    list.has("CodableRepresentation", "init(for:contentType:)") {
      try await Ode().exported(as: .json) == Data(#"{"words":"Sing, goddess"}"#.utf8)
    }
    list.differs(
      "init(for:contentType:encoder:decoder:)",
      "The coders are `ItemEncoder`s and `ItemDecoder`s, as Combine's protocols for coders exist on Apple's systems alone; "
        + "those of Foundation and of this package conform."
    ) {
      let list = CodableRepresentation(
        for: Ode.self, contentType: .propertyList, encoder: PropertyListEncoder(), decoder: PropertyListDecoder())
      return type(of: list) == CodableRepresentation<Ode, PropertyListEncoder, PropertyListDecoder>.self
    }
    list.of("DataRepresentation")
    list.has(
      "DataRepresentation", "init(contentType:exporting:importing:)", "init(exportedContentType:exporting:)",
      "init(importedContentType:importing:)"
    ) {
      Sketch.exportedContentTypes() == [.png, .rtf] && Sketch.importedContentTypes() == [.png, .gif]
    }
    list.of("FileRepresentation")
    list.has(
      "FileRepresentation", "init(contentType:shouldAttemptToOpenInPlace:exporting:importing:)",
      "init(exportedContentType:shouldAllowToOpenInPlace:exporting:)",
      "init(importedContentType:shouldAttemptToOpenInPlace:importing:)"
    ) {
      Track.exportedContentTypes() == [.mp3, .wav] && Track.importedContentTypes() == [.mp3, .aiff]
    }
    list.of("ProxyRepresentation")
    list.has("ProxyRepresentation", "init(exporting:)", "init(exporting: async)") {
      try await Saying().exported(as: .utf8PlainText) == Data("Know thyself".utf8)
    }
    list.has(
      "init(importing:)", "init(importing: async)", "init(exporting:importing:)",
      "init(exporting:importing: both async)",
      "init(exporting:importing: importing async)"
    ) {
      try await Saying(importing: Data("Nothing in excess".utf8), contentType: .utf8PlainText).words
        == "Nothing in excess"
    }
  }

  private static func addFiles(to list: inout MemberList) {
    list.of("SentTransferredFile")
    list.has("SentTransferredFile", "init(_:allowAccessingOriginalFile:)", "file", "allowAccessingOriginalFile") {
      let sent = SentTransferredFile(URL(fileURLWithPath: "/saga"), allowAccessingOriginalFile: true)
      return sent.file.path == "/saga" && sent.allowAccessingOriginalFile
    }
    list.of("ReceivedTransferredFile")
    list.has("ReceivedTransferredFile", "file", "isOriginalFile") {
      try await withFile { file in
        try await Track(importing: file, contentType: .mp3).wasOriginal != nil
      }
    }
    list.of("TransferRepresentationVisibility")
    list.has("TransferRepresentationVisibility", "all", "team", "group", "ownProcess", "==") {
      let all: [TransferRepresentationVisibility] = [.all, .team, .group, .ownProcess]
      return all[0] == .all && all[1] != all[2] && all[2] != all[3]
    }
    list.of("NSItemProvider")
    list.has("register(_:)", "loadTransferable(type:completionHandler:)") {
      let provider = NSItemProvider()
      provider.register(Ode())
      let ode: Ode? = await answer { completion in
        _ = provider.loadTransferable(type: Ode.self) { completion(try? $0.get()) }
      }
      return ode == Ode()
    }
  }

  private static func addConformances(to list: inout MemberList) {
    list.of("Types that are Transferable")
    list.has("Data", "String", "URL", "AttributedString") {
      let url = URL(fileURLWithPath: "/saga")
      let data = try await Data([7]).exported(as: .data)
      let text = try await "Hail".exported(as: .utf8PlainText)
      let address = try await URL(importing: try await url.exported(as: .url), contentType: .url)
      let attributed = try await AttributedString(importing: text, contentType: .utf8PlainText)
      return data == Data([7]) && text == Data("Hail".utf8) && address == url && attributed == AttributedString("Hail")
    }
    list.has("Never", "Never (TransferRepresentation)") {
      func isTransferable<Value: Transferable & TransferRepresentation>(_: Value.Type) -> Bool { true }
      return isTransferable(Never.self)
    }
  }
}
