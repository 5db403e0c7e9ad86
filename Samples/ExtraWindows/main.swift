// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

// An app with several windows. The key window receives the input, and each window plays a transition before it closes.
//
//     swift run ExtraWindows                      two windows; input appears in the key window, `:window` opens another
//                                                 window, `:window 40 60 300 200` one with a frame,
//                                                 and a fifth number chooses the screen;
//                                                 `:close WINDOW` closes it, `:held` counts windows and descriptors;
//                                                 `help` lists the commands and keys
//     swift run ExtraWindows --script FILE        commands from a file

import DropSceneUI
import DropScenes
import Foundation

await SceneApp.main(options: ExtraFrame.options) { window, _ in
  try await ExtraWindow(window).run()
} app: { arguments in
  try await ExtraWindows().run(arguments)
}
