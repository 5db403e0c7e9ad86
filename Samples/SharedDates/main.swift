// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

// One list of dates in any number of windows, each of which is a process; the list itself lives in one more.
//
//     swift run SharedDates                       two windows; `insert`, `insert TEXT` and `delete N` are typed,
//                                                 `start N` does both N times; `:window` opens
//                                                 another window, `:kill-store` ends the list
//     swift run SharedDates --script FILE         the same from a file

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

/// The process of the list: it ends when its standard input does.
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
