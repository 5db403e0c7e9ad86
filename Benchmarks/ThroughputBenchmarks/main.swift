// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import BenchmarkKit
import Glibc
import Synchronization

// If the reader of the output closes it, writing fails with an error instead of ending the process.
signal(SIGPIPE, SIG_IGN)

// This thread waits for the signals itself. If the runtime took it over and ended it, valgrind would crash.
var interruptions = sigset_t()
sigemptyset(&interruptions)
for signal in [SIGINT, SIGTERM, SIGHUP] { sigaddset(&interruptions, signal) }
pthread_sigmask(SIG_BLOCK, &interruptions, nil)

/// Whether the work has ended after an interruption.
let hasStopped = Atomic(false)

let work = Task.detached {
  var status: CInt = 0
  do {
    let arguments = Array(CommandLine.arguments.dropFirst())
    if let role = HiddenRole(arguments) {
      try await role.run()
    } else {
      try await BenchmarkProgram(arguments: arguments).run()
    }
  } catch  where !Task.isCancelled {
    BenchmarkProgram.say("ThroughputBenchmarks: \(error)")
    if error is UsageError { BenchmarkProgram.say("Try 'ThroughputBenchmarks --help' for more.") }
    status = (error as? BenchmarkProgram.Failure)?.status ?? (error is UsageError ? 64 : 1)
  } catch {}
  if Task.isCancelled { return hasStopped.store(true, ordering: .releasing) }
  exit(status)
}

var received: CInt = 0
sigwait(&interruptions, &received)
// No new process starts after the cancellation, but one may just be starting.
work.cancel()
for _ in 0..<300 {
  Descendants.end()
  if hasStopped.load(ordering: .acquiring) { break }
  usleep(10_000)
}
Descendants.end()
Workspace.removeAll()
_exit(128 + received)
