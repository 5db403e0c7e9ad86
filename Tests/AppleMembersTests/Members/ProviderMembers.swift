// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import CoreTransferable
import UniformTypeIdentifiers

/// The members of `NSItemProvider`, its protocols and its constants, each used as in a program for Apple's systems.
enum ProviderMembers {
  static var all: [Member] {
    var list = MemberList()
    addProvider(to: &list)
    addObjects(to: &list)
    addItems(to: &list)
    addTypes(to: &list)
    addProtocols(to: &list)
    addConstants(to: &list)
    return list.members
  }

  private static func addProvider(to list: inout MemberList) {
    list.of("NSItemProvider")
    list.has("init()") { NSItemProvider().registeredTypeIdentifiers.isEmpty }
    list.has("registerDataRepresentation(forTypeIdentifier:visibility:loadHandler:)", "registeredTypeIdentifiers") {
      provider(Data([7]), "public.png").registeredTypeIdentifiers == ["public.png"]
    }
    list.has("loadDataRepresentation(forTypeIdentifier:completionHandler:)") {
      let provider = provider(Data([7]), "public.png")
      let data: Data? = await answer { completion in
        provider.loadDataRepresentation(forTypeIdentifier: "public.image") { data, _ in completion(data) }
      }
      return data == Data([7])
    }
    list.has(
      "registerFileRepresentation(forTypeIdentifier:fileOptions:visibility:loadHandler:)",
      "registeredTypeIdentifiers(fileOptions:)", "loadInPlaceFileRepresentation(forTypeIdentifier:completionHandler:)"
    ) {
      try await withFile { file in
        let provider = NSItemProvider()
        provider.registerFileRepresentation(
          forTypeIdentifier: "public.utf8-plain-text", fileOptions: .openInPlace, visibility: .all
        ) { completion in
          completion(file, false, nil)
          return nil
        }
        let opened: URL? = await answer { completion in
          provider.loadInPlaceFileRepresentation(forTypeIdentifier: "public.text") { file, isInPlace, _ in
            completion(isInPlace ? file : nil)
          }
        }
        return opened?.path == file.path
          && provider.registeredTypeIdentifiers(fileOptions: .openInPlace) == ["public.utf8-plain-text"]
      }
    }
    list.has("loadFileRepresentation(forTypeIdentifier:completionHandler:)", "suggestedName") {
      let provider = provider(Data("Hail".utf8), "public.plain-text")
      provider.suggestedName = "Greeting"
      let text: String? = await answer { completion in
        provider.loadFileRepresentation(forTypeIdentifier: "public.text") { file, _ in
          completion(
            file?.lastPathComponent == "Greeting.txt"
              ? file.flatMap { try? String(contentsOf: $0, encoding: .utf8) } : nil)
        }
      }
      return text == "Hail"
    }
    list.has(
      "hasItemConformingToTypeIdentifier(_:)", "hasRepresentationConforming(toTypeIdentifier:fileOptions:)"
    ) {
      let provider = provider(Data(), "public.png")
      return provider.hasItemConformingToTypeIdentifier("public.image")
        && provider.hasRepresentationConforming(toTypeIdentifier: "public.image")
        && !provider.hasRepresentationConforming(toTypeIdentifier: "public.image", fileOptions: .openInPlace)
    }
    list.has("copy(with:)") {
      (provider(Data(), "public.png").copy() as? NSItemProvider)?.registeredTypeIdentifiers == ["public.png"]
    }
  }

  private static func addObjects(to list: inout MemberList) {
    list.has("init(object:)", "canLoadObject(ofClass: any NSItemProviderReading.Type)") {
      let provider = NSItemProvider(object: "Hail" as NSString)
      return provider.canLoadObject(ofClass: NSString.self) && !provider.canLoadObject(ofClass: NSURL.self)
    }
    list.has(
      "registerObject(_:visibility:)", "loadObject(ofClass: any NSItemProviderReading.Type, completionHandler:)"
    ) {
      let provider = NSItemProvider()
      provider.registerObject("Hail" as NSString, visibility: .all)
      let text: String? = await answer { completion in
        provider.loadObject(ofClass: NSString.self) { object, _ in
          completion((object as? NSString).map { String(describing: $0) })
        }
      }
      return text == "Hail"
    }
    list.has("registerObject(ofClass: any NSItemProviderWriting.Type, visibility:loadHandler:)") {
      let provider = NSItemProvider()
      provider.registerObject(ofClass: NSString.self, visibility: .all) { completion in
        completion("Hail" as NSString, nil)
        return nil
      }
      return provider.registeredTypeIdentifiers == ["public.utf8-plain-text"]
    }
    list.has("registerObject(ofClass: T.Type, visibility:loadHandler:)", "canLoadObject(ofClass: T.Type)") {
      let provider = NSItemProvider()
      provider.registerObject(ofClass: String.self, visibility: .all) { completion in
        completion("Hail", nil)
        return nil
      }
      return provider.canLoadObject(ofClass: String.self)
    }
    list.has("loadObject(ofClass: T.Type, completionHandler:)") {
      let provider = NSItemProvider(object: NSURL(fileURLWithPath: "/saga"))
      let url: URL? = await answer { completion in
        _ = provider.loadObject(ofClass: URL.self) { url, _ in completion(url) }
      }
      return url?.path == "/saga"
    }
    list.has("register(_:)", "loadTransferable(type:completionHandler:)") {
      let provider = NSItemProvider()
      provider.register("Hail")
      let text: String? = await answer { completion in
        _ = provider.loadTransferable(type: String.self) { completion(try? $0.get()) }
      }
      return text == "Hail"
    }
  }

