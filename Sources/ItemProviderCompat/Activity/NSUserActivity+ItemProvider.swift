// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

public import Foundation
internal import ItemTransfer
internal import UniformTypes

extension NSUserActivity: NSItemProviderWriting, NSItemProviderReading {
  /// The activity whole, as `UserActivity` travels.
  public static var writableTypeIdentifiersForItemProvider: [String] { [UTType.userActivity.identifier] }

  /// The same.
  public static var readableTypeIdentifiersForItemProvider: [String] { [UTType.userActivity.identifier] }

  /// The activity's bytes; an error names the entry that cannot travel.
  public func loadData(
    withTypeIdentifier typeIdentifier: String,
    forItemProviderCompletionHandler completionHandler: @escaping @Sendable (Data?, (any Error)?) -> Void
  ) -> Progress? {
    do {
      completionHandler(try userActivity().coded(), nil)
    } catch {
      completionHandler(nil, error)
    }
    return nil
  }

  /// The activity.
  ///
  /// - Throws: `DecodingError` and the like for bytes that are none.
  public static func object(withItemProviderData data: Data, typeIdentifier: String) throws -> Self {
    guard let activity = NSUserActivity(try UserActivity(coded: data)) as? Self else {
      throw CocoaError(.featureUnsupported)
    }
    return activity
  }
}
