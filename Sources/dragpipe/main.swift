// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DragPipeTool
import Glibc

ToolEnvironment.noteInheritedDescriptors()
ToolEnvironment.reserveStandardDescriptors()
ToolEnvironment.reserveDescriptors()
ToolEnvironment.saveAddressSpace()
ToolEnvironment.requireProc()
let arguments = CommandLine.unsafeArgv
let words = (1..<max(1, Int(CommandLine.argc))).compactMap { arguments[$0] }.map { Tool.argument($0) }
// What is known already takes no second thread.
if Tool.answerAtOnce(words) { exit(0) }
let signals = ToolSignals()
let run = Task.detached { await Tool.run(words) }
signals.cancel(run)
Task.detached {
  let code = await run.value
  // A signal that came when everything was done changes nothing any more.
  if code != 0 { signals.endAsSignalled() }
  exit(code)
}
// That is all that is left for this thread. An `await` here would hand it to the main queue, which nobody uses and which
// no profiler survives.
signals.listen()