  private static func addItems(to list: inout MemberList) {
    list.has("init(item:typeIdentifier:)") {
      NSItemProvider(item: "Hail" as NSString, typeIdentifier: "public.text").registeredTypeIdentifiers == [
        "public.text"
      ]
    }
    list.has("init(contentsOf:)") {
      NSItemProvider(contentsOf: URL(fileURLWithPath: "/saga.txt"))?.registeredTypeIdentifiers
        == ["public.plain-text", "public.file-url", "public.url"]
    }
    list.has("registerItem(forTypeIdentifier:loadHandler:)", "LoadHandler", "CompletionHandler") {
      let provider = NSItemProvider()
      let handler: NSItemProvider.LoadHandler = { completion, _, _ in completion?("Hail" as NSString, nil) }
      provider.registerItem(forTypeIdentifier: "public.text", loadHandler: handler)
      return try await provider.loadItem(forTypeIdentifier: "public.text") as? NSString == "Hail"
    }
    list.differs(
      "loadItem(forTypeIdentifier:options:completionHandler:)",
      "The parameter type of a completion handler is not known, so an item arrives as it was registered: bytes as `NSData`, "
        + "a file as `NSURL`, an object as itself."
    ) {
      let provider = provider(Data("Hail".utf8), "public.plain-text")
      let text: String? = await answer { completion in
        provider.loadItem(forTypeIdentifier: "public.text", options: nil) { item, _ in
          completion((item as? NSData).map { String(decoding: Data(referencing: $0), as: UTF8.self) })
        }
      }
      return text == "Hail"
    }
    list.has("previewImageHandler") {
      let provider = NSItemProvider()
      provider.previewImageHandler = { completion, _, _ in completion?(NSData(data: Data([7])), nil) }
      return try await provider.loadPreviewImage() as? NSData == NSData(data: Data([7]))
    }
    list.differs(
      "loadPreviewImage(options:completionHandler:)",
      "Without a handler, the first representation that is an image is the preview; nothing draws one."
    ) {
      try await provider(Data([7]), "public.png").loadPreviewImage() as? NSData == NSData(data: Data([7]))
    }
  }

  private static func addTypes(to list: inout MemberList) {
    list.differs(
      "init(contentsOf:contentType:openInPlace:coordinated:visibility:)",
      "`coordinated` has no effect: Linux has no file coordination."
    ) {
      let provider = NSItemProvider(contentsOf: URL(fileURLWithPath: "/saga.txt"), contentType: .plainText)
      return provider.registeredContentTypes == [.plainText] && provider.suggestedName == "saga.txt"
    }
    list.has("registerDataRepresentation(for:visibility:loadHandler:)", "registeredContentTypes") {
      let provider = NSItemProvider()
      provider.registerDataRepresentation(for: .png) { completion in
        completion(Data([7]), nil)
        return nil
      }
      return provider.registeredContentTypes == [.png]
    }
    list.has(
      "registerFileRepresentation(for:visibility:openInPlace:loadHandler:)", "registeredContentTypesForOpenInPlace",
      "loadFileRepresentation(for:openInPlace:completionHandler:)"
    ) {
      try await withFile { file in
        let provider = NSItemProvider()
        provider.registerFileRepresentation(for: .utf8PlainText, openInPlace: true) { completion in
          completion(file, false, nil)
          return nil
        }
        let opened: URL? = await answer { completion in
          _ = provider.loadFileRepresentation(for: .text, openInPlace: true) { file, isInPlace, _ in
            completion(isInPlace ? file : nil)
          }
        }
        return opened?.path == file.path && provider.registeredContentTypesForOpenInPlace == [.utf8PlainText]
      }
    }
    list.has("registeredContentTypes(conformingTo:)") {
      let provider = provider(Data(), "public.png")
      return provider.registeredContentTypes(conformingTo: .image) == [.png]
        && provider.registeredContentTypes(conformingTo: .text).isEmpty
    }
    list.has("loadDataRepresentation(for:completionHandler:)") {
      let provider = provider(Data([7]), "public.png")
      let data: Data? = await answer { completion in
        _ = provider.loadDataRepresentation(for: .image) { data, _ in completion(data) }
      }
      return data == Data([7])
    }
  }

