// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// A colour in the sRGB colour space, with 8 bits per component, and not premultiplied.
package struct Color: Sendable, Hashable {
  /// Red.
  package let red: UInt8
  /// Green.
  package let green: UInt8
  /// Blue.
  package let blue: UInt8
  /// The opacity; 255 is opaque.
  package let alpha: UInt8

  /// Creates a colour.
  package init(red: UInt8, green: UInt8, blue: UInt8, alpha: UInt8 = 255) {
    self.red = red
    self.green = green
    self.blue = blue
    self.alpha = alpha
  }

  /// Creates an opaque colour from a number such as `0xFF8000`.
  package init(_ rgb: UInt32) {
    self.init(
      red: UInt8(truncatingIfNeeded: rgb >> 16), green: UInt8(truncatingIfNeeded: rgb >> 8),
      blue: UInt8(truncatingIfNeeded: rgb))
  }

  /// Returns the colour with another opacity, from 0 to 1.
  package func opacity(_ opacity: Double) -> Color {
    Color(red: red, green: green, blue: blue, alpha: UInt8(max(0, min(255, (opacity * 255).rounded()))))
  }

  /// The colour as a pixel: alpha, red, green and blue from the highest byte to the lowest, premultiplied.
  package var pixel: UInt32 {
    let alpha = UInt32(alpha)
    func scaled(_ value: UInt8) -> UInt32 { Pixel.divideBy255(UInt32(value) * alpha) }
    return alpha << 24 | scaled(red) << 16 | scaled(green) << 8 | scaled(blue)
  }

  /// Returns the opaque colour that results if this colour is drawn over an opaque background.
  package func over(_ background: Color) -> Color {
    Color(Pixel.over(pixel, background.pixel) & 0xFF_FFFF)
  }

  /// The relative luminance as the Web Content Accessibility Guidelines 2 define it, from 0 to 1, without the opacity.
  package var luminance: Double {
    func linear(_ value: UInt8) -> Double {
      let value = Double(value) / 255
      return value <= 0.04045 ? value / 12.92 : Self.power((value + 0.055) / 1.055)
    }
    return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
  }

  /// Returns x to the power of 2.4, for x from 0 to 1.
  private static func power(_ x: Double) -> Double {
    // x^2.4 = x^2 · x^0.4; y = x^0.4 is the root of y^5 = x^2.
    var y = max(x, 1e-6)
    for _ in 0..<40 {
      let fourth = y * y * y * y
      y = (4 * y + x * x / fourth) / 5
    }
    return x * x * y
  }

  /// Returns the contrast ratio of two opaque colours, from 1 to 21.
  package func contrast(with other: Color) -> Double {
    let (high, low) = (max(luminance, other.luminance), min(luminance, other.luminance))
    return (high + 0.05) / (low + 0.05)
  }
}

/// Arithmetic on premultiplied pixels.
enum Pixel {
  /// Returns `value / 255`, rounded, for values up to 65,025.
  @inline(__always) static func divideBy255(_ value: UInt32) -> UInt32 {
    let value = value + 128
    return (value + value >> 8) >> 8
  }

  /// Returns a pixel with all components multiplied by `coverage / 255`.
  @inline(__always) static func scale(_ pixel: UInt32, _ coverage: UInt32) -> UInt32 {
    if coverage == 255 { return pixel }
    // Scales two components at a time.
    var even = (pixel & 0x00FF_00FF) * coverage + 0x0080_0080
    even = (even + (even >> 8 & 0x00FF_00FF)) >> 8 & 0x00FF_00FF
    var odd = (pixel >> 8 & 0x00FF_00FF) * coverage + 0x0080_0080
    odd = (odd + (odd >> 8 & 0x00FF_00FF)) & 0xFF00_FF00
    return even | odd
  }

  /// Returns the result of drawing `source` over `destination`.
  @inline(__always) static func over(_ source: UInt32, _ destination: UInt32) -> UInt32 {
    let alpha = source >> 24
    if alpha == 255 { return source }
    if alpha == 0 { return destination }
    return source &+ scale(destination, 255 - alpha)
  }
}
