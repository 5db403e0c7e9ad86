// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

// A list of dates in any number of windows. Each window is a process, and so is the list itself.
//
//     swift run SharedDates                       two windows; their input is `insert`, `insert TEXT`, `delete N`, `open N`
//                                                 and `edit`; `start N` makes N random edits; `:window` opens another window,
//                                                 `:kill-store` ends the list, and `help` lists the commands and keys
//     swift run SharedDates --script FILE         commands from a file

import DropSceneUI
import DropScenes
import DropTransport
import Foundation

await SceneApp.main(options: SharedDates.options) { window, arguments in
  do {
    try await SharedList<Stamp>.connect(over: .unixSocket(arguments[0])) { dates in
      if window.session.configurationName == "Date" {
        try await DateWindow(window).run(dates)
      } else {
        try await DatesWindow(window).run(dates)
      }
    }
  } catch let error as SharedListError {
    try await window.show(["! \(error)"])
    for await _ in window.events {}
  }
} app: { arguments in
  if arguments.first == "--store" { return try await serve(at: arguments[1]) }
  return try await SharedDates().run(arguments)
}

/// Runs the process of the list until its standard input ends.
func serve(at path: String) async throws -> Bool {
  let store = SharedListStore<Stamp>()
  let end = Task.detached {
    while readLine() != nil {}
    exit(0)
  }
  defer { end.cancel() }
  try await DropStream.withListener(at: .unixSocket(path)) { listener in
    FileHandle.standardOutput.write(Data("ready\n".utf8))
    try await listener.serve { session in try await store.serve(session) }
  }
  return true
}