  private static func addProtocols(to list: inout MemberList) {
    list.of("NSItemProviderWriting")
    list.has(
      "writableTypeIdentifiersForItemProvider (class)", "loadData(withTypeIdentifier:forItemProviderCompletionHandler:)"
    ) {
      let oath = Oath(words: "By the river Styx")
      let provider = NSItemProvider(object: oath)
      return provider.registeredTypeIdentifiers == Oath.writableTypeIdentifiersForItemProvider
    }
    list.has(
      "writableTypeIdentifiersForItemProvider (instance)",
      "itemProviderVisibilityForRepresentation(withTypeIdentifier:) (class)",
      "itemProviderVisibilityForRepresentation(withTypeIdentifier:) (instance)"
    ) {
      let oath: any NSItemProviderWriting = Oath(words: "By the river Styx")
      return oath.writableTypeIdentifiersForItemProvider == ["org.example.oath"]
        && Oath.itemProviderVisibilityForRepresentation(withTypeIdentifier: "org.example.oath") == .all
        && oath.itemProviderVisibilityForRepresentation(withTypeIdentifier: "org.example.oath") == .all
    }
    list.of("NSItemProviderReading")
    list.has("readableTypeIdentifiersForItemProvider", "object(withItemProviderData:typeIdentifier:)") {
      let provider = NSItemProvider(object: Oath(words: "By the river Styx"))
      let words: String? = await answer { completion in
        provider.loadObject(ofClass: Oath.self) { object, _ in completion((object as? Oath)?.words) }
      }
      return words == "By the river Styx"
    }
    list.of("Classes that conform to both protocols")
    list.has("NSString", "NSURL", "NSUserActivity") {
      let objects: [any NSItemProviderWriting & NSItemProviderReading] = [
        "Hail" as NSString, NSURL(fileURLWithPath: "/"), NSUserActivity(activityType: "org.example.hail"),
      ]
      return objects.allSatisfy { NSItemProvider(object: $0).canLoadObject(ofClass: type(of: $0)) }
    }
  }

  private static func addConstants(to list: inout MemberList) {
    list.of("NSItemProviderRepresentationVisibility")
    list.has("all", "team", "group", "ownProcess") {
      let all: [NSItemProviderRepresentationVisibility] = [.all, .team, .group, .ownProcess]
      return all.map(\.rawValue) == [0, 1, 2, 3]
    }
    list.of("NSItemProviderFileOptions")
    list.has("init(rawValue:)", "openInPlace") {
      NSItemProviderFileOptions(rawValue: 1) == .openInPlace
    }
    list.of("NSItemProvider.ErrorCode")
    list.has("unknownError", "itemUnavailableError", "unexpectedValueClassError", "unavailableCoercionError") {
      let all: [NSItemProvider.ErrorCode] = [
        .unknownError, .itemUnavailableError, .unexpectedValueClassError, .unavailableCoercionError,
      ]
      return all.map(\.rawValue) == [-1, -1000, -1100, -1200]
    }
    list.of("Foundation")
    list.has("Progress.init()") {
      let progress = Progress()
      return progress.totalUnitCount == 0 && progress.isIndeterminate
    }
    list.has("NSItemProvider.errorDomain") {
      let provider = NSItemProvider()
      let error: NSError? = await answer { completion in
        provider.loadDataRepresentation(forTypeIdentifier: "public.png") { _, error in completion(error as NSError?) }
      }
      return error?.domain == NSItemProvider.errorDomain && error?.code == -1000
    }
    list.has(
      "NSItemProviderPreferredImageSizeKey", "NSExtensionJavaScriptPreprocessingResultsKey",
      "NSExtensionJavaScriptFinalizeArgumentKey"
    ) {
      NSItemProviderPreferredImageSizeKey == "NSItemProviderPreferredImageSizeKey"
        && NSExtensionJavaScriptPreprocessingResultsKey == "NSExtensionJavaScriptPreprocessingResultsKey"
        && NSExtensionJavaScriptFinalizeArgumentKey == "NSExtensionJavaScriptFinalizeArgumentKey"
    }
  }
}
