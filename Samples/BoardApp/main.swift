// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

// A board whose cards are dragged between columns. A card that is dragged to the desktop opens in its own window.
//
//     swift run BoardApp --state DIRECTORY        on the board: `drag 2 to board at 3` (the third column),
//                                                 `drag 2 to desktop`, `add column`, `bogus`; in a card's window,
//                                                 `text WORDS` and `close`; `:quit` keeps the windows for the next run,
//                                                 `:close WINDOW` does not; `help` lists the commands and keys
//     swift run BoardApp --script FILE            commands from a file

import DropSceneUI
import DropScenes
import Foundation

let arguments = Array(CommandLine.arguments.dropFirst())
if arguments.first == "--window" {
  let socket = arguments[1]
  await SceneApp.window(takesDrops: arguments[2] == "Board", appearance: BoardApp.appearance) {
    window in
    switch window.session.configurationName {
    case "Card": try await CardWindow(window).run(socket)
    case "Add Column": try await AddColumnWindow(window).run(socket)
    default: try await BoardWindow(window).run(socket)
    }
  }
} else {
  await SceneApp.main { try await BoardApp(arguments).run() }
}
