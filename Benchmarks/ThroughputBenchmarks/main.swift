// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Glibc

// A lost reader must be an error that is reported, not a silent death.
signal(SIGPIPE, SIG_IGN)
do {
  let options = try BenchmarkOptions(Array(CommandLine.arguments.dropFirst()))
  if let role = options.role {
    try await role.run(count: options.heroCount, megabytes: options.megabytes, path: options.path)
  } else {
    try await ThroughputReport(options: options).print()
  }
} catch {
  let line = Array("ThroughputBenchmarks: \(error)\n".utf8)
  write(STDERR_FILENO, line, line.count)
  exit(error is BenchmarkOptions.UsageError ? 64 : 1)
}
