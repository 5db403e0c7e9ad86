// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import CoreServices
import SwiftUI
import UIKit

// Short pieces of apps for Apple's systems, as tutorials show them. The apps are a list of heroes with favourites, a board of
// cards, a gallery with inspectors, a list of dates, and extra windows. Methods of delegates lack their view parameter.

// MARK: Heroes

/// A model that travels as JSON and as text.
final class Legend: NSObject, Codable, NSItemProviderWriting, NSItemProviderReading, Sendable {
  static let typeIdentifier = "org.example.tutorials.legend"
  let name: String
  let deed: String

  init(name: String, deed: String) {
    self.name = name
    self.deed = deed
  }

  var portrait: UIImage { UIImage(named: name) ?? UIImage() }

  static var writableTypeIdentifiersForItemProvider: [String] { [typeIdentifier, kUTTypeUTF8PlainText as String] }
  static var readableTypeIdentifiersForItemProvider: [String] { [typeIdentifier] }

  func loadData(
    withTypeIdentifier typeIdentifier: String,
    forItemProviderCompletionHandler completionHandler: @escaping @Sendable (Data?, Error?) -> Void
  ) -> Progress? {
    let progress = Progress(totalUnitCount: 100)
    do {
      let data = typeIdentifier == Self.typeIdentifier ? try JSONEncoder().encode(self) : Data(name.utf8)
      progress.completedUnitCount = 100
      completionHandler(data, nil)
    } catch {
      completionHandler(nil, error)
    }
    return progress
  }

  static func object(withItemProviderData data: Data, typeIdentifier: String) throws -> Self {
    try JSONDecoder().decode(self, from: data)
  }
}

/// A store with one instance.
///
/// Swift 6 requires the main actor for it, also on Apple's systems.
@MainActor final class LegendStore {
  static let shared = LegendStore()

  var all = [Legend(name: "Perseus", deed: "Andromeda"), Legend(name: "Theseus", deed: "The Labyrinth")]
  var favourites: [Legend] = []
  let placeholder = UIImage()
}

/// Constants that need no actor, also in Swift 6.
enum LegendAssets {
  static let placeholder = UIImage()
  static let emptyProvider = NSItemProvider()
  static let legendType = UTType(exportedAs: Legend.typeIdentifier, conformingTo: .json)
}

@MainActor final class LegendListController: NSObject {
  var legends: [Legend] { LegendStore.shared.all }

  func itemsForBeginning(_ session: UIDragSession, at indexPath: IndexPath) -> [UIDragItem] {
    let legend = legends[indexPath.row]
    let dragItem = UIDragItem(itemProvider: NSItemProvider(object: legend))
    dragItem.localObject = legend
    return [dragItem]
  }

  func title(forItemAt indexPath: IndexPath) -> String { "\(indexPath.section).\(indexPath.item)" }
}

@MainActor final class FavouritesController: NSObject {
  var didLoad: (() -> Void)?

  func canHandle(_ session: UIDropSession) -> Bool { session.canLoadObjects(ofClass: Legend.self) }

  func dropSessionDidUpdate(_ session: UIDropSession) -> UIDropProposal {
    session.localDragSession == nil ? UIDropProposal(operation: .copy) : UIDropProposal(operation: .move)
  }

  func performDrop(_ session: UIDropSession, at destinationIndexPath: IndexPath?) {
    let indexPath = destinationIndexPath ?? IndexPath(row: LegendStore.shared.favourites.count, section: 0)
    session.loadObjects(ofClass: Legend.self) { items in
      guard let legends = items as? [Legend] else { return }
      LegendStore.shared.favourites.insert(contentsOf: legends, at: indexPath.row)
      self.didLoad?()
    }
  }
}

// MARK: A board of cards

/// A card that SwiftUI drags, and that an activity opens in its own window.
struct QuestCard: Codable, Equatable, Identifiable, Transferable {
  static let activityType = "org.example.tutorials.open-quest"
  var id = UUID()
  var title: String

  static var transferRepresentation: some TransferRepresentation {
    CodableRepresentation(contentType: .json)
    ProxyRepresentation(exporting: \.title)
  }

  var preview: SharePreview<Never, Never> { SharePreview(title) }

  var openActivity: NSUserActivity {
    let activity = NSUserActivity(activityType: Self.activityType)
    activity.title = title
    activity.userInfo = ["id": id.uuidString]
    activity.targetContentIdentifier = id.uuidString
    return activity
  }
}

func dragItem(opening card: QuestCard) async -> UIDragItem {
  let provider = NSItemProvider()
  provider.register(card)
  provider.registerObject(card.openActivity, visibility: .all)
  return await UIDragItem(itemProvider: provider)
}

func questID(of activity: NSUserActivity) -> UUID? {
  guard activity.activityType == QuestCard.activityType, let id = activity.userInfo?["id"] as? String else {
    return nil
  }
  return UUID(uuidString: id)
}

// MARK: A gallery with inspectors

@MainActor final class GalleryController {
  var photos: [UIImage] = []

