// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import SwiftUI

/// The members of drags without views, each used as in a program for Apple's systems.
enum DragMembers {
  static var all: [Member] {
    var list = MemberList()
    addItems(to: &list)
    addSessions(to: &list)
    addPresentation(to: &list)
    addPictures(to: &list)
    addPositions(to: &list)
    addPreview(to: &list)
    return list.members
  }

  private static func addItems(to list: inout MemberList) {
    list.of("UIDragItem")
    list.has("init(itemProvider:)", "itemProvider", "localObject") {
      await MainActor.run {
        let provider = NSItemProvider(object: "Hail" as NSString)
        let item = UIDragItem(itemProvider: provider)
        item.localObject = 7
        return item.itemProvider === provider && item.localObject as? Int == 7
      }
    }
    list.lacks("previewProvider, setNeedsDropPreviewUpdate()", "Previews are views.")
    list.of("UIDropProposal")
    list.has("init(operation:)", "operation", "isPrecise", "prefersFullSizePreview", "UIDropOperation") {
      await MainActor.run {
        let proposal = UIDropProposal(operation: .copy)
        return proposal.operation == .copy && !proposal.isPrecise && !proposal.prefersFullSizePreview
      }
    }
  }

  @MainActor private static func session(_ texts: String...) -> ItemDragSession {
    ItemDragSession(items: texts.map { UIDragItem(itemProvider: NSItemProvider(object: $0 as NSString)) })
  }

  private static func addSessions(to list: inout MemberList) {
    list.of("UIDragDropSession")
    list.has(
      "items", "allowsMoveOperation", "isRestrictedToDraggingApplication", "hasItemsConforming(toTypeIdentifiers:)",
      "canLoadObjects(ofClass: any NSItemProviderReading.Type)", "canLoadObjects(ofClass: T.Type)"
    ) {
      await MainActor.run {
        let drag: any UIDragSession = session("Hail")
        return drag.items.count == 1 && drag.allowsMoveOperation && !drag.isRestrictedToDraggingApplication
          && drag.hasItemsConforming(toTypeIdentifiers: ["public.text"])
          && !drag.hasItemsConforming(toTypeIdentifiers: ["public.image"])
          && drag.canLoadObjects(ofClass: NSString.self) && drag.canLoadObjects(ofClass: String.self)
          && !drag.canLoadObjects(ofClass: UIImage.self)
      }
    }
    list.lacks("location(in:)", "Positions need views.")
    list.of("UIDragSession")
    list.has("localContext") {
      await MainActor.run {
        let drag = session("Hail")
        drag.localContext = "board"
        return drag.localContext as? String == "board"
      }
    }
    list.of("UIDropSession")
    list.has("localDragSession", "progressIndicatorStyle") {
      await MainActor.run {
        let drag = session("Hail")
        let drop: any UIDropSession = ItemDropSession(localDragSession: drag)
        return drop.localDragSession === drag && drop.progressIndicatorStyle == .default && drop.allowsMoveOperation
      }
    }
    list.has(
      "progress", "loadObjects(ofClass: any NSItemProviderReading.Type, completion:)",
      "loadObjects(ofClass: T.Type, completion:)"
    ) {
      let drop = await ItemDropSession(localDragSession: session("Hail", "Ajax"))
      let texts = await withCheckedContinuation { continuation in
        Task { @MainActor in _ = drop.loadObjects(ofClass: String.self) { continuation.resume(returning: $0) } }
      }
      let strings = await withCheckedContinuation { continuation in
        Task { @MainActor in
          let progress = drop.loadObjects(ofClass: NSString.self) { objects in
            continuation.resume(returning: objects.compactMap { ($0 as? NSString).map { "\($0)" } })
          }
          precondition(progress !== drop.progress)
        }
      }
      return texts == ["Hail", "Ajax"] && strings == texts
    }
  }

