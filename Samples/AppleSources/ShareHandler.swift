// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import MobileCoreServices

/// The logic of a share extension, which returns the address or the text of the shared item.
final class ShareHandler: NSObject, NSExtensionRequestHandling {
  func beginRequest(with context: NSExtensionContext) {
    let attachments = context.inputItems
      .compactMap { ($0 as? NSExtensionItem)?.attachments }
      .flatMap { $0 }
    if let page = attachments.first(where: { $0.hasItemConformingToTypeIdentifier(kUTTypeURL as String) }) {
      page.loadItem(forTypeIdentifier: kUTTypeURL as String, options: nil) { item, error in
        Self.finish(context, (item as? NSURL)?.absoluteString, error)
      }
    } else if let note = attachments.first(where: { $0.hasItemConformingToTypeIdentifier(kUTTypeText as String) }) {
      note.loadItem(forTypeIdentifier: kUTTypeText as String, options: nil) { item, error in
        Self.finish(context, (item as? NSString) as String?, error)
      }
    } else {
      context.cancelRequest(withError: CocoaError(.featureUnsupported))
    }
  }

  private static func finish(_ context: NSExtensionContext, _ result: String?, _ error: Error?) {
    guard let result = result else {
      context.cancelRequest(withError: error ?? CocoaError(.coderReadCorrupt))
      return
    }
    let item = NSExtensionItem()
    item.attributedContentText = NSAttributedString(string: result)
    context.completeRequest(returningItems: [item], completionHandler: nil)
  }

  /// Returns the filename extension for an attachment.
  static func filenameExtension(for provider: NSItemProvider) -> String? {
    guard let identifier = provider.registeredTypeIdentifiers.first,
      UTTypeConformsTo(identifier as CFString, kUTTypeData)
    else { return nil }
    let tag = UTTypeCopyPreferredTagWithClass(identifier as CFString, kUTTagClassFilenameExtension)
    return tag?.takeRetainedValue() as String?
  }
}
