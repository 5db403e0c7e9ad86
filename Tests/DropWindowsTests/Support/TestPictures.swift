// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import DropWindows

extension Canvas {
  /// The pixels, one array for each row.
  var rows: [[UInt32]] { (0..<height).map { Array(pixels[$0 * width..<($0 + 1) * width]) } }

  /// The opacities, one string for each row: a dot is 0, `#` is 255, and a digit is the number of tenths.
  var sketch: String {
    rows.map { row in
      row.map { pixel in
        let alpha = pixel >> 24
        return alpha == 0 ? "." : alpha == 255 ? "#" : String(alpha * 10 / 256)
      }.joined()
    }.joined(separator: "\n")
  }

  /// The picture on a white background, in the format PPM.
  var ppm: Data {
    var data = Data("P6\n\(width) \(height)\n255\n".utf8)
    for pixel in pixels {
      let seen = Pixel.over(pixel, 0xFFFF_FFFF)
      data.append(contentsOf: [UInt8(seen >> 16 & 0xFF), UInt8(seen >> 8 & 0xFF), UInt8(seen & 0xFF)])
    }
    return data
  }
}

/// The hashes of pictures that a person has approved.
///
/// With `DRAGPIPE_WRITE_ARTICLES` set, the tests write new hashes. With `DRAGPIPE_PICTURES` set to the path of a
/// folder, they write the pictures to it as PPM files. Look at the pictures, then commit the hashes.
enum GoldenPictures {
  private static let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Golden/pictures.txt")

  /// Compares a picture with its hash.
  static func check(_ canvas: Canvas, _ name: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let environment = ProcessInfo.processInfo.environment
    if let folder = environment["DRAGPIPE_PICTURES"] {
      try canvas.ppm.write(to: URL(fileURLWithPath: folder).appendingPathComponent("\(name).ppm"))
    }
    var hashes: [String: String] = [:]
    for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
      let parts = line.split(separator: " ")
      hashes[String(parts[0])] = String(parts[1])
    }
    let hash = hash(of: canvas)
    if environment["DRAGPIPE_WRITE_ARTICLES"] != nil {
      hashes[name] = hash
      let lines = hashes.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)\n" }
      try Data(lines.joined().utf8).write(to: file)
    }
    #expect(
      hashes[name] == hash, "look at the picture \(name), and write its hash anew with DRAGPIPE_WRITE_ARTICLES=1",
      sourceLocation: sourceLocation)
  }

  /// Returns the FNV-1a hash of the size and the pixels.
  private static func hash(of canvas: Canvas) -> String {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for value in [UInt32(canvas.width), UInt32(canvas.height)] + canvas.pixels {
      for shift in stride(from: 0, to: 32, by: 8) {
        hash = (hash ^ UInt64(value >> UInt32(shift) & 0xFF)) &* 0x100_0000_01B3
      }
    }
    return String(hash, radix: 16)
  }
}

/// Contents for tests.
enum SampleContent {
  static let rows = [
    WindowRow(
      name: "Quarterly report with a rather long name that must be shortened 2026.pdf", type: "PDF document",
      size: "2.4 MB"),
    WindowRow(name: "Holiday.png", type: "PNG image", size: "812 KB", icon: .symbol(.picture)),
    WindowRow(name: "notes.txt", type: "Plain text", size: "3 KB", icon: .symbol(.text)),
    WindowRow(name: "Projects", type: "Folder", icon: .symbol(.folder)),
    WindowRow(name: "https://example.org/", type: "Link", icon: .symbol(.link)),
  ]

  static let drag = WindowModel(
    title: "Drag 5 items", hint: "Drag a row, or all items at once.", dragAllTitle: "All 5 items", rows: rows,
    rowsAreDraggable: true, status: "3.2 MB", buttons: [WindowButton("Close")])

  static let drop: WindowModel = {
    var model = WindowModel(
      title: "Drop", hint: "The items are saved in a folder.",
      zones: [DropZone(name: "Downloads", detail: "save a copy"), DropZone(name: "Print", detail: "on paper")],
      rows: rows, status: "2 of 5 items",
      buttons: [WindowButton("Stop"), WindowButton("Done", isMain: true)])
    let states: [ItemState] = [.done, .loading(0.45), .loading(nil), .idle, .failed("the sender is gone")]
    for (index, state) in states.enumerated() { model.rows[index].state = state }
    model.zones[0].state = .loading(0.3)
    return model
  }()

  /// Returns a state with the built-in font, which looks the same on each machine.
  static func state(
    _ model: WindowModel, theme: Theme = .light, width: Int = 420, height: Int = 520, scale: Double = 1
  ) -> WindowState {
    WindowState(model, theme: theme, width: width, height: height, scale: scale, text: BuiltInFont())
  }

  /// Returns the picture of a state.
  static func picture(_ state: WindowState) -> Canvas {
    var canvas = Canvas(width: state.layout.bounds.width, height: state.layout.bounds.height)
    state.scene().draw(canvas.bounds, on: &canvas, text: BuiltInFont())
    return canvas
  }
}
