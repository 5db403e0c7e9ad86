// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSceneUI
import DropScenes
import ItemTransfer

/// The frame of a window, and the number of its screen.
struct ExtraFrame: CustomStringConvertible {
  private static let names = ["x", "y", "width", "height", "screen"]
  /// The position, the size and the screen.
  private var numbers: [Int]

  /// Creates a frame from the words of a command.
  init(_ words: [String]) throws {
    numbers = words.compactMap { Int($0) }
    guard numbers.count == words.count, (4...5).contains(words.count), numbers.allSatisfy({ (0...9999).contains($0) })
    else {
      throw SceneAppError(reason: "expected :window X Y WIDTH HEIGHT [SCREEN], with numbers from 0 to 9999")
    }
  }

  /// Creates the frame for which a window was opened; `nil` if it was opened without one.
  init?(_ activities: [UserActivity]) {
    guard let info = activities.first?.userInfo else { return nil }
    numbers = Self.names.compactMap { name in
      if case .integer(let number)? = info[name] { Int(number) } else { nil }
    }
    if numbers.count < 4 { return nil }
  }

  /// Sets the size.
  mutating func resize(width: Double, height: Double) {
    (numbers[2], numbers[3]) = (Int(width.rounded()), Int(height.rounded()))
  }

  /// The activity that opens a window with this frame.
  var opening: UserActivity {
    UserActivity(
      activityType: ExtraWindows.openWindow,
      userInfo: Dictionary(uniqueKeysWithValues: zip(Self.names, numbers.map { .integer(Int64($0)) })))
  }

  /// Returns the options of a window.
  static func options(of window: SceneWindow) -> SceneWindowOptions {
    var options = SceneWindowOptions()
    (options.isAnimated, options.hasSizeHandle) = (true, true)
    guard let numbers = ExtraFrame(window.activities)?.numbers else { return options }
    options.position = (Double(numbers[0]), Double(numbers[1]))
    (options.width, options.height) = (Double(numbers[2]), Double(numbers[3]))
    options.screen = numbers.count > 4 ? numbers[4] : nil
    return options
  }

  var description: String {
    let screen = numbers.count > 4 ? ", screen \(numbers[4])" : ""
    return "\(numbers[2]) by \(numbers[3]) at \(numbers[0]), \(numbers[1])\(screen)"
  }
}
