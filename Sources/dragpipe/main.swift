// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DragPipeTool

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

let signals = ToolSignals()
let run = Task { await Tool.run(Array(CommandLine.arguments.dropFirst())) }
signals.cancel(run)
let code = await run.value
signals.endAsSignalled()
exit(code)