  func addPhotos(in files: [Data]) { photos += files.compactMap(UIImage.init(data:)) }

  func dragItems(at indexPath: IndexPath) -> [UIDragItem] {
    guard photos.indices.contains(indexPath.item) else { return [] }
    let photo = photos[indexPath.item]
    let inspector = NSUserActivity(activityType: "org.example.tutorials.inspect-photo")
    inspector.userInfo = ["photo": indexPath.item]
    let provider = NSItemProvider(object: photo)
    provider.registerObject(inspector, visibility: .all)
    provider.suggestedName = "Photo \(indexPath.item + 1)"
    let item = UIDragItem(itemProvider: provider)
    item.localObject = photo
    return [item]
  }

  func loadPhoto(from provider: NSItemProvider, then completion: @escaping @MainActor @Sendable (UIImage?) -> Void) {
    provider.loadObject(ofClass: UIImage.self) { object, _ in
      let photo = object as? UIImage
      DispatchQueue.main.async { completion(photo) }
    }
  }
}

// MARK: A list of dates

func provider(of date: Date) -> NSItemProvider {
  let provider = NSItemProvider()
  provider.registerDataRepresentation(forTypeIdentifier: UTType.json.identifier, visibility: .all) { completion in
    let progress = Progress()
    progress.totalUnitCount = 1
    completion(try? JSONEncoder().encode(date), nil)
    progress.completedUnitCount = 1
    return progress
  }
  return provider
}

func loadDate(from provider: NSItemProvider, then completion: @escaping @Sendable (Date?) -> Void) {
  _ = provider.loadDataRepresentation(for: .json) { data, _ in
    completion(data.flatMap { try? JSONDecoder().decode(Date.self, from: $0) })
  }
}

// MARK: Extra windows

/// The files in which an app keeps its state.
enum StateFiles {
  static let main = URL.applicationSupportDirectory.appendingPathComponent("legends.json")
  static let export = URL.documentsDirectory.appendingPathComponent("legends.json")
  static var shared: URL? {
    FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: "")?.appendingPathComponent("legends.json")
  }
}

func stateRestorationActivity(showing legends: [Legend]) -> NSUserActivity {
  let activity = NSUserActivity(activityType: "org.example.tutorials.extra-window")
  activity.addUserInfoEntries(from: ["names": legends.map(\.name)])
  activity.isEligibleForHandoff = false
  return activity
}

// MARK: All of them

/// Runs the snippets, and returns whether they have the results that they have on Apple's systems.
@MainActor func tutorialSnippetsWork() async throws -> Bool {
  let list = LegendListController()
  let favourites = FavouritesController()
  let begun = ItemDragSession(items: [])
  let items = [0, 1].flatMap { list.itemsForBeginning(begun, at: IndexPath(row: $0, section: 0)) }
  let drop = ItemDropSession(localDragSession: ItemDragSession(items: items))
  guard favourites.canHandle(drop), favourites.dropSessionDidUpdate(drop).operation == .move else { return false }
  LegendStore.shared.favourites = []
  await withCheckedContinuation { continuation in
    favourites.didLoad = { continuation.resume() }
    favourites.performDrop(drop, at: nil)
  }
  guard LegendStore.shared.favourites.map(\.name) == ["Perseus", "Theseus"] else { return false }
  guard list.title(forItemAt: IndexPath(item: 4, section: 1)) == "1.4", LegendAssets.placeholder == UIImage(),
    list.legends[0].portrait.size == LegendStore.shared.placeholder.size,
    LegendAssets.emptyProvider.registeredTypeIdentifiers.isEmpty, LegendAssets.legendType.conforms(to: .json)
  else { return false }

  let card = QuestCard(title: "Fetch the fleece")
  let cardItem = await dragItem(opening: card)
  let activity: NSUserActivity = try await cardItem.itemProvider.loadObject(ofClass: NSUserActivity.self)
  guard questID(of: activity) == card.id, card.preview.title == card.title else { return false }

  let gallery = GalleryController()
  gallery.addPhotos(in: [DragMembers.picture, Data("no photo".utf8)])
  guard let photoItem = gallery.dragItems(at: IndexPath(item: 0, section: 0)).first,
    photoItem.itemProvider.suggestedName == "Photo 1"
  else { return false }
  let photo = await withCheckedContinuation { continuation in
    gallery.loadPhoto(from: photoItem.itemProvider) { continuation.resume(returning: $0) }
  }
  guard photo == photoItem.localObject as? UIImage else { return false }

  let date = Date(timeIntervalSinceReferenceDate: 86_400)
  let loaded = await withCheckedContinuation { continuation in
    loadDate(from: provider(of: date)) { continuation.resume(returning: $0) }
  }
  let restored = stateRestorationActivity(showing: LegendStore.shared.favourites)
  return loaded == date && restored.userInfo?["names"] as? [String] == ["Perseus", "Theseus"]
    && !restored.isEligibleForHandoff && StateFiles.shared == nil
    && StateFiles.main.lastPathComponent == StateFiles.export.lastPathComponent
}
