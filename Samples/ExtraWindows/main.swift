// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

// Windows next to each other, of which one gets what is typed, and which close when their transition is over.
//
//     swift run ExtraWindows                      two windows; what is typed is seen in the key window, `:window` opens
//                                                 another one, `:close WINDOW` closes one, `:held` counts what is held
//     swift run ExtraWindows --script FILE        the same from a file

import DropScenes
import Foundation
import SceneTerminal

let arguments = Array(CommandLine.arguments.dropFirst())
if arguments.first == "--window" {
  await SceneTerminal.window { window in try await ExtraWindow(window).run() }
} else {
  await SceneTerminal.app { try await ExtraWindows().run(arguments) }
}
