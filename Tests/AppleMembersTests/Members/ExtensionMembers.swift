// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import CoreTransferable

/// The members of app extensions, each used as in a program for Apple's systems.
enum ExtensionMembers {
  static var all: [Member] {
    var list = MemberList()
    addItem(to: &list)
    addContext(to: &list)
    return list.members
  }

  private static func addItem(to list: inout MemberList) {
    list.of("NSExtensionItem")
    list.has("init()", "attributedTitle", "attributedContentText") {
      let item = NSExtensionItem()
      item.attributedTitle = NSAttributedString(string: "Saga")
      item.attributedContentText = NSAttributedString(string: "Hail")
      return item.attributedTitle?.string == "Saga" && item.attributedContentText?.string == "Hail"
    }
    list.has("attachments", "userInfo", "NSExtensionItemAttachmentsKey", "copy(with:)") {
      let item = NSExtensionItem()
      item.attachments = [NSItemProvider(object: "Hail" as NSString)]
      let copy = item.copy() as? NSExtensionItem
      return (copy?.userInfo?[NSExtensionItemAttachmentsKey] as? [NSItemProvider])?.count == 1
    }
    list.has("NSExtensionItemAttributedTitleKey", "NSExtensionItemAttributedContentTextKey") {
      let item = NSExtensionItem()
      item.userInfo = [
        NSExtensionItemAttributedTitleKey: NSAttributedString(string: "Saga"),
        NSExtensionItemAttributedContentTextKey: NSAttributedString(string: "Hail"),
      ]
      return item.attributedTitle?.string == "Saga" && item.attributedContentText?.string == "Hail"
    }
    list.lacks("init(coder:)", "Attachments cross processes in a drop stream, not in an archive.")
  }

  private static func addContext(to list: inout MemberList) {
    list.of("NSExtensionContext")
    list.differs(
      "inputItems", "A program creates the context, with `init(inputItems:)`: no system service starts extensions."
    ) {
      NSExtensionContext(inputItems: [NSExtensionItem()]).inputItems.first is NSExtensionItem
    }
    list.has("completeRequest(returningItems:completionHandler:)", "beginRequest(with:)", "NSExtensionRequestHandling")
    {
      let context = NSExtensionContext(inputItems: [])
      Herald().beginRequest(with: context)
      return try await context.returnedItems.count == 1
    }
    list.has("cancelRequest(withError:)", "NSExtensionItemsAndErrorsKey") {
      let context = NSExtensionContext(inputItems: [])
      let error = NSError(domain: "saga", code: 7, userInfo: [NSExtensionItemsAndErrorsKey: [NSExtensionItem()]])
      context.cancelRequest(withError: error)
      do {
        _ = try await context.returnedItems
        return false
      } catch {
        return (error as NSError).userInfo[NSExtensionItemsAndErrorsKey] is [NSExtensionItem]
      }
    }
    list.differs("open(_:completionHandler:)", "It passes `false`: no system service opens URLs.") {
      await answer { completion in
        NSExtensionContext(inputItems: []).open(URL(fileURLWithPath: "/saga")) { completion($0) }
      } == false
    }
    list.lacks("hostDidBecomeActiveNotification and three others", "No system service runs a host.")
  }
}

/// A handler that returns an item at once.
private final class Herald: NSObject, NSExtensionRequestHandling {
  func beginRequest(with context: NSExtensionContext) {
    context.completeRequest(returningItems: [NSExtensionItem()], completionHandler: nil)
  }
}
