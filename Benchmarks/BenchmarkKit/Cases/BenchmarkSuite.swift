// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// A part of the benchmarks that can be run alone.
package enum BenchmarkSuite: String, Sendable, Codable, CaseIterable {
  case coding
  case providers
  case registry
  case stream
  case file
  case session
  case tool

  /// A sentence for people who see only the figures.
  package var explanation: String {
    switch self {
    case .coding: "Values to bytes and back, in one process: the CBOR coders beside what a program would use instead."
    case .providers: "What a promise costs within one process."
    case .registry: "Looking up types and comparing them."
    case .stream: "A source process and a sink process joined by a pipe; everything that crosses is verified."
    case .file: "Drop files: writing them, and having one item without reading the others."
    case .session: "Two processes that talk through a Unix socket, beside blocking calls on a socket of the same kind."
    case .tool: "Whole processes, from start to exit, as a shell runs them."
    }
  }
}
