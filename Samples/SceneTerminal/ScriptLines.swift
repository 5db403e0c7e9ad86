// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation

/// The lines of a script, or what is typed.
final class ScriptLines {
  let stream: AsyncStream<String>
  private let continuation: AsyncStream<String>.Continuation
  private var interrupts: [any DispatchSourceSignal] = []

  /// Reads a file, however its lines end; `-` and `nil` stand for standard input, which is read on a thread that may wait.
  init(_ path: String?) throws {
    (stream, continuation) = AsyncStream.makeStream(of: String.self)
    if let path, path != "-" {
      for line in try String(contentsOfFile: path, encoding: .utf8).split(whereSeparator: \.isNewline) {
        continuation.yield(String(line))
      }
      continuation.finish()
      return
    }
    Thread { [continuation] in
      while let line = readLine() { continuation.yield(line) }
      continuation.finish()
    }.start()
  }

  /// Has an interrupt, a wish to end or a terminal that is gone be the last line.
  func endAtInterrupts() {
    for number in [SIGINT, SIGTERM, SIGHUP] {
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number)
      source.setEventHandler { [continuation] in continuation.finish() }
      source.activate()
      interrupts.append(source)
    }
  }
}
