// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import DropWindows

@Suite(.serialized, .limited, .timeLimit(minutes: 5))
struct ThemeTests {
  @Test func computesTheContrastOfKnownPairs() {
    for (color, other, contrast, tolerance) in [
      (0, 0xFFFFFF, 21, 0.001), (0x777777, 0xFFFFFF, 4.478, 0.01), (0xFF0000, 0x0000FF, 2.15, 0.01),
      (0x123456, 0x123456, 1, 0),
    ] as [(UInt32, UInt32, Double, Double)] {
      #expect(abs(Color(color).contrast(with: Color(other)) - contrast) <= tolerance)
    }
  }

  @Test(arguments: [Theme.light, .dark])
  func eachTextHasEnoughContrast(theme: Theme) {
    for area in [theme.background, theme.surface, theme.hover, theme.tint] {
      for text in [theme.text, theme.secondaryText, theme.failure] {
        #expect(text.contrast(with: area) >= 4.5, "\(text) on \(area)")
      }
    }
    #expect(theme.text.contrast(with: theme.border) >= 4.5)
    // The main button is darker or lighter while the pointer is over it.
    let shade = theme.isDark ? Color(0xFFFFFF) : Color(0)
    for opacity in [0, 0.1, 0.22] {
      #expect(theme.accentText.contrast(with: shade.opacity(opacity).over(theme.accent)) >= 4.5)
    }
    // Accessibility guidelines require a contrast of 3 to 1 for graphical signs.
    for sign in [theme.success, theme.accent, theme.ink] {
      #expect(sign.contrast(with: theme.surface) >= 3, "\(sign)")
    }
  }

  @Test func followsTheThemeOfTheDesktop() {
    for (name, theme) in [
      (nil, .light), ("Adwaita", .light), ("Adwaita:dark", .dark), ("Yaru-dark", .dark), ("darkside", .light),
    ] as [(String?, Theme)] {
      #expect(Theme.automatic(environment: name.map { ["GTK_THEME": $0] } ?? [:]) == theme, "\(name ?? "no name")")
    }
    #expect(Theme.dark.isDark && !Theme.light.isDark)
  }

  @Test func readsTheScaleOfTheDesktop() {
    for (resources, scale) in [
      ("", 1), ("Xft.antialias:\t1\nXft.dpi:\t192\n", 2), ("Xft.dpi: 120", 1.25), ("Xft.dpi: 9999999", 4),
    ] + ["", "nan", "-192", "inf", "x", "12"].map({ ("Xft.dpi: \($0)", 1) }) {
      #expect(WindowOptions.scale(resources: resources) == scale, "\(resources)")
    }
    let scales = [1.5, 100].map { WindowOptions(scale: $0).chosenScale(resources: "Xft.dpi: 192") }
    #expect(scales == [1.5, 4])
  }
}
