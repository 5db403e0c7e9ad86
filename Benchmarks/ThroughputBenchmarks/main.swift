// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import BenchmarkKit
import Glibc

// A lost reader must be an error that is reported, not a silent death.
signal(SIGPIPE, SIG_IGN)

// Taken by this thread alone, which waits instead of being taken over by the runtime: valgrind dies of how that ends the
// first thread.
var interruptions = sigset_t()
sigemptyset(&interruptions)
for signal in [SIGINT, SIGTERM, SIGHUP] { sigaddset(&interruptions, signal) }
pthread_sigmask(SIG_BLOCK, &interruptions, nil)

Task.detached {
  do {
    let arguments = Array(CommandLine.arguments.dropFirst())
    if let role = HiddenRole(arguments) {
      try await role.run()
    } else {
      try await BenchmarkProgram(arguments: arguments).run()
    }
    exit(0)
  } catch {
    BenchmarkProgram.say("ThroughputBenchmarks: \(error)")
    if error is UsageError { BenchmarkProgram.say("Try 'ThroughputBenchmarks --help' for more.") }
    exit(error is UsageError ? 64 : 1)
  }
}

var received: CInt = 0
sigwait(&interruptions, &received)
Workspace.removeAll()
_exit(128 + received)
