// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

// A list of dates in any number of windows. Each window is a process, and so is the list itself.
//
//     swift run SharedDates                       two windows; their input is `insert`, `insert TEXT` and `delete N`;
//                                                 `start N` makes N random edits; `:window` opens another window,
//                                                 `:kill-store` ends the list, and `help` lists the commands and keys
//     swift run SharedDates --script FILE         commands from a file

import DropScenes
import DropTransport
import Foundation
import SceneTerminal

let arguments = Array(CommandLine.arguments.dropFirst())
switch arguments.first {
case "--store": await SceneTerminal.app { try await serve(at: arguments[1]) }
case "--window": await DatesWindow.run(at: arguments[1])
default: await SceneTerminal.app { try await SharedDates().run(arguments) }
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
