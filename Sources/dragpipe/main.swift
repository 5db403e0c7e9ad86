// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DragPipeTool
import Glibc

ToolEnvironment.noteInheritedDescriptors()
ToolEnvironment.reserveStandardDescriptors()
ToolEnvironment.reserveDescriptors()
ToolEnvironment.saveAddressSpace()
ToolEnvironment.requireProc()
ToolEnvironment.requireEventQueue()
let arguments = CommandLine.unsafeArgv
let words = (1..<max(1, Int(CommandLine.argc))).compactMap { arguments[$0] }.map { Tool.argument($0) }
// Printing the version needs no second thread, so it comes before the handling of signals.
if Tool.answerAtOnce(words) { exit(0) }
ToolEnvironment.requireThreads()
let signals = ToolSignals()
let run = Task.detached { await Tool.run(words) }
signals.cancel(run)
Task.detached {
  let code = await run.value
  // A signal after successful completion is ignored.
  if code != 0 { signals.endAsSignalled() }
  exit(code)
}
// With an `await`, the runtime would switch this thread to the main queue, which is not used, and profilers would crash.
signals.listen()
