// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import DropTransport
internal import ItemTransfer

/// Finds out whether a stream is whole, and nothing else; of a file, also whether its index is that of its items.
struct InspectionVerification {
  private struct Verdict: Encodable {
    let verified: Bool
    var itemCount: Int?
    var hasIndex: Bool?
    var error: String?
  }

  /// `nil` for standard input.
  let file: String?
  /// Whether the verdict is written: else the exit code is all there is to it.
  let isJSON: Bool

  func run(in environment: ToolEnvironment) async throws {
    do {
      let verdict = try await verify(environment)
      try await write(verdict, environment)
    } catch let error as DropStreamError {
      try await write(Verdict(verified: false, error: error.description), environment)
      throw file.map { ToolFailure(error, in: $0) } ?? ToolFailure(error)
    }
  }

  private func verify(_ environment: ToolEnvironment) async throws -> Verdict {
    if let file, Self.isRegular(file) {
      let verification = try await DropFile.verify(file)
      return Verdict(verified: true, itemCount: verification.itemCount, hasIndex: verification.hasIndex)
    }
    let endpoint = if let file { DropEndpoint.file(file) } else { try environment.inputEndpoint() }
    let count = try await DropStream.withInspector(from: endpoint) { items in
      var count = 0
      for try await _ in items { count += 1 }
      return count
    }
    return Verdict(verified: true, itemCount: count)
  }

  /// Only such a file can be read twice, or have an index that leads anywhere.
  static func isRegular(_ file: String) -> Bool {
    (try? SystemCalls.statusAt(DropEndpoint.currentDirectory, file))?.kind == .regular
  }

  private func write(_ verdict: Verdict, _ environment: ToolEnvironment) async throws {
    guard isJSON else { return }
    try await environment.write(try JSONOutput().text(verdict) + "\n")
  }
}
