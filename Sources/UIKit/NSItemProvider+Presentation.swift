// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import ItemProviderCompat

/// The form in which a dropped item should be shown.
public enum UIPreferredPresentationStyle: Int, Sendable {
  /// No preference.
  case unspecified = 0
  /// The content is shown in place.
  case inline = 1
  /// The item is shown as an attachment.
  case attachment = 2
}

/// Hints for the display of an item. They stay in this process: drop streams do not carry them.
extension NSItemProvider {
  /// Data for programs of the same team.
  public var teamData: Data? {
    get { presentation.teamData }
    set { presentation.teamData = newValue }
  }

  /// The preferred size of the displayed item in points.
  public var preferredPresentationSize: CGSize {
    get { CGSize(width: presentation.width, height: presentation.height) }
    set {
      presentation.width = Double(newValue.width)
      presentation.height = Double(newValue.height)
    }
  }

  /// The form in which the item should be shown when it is dropped.
  public var preferredPresentationStyle: UIPreferredPresentationStyle {
    get { UIPreferredPresentationStyle(rawValue: presentation.style) ?? .unspecified }
    set { presentation.style = newValue.rawValue }
  }
}
