// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// The settings of a window.
package struct WindowOptions: Sendable {
  /// The width in points.
  package var width: Double
  /// The height in points; `nil` for the preferred height of the content.
  package var height: Double?
  /// The location of the upper left corner in points; `nil` to leave it to the window manager.
  package var position: (x: Double, y: Double)?
  /// The colours; `nil` to choose them from ``environment``.
  package var theme: Theme?
  /// The number of pixels per point; `nil` for the scale of the desktop.
  package var scale: Double?
  /// The name of the program for window managers, in the property `WM_CLASS`.
  package var programName: String
  /// Whether the window is a dialog, which tiling window managers do not tile.
  ///
  /// Without a ``position``, it is in the middle of the screen.
  package var isDialog = false
  /// Whether the size is fixed.
  package var hasFixedSize = false
  /// Whether the window stays above other windows.
  package var isOnTop = false
  /// The environment variables, by name.
  package var environment: [String: String]
  /// The font; `nil` for ``SystemText/drawing``.
  package var text: (any TextDrawing)?

  /// Creates settings.
  package init(
    width: Double = 420, height: Double? = nil, position: (x: Double, y: Double)? = nil, theme: Theme? = nil,
    scale: Double? = nil,
    programName: String = "dragpipe", environment: [String: String] = [:], text: (any TextDrawing)? = nil
  ) {
    self.width = width
    self.height = height
    self.position = position
    self.theme = theme
    self.scale = scale
    self.programName = programName
    self.environment = environment
    self.text = text
  }

  /// The colours of the option ``theme``, or else of the environment.
  var chosenTheme: Theme { theme ?? .automatic(environment: environment) }

  /// Returns the number of pixels per point, from 0.5 to 4: the option ``scale``, or else the scale that `resources`
  /// requests.
  func chosenScale(resources: String) -> Double {
    max(0.5, min(4, scale ?? Self.scale(resources: resources)))
  }

  /// Returns the scale that `Xft.dpi` requests, from 1 to 4; the value 96 requests a scale of 1.
  ///
  /// - Parameter resources: The lines of the property, each with a name, a colon and a value.
  /// - Returns: The scale; 1 without a valid number.
  package static func scale(resources: String) -> Double {
    for line in resources.split(whereSeparator: \.isNewline) {
      let parts = line.split(separator: ":", maxSplits: 1)
      guard parts.count == 2, parts[0].trimmedOfSpaces == "Xft.dpi" else { continue }
      guard let dpi = Double(parts[1].trimmedOfSpaces), dpi.isFinite else { return 1 }
      // Steps of a quarter keep edges sharp.
      return max(1, min(4, (dpi / 96 * 4).rounded() / 4))
    }
    return 1
  }
}

extension Substring {
  fileprivate var trimmedOfSpaces: String {
    var text = drop { $0 == " " || $0 == "\t" }
    while let last = text.last, last == " " || last == "\t" { text.removeLast() }
    return String(text)
  }
}

extension WindowLayout {
  /// Returns the height in points at which all parts of the content and up to eight rows are visible.
  package static func preferredHeight(_ model: WindowModel) -> Double {
    var height = 14.0 + margin
    if !model.showsOnlyPictures { height += 24 + (model.hint.isEmpty ? 12 : 1 + 18 + 13) }
    if !model.buttons.isEmpty || !model.status.isEmpty { height += 34 + 14 }
    let hasList = !model.rows.isEmpty || model.zones.isEmpty
    if !model.zones.isEmpty {
      let count = model.zones.count
      height += hasList ? zoneHeight(count) + 12 : 150 * Double(zoneLines(count))
    }
    if model.dragAllTitle != nil { height += 46 + 10 }
    if hasList { height += max(54, model.rows.prefix(8).reduce(0) { $0 + $1.height }) + 8 }
    return height
  }
}
