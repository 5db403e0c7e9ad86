// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

// A board whose cards are dragged between columns. A card that is dragged to the desktop opens in its own window.
//
//     swift run BoardApp --state DIRECTORY        on the board: `drag 2 to board at 3` (the third column),
//                                                 `drag 2 to desktop`, `add column`; in a card's window, `text WORDS`
//                                                 and `close`; `:quit` keeps the windows for the next run,
//                                                 `:close WINDOW` does not; `help` lists the commands and keys
//     swift run BoardApp --manifest FILE          another property list of windows and activities
//     swift run BoardApp --script FILE            commands from a file

import DropSceneUI
import DropScenes
import Foundation

await SceneApp.main(options: BoardApp.options) { window, arguments in
  switch window.session.configurationName {
  case "Card": try await CardWindow(window).run(arguments[0])
  case "Add Column": try await AddColumnWindow(window).run(arguments[0])
  default: try await BoardWindow(window).run(arguments[0])
  }
} app: { arguments in
  try await BoardApp(arguments).run()
}
