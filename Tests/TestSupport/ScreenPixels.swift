// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

package import DisplayWire

extension X11Query<[UInt32]> {
  /// Creates the request for the colours of an area of a window, including the windows inside it.
  ///
  /// A colour is a number such as 0xFF0000 for red.
  package static func pixels(of window: X11Identifier, in area: X11Rectangle) -> Self {
    let count = Int(area.width) * Int(area.height)
    return Self("GetImage", 73, detail: 2, maximumExtraBytes: 4 * count) { writer in
      writer.write(window)
      for location in [area.x, area.y] { writer.writeSigned16(location) }
      for length in [area.width, area.height] { writer.write16(length) }
      writer.write32(.max)
    } response: { (_, reader) throws(X11SyntaxError) in
      for _ in 0..<6 { _ = try reader.read32() }
      var pixels: [UInt32] = []
      for _ in 0..<count { pixels.append(try reader.read32() & 0xFF_FFFF) }
      return pixels
    }
  }
}
