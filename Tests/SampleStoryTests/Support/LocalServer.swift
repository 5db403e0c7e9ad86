// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import DropTransport
import Foundation
import TestSupport
import Testing

/// A directory served over HTTP on this machine, until the last reference goes.
final class LocalServer: Sendable {
  let address: String
  private let directory: TemporaryDirectory
  private let process: ChildProcess

  /// Starts the server, and waits until it says where it is.
  init(_ served: URL) async throws {
    directory = try TemporaryDirectory()
    let words = directory.file("words")
    let output = try OwnedDescriptor.open(words.path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND, 0o600)
    process = try ChildProcess(
      "python3", ["-u", "-m", "http.server", "0", "--bind", "127.0.0.1", "--directory", served.path],
      output: output.raw, errors: output.raw)
    var port: Substring?
    let isThere = try await eventually {
      port = try String(contentsOf: words, encoding: .utf8).firstMatch(of: #/port (\d+)/#)?.output.1
      return port != nil
    }
    try #require(isThere)
    address = "http://127.0.0.1:\(try #require(port))"
  }

  deinit {
    kill(process.processIdentifier, SIGTERM)
  }

  /// What it was asked, line by line.
  func log() throws -> String {
    try String(contentsOf: directory.file("words"), encoding: .utf8)
  }
}
