// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DragPipeTool
import Glibc

ToolEnvironment.noteInheritedDescriptors()
ToolEnvironment.reserveStandardDescriptors()
ToolEnvironment.reserveDescriptors()
ToolEnvironment.saveAddressSpace()
let request = ToolRequest(Tool.arguments)
// Help and version need no second thread, so they come before the handling of signals.
if request.answerAtOnce() { exit(0) }
ToolEnvironment.requireProc()
ToolEnvironment.requireEventQueue()
ToolEnvironment.requireThreads()
let signals = ToolSignals()
let run = Task.detached { await Tool.run(request) }
signals.cancel(run)
Task.detached {
  let code = await run.value
  // A signal after successful completion is ignored.
  if code != 0 { signals.endAsSignalled() }
  exit(code)
}
// With an `await`, the runtime would switch this thread to the main queue, which is not used, and profilers would crash.
signals.listen()
