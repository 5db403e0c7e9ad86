// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import DropWindows

@Suite(.serialized, .limited, .timeLimit(.minutes(5)))
struct ThemeTests {
  @Test func computesTheContrastOfKnownPairs() {
    #expect(abs(Color(0).contrast(with: Color(0xFFFFFF)) - 21) < 0.001)
    #expect(abs(Color(0x777777).contrast(with: Color(0xFFFFFF)) - 4.478) < 0.01)
    #expect(abs(Color(0xFF0000).contrast(with: Color(0x0000FF)) - 2.15) < 0.01)
    #expect(Color(0x123456).contrast(with: Color(0x123456)) == 1)
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
    func theme(_ name: String?) -> Theme { .automatic(environment: name.map { ["GTK_THEME": $0] } ?? [:]) }
    #expect(theme(nil) == .light)
    #expect(theme("Adwaita") == .light)
    #expect(theme("Adwaita:dark") == .dark)
    #expect(theme("Yaru-dark") == .dark)
    #expect(theme("darkside") == .light)
    #expect(Theme.dark.isDark)
    #expect(!Theme.light.isDark)
  }

  @Test func readsTheScaleOfTheDesktop() {
    #expect(WindowOptions.scale(resources: "") == 1)
    #expect(WindowOptions.scale(resources: "Xft.antialias:\t1\nXft.dpi:\t192\n") == 2)
    #expect(WindowOptions.scale(resources: "Xft.dpi: 120") == 1.25)
    #expect(WindowOptions.scale(resources: "Xft.dpi: 9999999") == 4)
    for value in ["", "nan", "-192", "inf", "x", "12"] {
      #expect(WindowOptions.scale(resources: "Xft.dpi: \(value)") == 1)
    }
    #expect(WindowOptions(scale: 1.5).chosenScale(resources: "Xft.dpi: 192") == 1.5)
    #expect(WindowOptions(scale: 100).chosenScale(resources: "") == 4)
  }
}
