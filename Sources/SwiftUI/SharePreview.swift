// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

public import CoreTransferable

/// The title, the picture and the icon of a shared item.
///
/// The type is a carrier: nothing draws a preview.
///
/// ```swift
/// let preview = SharePreview("The Labyrinth", image: plan)
/// ```
///
/// Follows Apple's [`SharePreview`](https://developer.apple.com/documentation/swiftui/sharepreview). Initializers with a
/// `Text` do not exist. The properties exist only here.
public struct SharePreview<Image: Transferable, Icon: Transferable> {
  /// The title of the item.
  public let title: String
  /// The picture of the item; `nil` if the preview has none.
  public let image: Image?
  /// The icon of the item's source; `nil` if the preview has none.
  public let icon: Icon?

  /// Creates a preview with a title, a picture and an icon.
  public init(_ title: some StringProtocol, image: Image, icon: Icon) {
    self.title = String(title)
    self.image = image
    self.icon = icon
  }
}

extension SharePreview where Icon == Never {
  /// Creates a preview with a title and a picture.
  public init(_ title: some StringProtocol, image: Image) {
    self.title = String(title)
    self.image = image
    icon = nil
  }
}

extension SharePreview where Image == Never {
  /// Creates a preview with a title and an icon.
  public init(_ title: some StringProtocol, icon: Icon) {
    self.title = String(title)
    image = nil
    self.icon = icon
  }
}

extension SharePreview where Image == Never, Icon == Never {
  /// Creates a preview with a title.
  public init(_ title: some StringProtocol) {
    self.title = String(title)
    image = nil
    icon = nil
  }
}