  private static func addPresentation(to list: inout MemberList) {
    list.of("NSItemProvider")
    list.differs("teamData", "The data stays in the process.") {
      let provider = NSItemProvider()
      provider.teamData = Data([7])
      return provider.teamData == Data([7]) && (provider.copy() as? NSItemProvider)?.teamData == Data([7])
    }
    list.differs("preferredPresentationSize", "The size stays in the process.") {
      let provider = NSItemProvider()
      provider.preferredPresentationSize = CGSize(width: 3, height: 4)
      return provider.preferredPresentationSize == CGSize(width: 3, height: 4)
    }
    list.differs("preferredPresentationStyle", "The style stays in the process.") {
      let provider = NSItemProvider()
      provider.preferredPresentationStyle = .attachment
      return provider.preferredPresentationStyle == .attachment
        && NSItemProvider().preferredPresentationStyle == .unspecified
    }
  }

  private static func addPictures(to list: inout MemberList) {
    list.of("UIImage")
    list.has("init()") {
      let image = UIImage()
      return image.size == .zero && image.pngData() == nil
        && NSItemProvider(object: image).registeredTypeIdentifiers.isEmpty
    }
    list.differs("init(data:), init(data:scale:)", "It takes PNG and JPEG pictures.") {
      let images = [picture, Data("Hail".utf8)].compactMap(UIImage.init(data:))
      return UIImage(data: picture, scale: 2)?.size == CGSize(width: 2, height: 1) && images.count == 1
    }
    list.differs("init(named:)", "It takes PNG and JPEG files in the resource directory of `Bundle.main`.") {
      ["no such hero"].compactMap(UIImage.init(named:)).isEmpty && UIImage(named: "../icon") == nil
    }
    list.differs("init(contentsOfFile:)", "It takes PNG and JPEG pictures.") {
      try await withFile { UIImage(contentsOfFile: $0.path) == nil }
    }
    list.differs("pngData(), jpegData(compressionQuality:)", "They return `nil` for a picture of the other format.") {
      let image = UIImage(data: picture)
      return image?.pngData() == picture && image?.jpegData(compressionQuality: 1) == nil
    }
    list.has("size", "scale", "readableTypeIdentifiersForItemProvider", "writableTypeIdentifiersForItemProvider") {
      guard let image = UIImage(data: picture) else { return false }
      let provider = NSItemProvider(object: image)
      guard provider.registeredTypeIdentifiers == ["public.png"] else { return false }
      let loaded: UIImage? = await withCheckedContinuation { continuation in
        provider.loadObject(ofClass: UIImage.self) { object, _ in continuation.resume(returning: object as? UIImage) }
      }
      return loaded == image && loaded?.scale == 1 && loaded?.size == CGSize(width: 4, height: 2)
    }
    list.lacks("all other members", "Nothing draws or converts pictures.")
  }

  private static func addPositions(to list: inout MemberList) {
    list.of("IndexPath")
    list.has("init(row:section:)", "init(item:section:)", "section", "row", "item") {
      var path = IndexPath(row: 3, section: 1)
      path.item += 1
      path.section = 2
      return path.row == 4 && path == IndexPath(item: 4, section: 2) && path == [2, 4]
    }
  }

  private static func addPreview(to list: inout MemberList) {
    list.of("SharePreview")
    list.differs(
      "init(_:), init(_:image:), init(_:icon:), init(_:image:icon:)",
      "It carries strings and `Transferable` values, and nothing draws it. A `Text` is not accepted."
    ) {
      let preview = SharePreview("Labyrinth", image: "plan", icon: Data([7]))
      return preview.title == "Labyrinth" && preview.image == "plan" && preview.icon == Data([7])
        && SharePreview("Argo").image == nil && SharePreview("Argo", image: "ship").icon == nil
        && SharePreview("Argo", icon: "oar").icon == "oar"
    }
  }

  /// The start of a PNG picture of 4 × 2 pixels.
  static let picture = Data(
    [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13] + Array("IHDR".utf8)
      + [0, 0, 0, 4, 0, 0, 0, 2, 8, 0, 0, 0, 0])
}
