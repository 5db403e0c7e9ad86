// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// The tool on a Wayland desktop.
@Suite(.serialized, .limited, .timeLimit(minutes: 5), .peers("sway", "wl-copy", "wl-paste"))
struct WaylandCommandTests {
  /// Runs a transcript on a new desktop.
  private func transcript(
    xwayland: Bool = false, _ expected: String, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let desktop = try await SwayDesktop(xwayland: xwayland)
    try await withTemporaryDirectory { directory in
      try await Shell(directory: directory, display: desktop.environment).expect(expected, sourceLocation)
    }
    await desktop.stop()
  }

  @Test func copyAndPasteUseTheClipboardOfTheCompositor() async throws {
    try await transcript(
      #"""
      $ printf Muninn | dragpipe copy -d -; wl-paste -n; echo; dragpipe paste; echo
      Muninn
      Muninn
      $ printf Huginn | wl-copy; dragpipe paste; echo; dragpipe paste --list | cut -f 3
      Huginn
      public.utf8-plain-text
      $ wl-copy --clear; dragpipe paste
      dragpipe: no program offers anything
      [66]
      # Between two processes of the tool, names and all items arrive.
      $ echo 1 > 'Æ sir'; mkdir saga; echo 2 > saga/b; dragpipe copy -d 'Æ sir' saga; mkdir in; dragpipe paste in; find in -type f | sort
      in/saga/b
      in/Æ sir
      $ dragpipe copy --clear; wl-paste
      No selection
      [1]
      """#)
  }

  @Test func viaChoosesTheDisplaySystem() async throws {
    try await transcript(
      xwayland: true,
      #"""
      $ for via in x11 wayland; do echo $via | dragpipe copy -d --via $via -; dragpipe paste --via $via; dragpipe copy --via $via --clear; done
      x11
      wayland
      $ dragpipe paste --via mir
      dragpipe: --via mir is not x11, wayland or terminal (see dragpipe paste --help)
      [64]
      $ WAYLAND_DISPLAY=/nowhere dragpipe paste --via wayland
      dragpipe: no compositor at /nowhere: No such file or directory
      [69]
      """#)
  }
}
