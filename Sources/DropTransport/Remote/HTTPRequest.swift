// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import FoundationEssentials
internal import Glibc

/// Requests for ranges of an object, made by `curl`.
struct HTTPRequest: Sendable {
  /// A range of an object.
  enum Wanted: Sendable {
    case last(UInt64)
    case bytes(Range<UInt64>)

    var text: String {
      switch self {
      case .last(let count): "-\(count)"
      case .bytes(let range): "\(range.lowerBound)-\(range.upperBound - 1)"
      }
    }
  }

  /// The maximum number of ranges that one process requests.
  static let maximumCount = 64

  private let address: String
  /// The idle timeout in seconds.
  private let timeoutText: String
  let name: String

  init(_ address: String, idleTimeout: Duration) throws(DropStreamError) {
    let shown = Self.shown(address)
    // Control characters and blanks would end the option of curl's configuration.
    guard HTTPObject.isAddress(address), address.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else {
      throw DropStreamError(.sourceUnavailable, "\(shown) is not an https: or http: address")
    }
    self.address = address
    timeoutText = String(Int(min(max(1, (idleTimeout / .seconds(1)).rounded(.up)), 1_000_000)))
    name = shown
  }

  /// Returns an address without its user, password, query and fragment.
  private static func shown(_ address: String) -> String {
    let visible = address.prefix { $0 != "?" && $0 != "#" }
    let scheme = visible.prefix { $0 != "/" }
    let rest = visible.dropFirst(scheme.count).drop { $0 == "/" }
    let authority = rest.prefix { $0 != "/" }
    let host = authority.lastIndex(of: "@").map { rest[rest.index(after: $0)...] } ?? rest
    return "\(scheme)//\(host)".escapedForDisplay(limit: 200)
  }

  static func changed(_ name: String) -> DropStreamError {
    DropStreamError(.sourceChanged, "\(name) has changed since it was opened")
  }

  /// Requests ranges with one process.
  ///
  /// - Parameters:
  ///   - ranges: The ranges, at most ``maximumCount``.
  ///   - condition: The header field that the server checks.
  /// - Returns: A response for each range.
  /// - Throws: `sourceUnavailable`, `sourceChanged`, `unsupported`, `truncated`, `limitExceeded`, `timedOut`,
  ///   `cancelled`; `empty` if the object is empty.
  func send(_ ranges: [Wanted], condition: String?) async throws -> [HTTPRangeResponse] {
    try await withOutput(of: ranges.map { options($0, condition) }) { output in
      try await runBlocking { [name] () throws(DropStreamError) in
        var reader = HTTPResponseReader(output.raw, name: name)
        var responses: [HTTPRangeResponse] = []
        for _ in ranges { responses.append(try reader.next()) }
        return responses
      }
    }
  }

  /// Requests the whole object.
  ///
  /// - Parameter body: Reads the content from the descriptor.
  /// - Returns: The result of `body`.
  /// - Throws: The errors of `body`; the error of the request if the content ended early because of it.
  func withContent<Result>(_ body: (SharedDescriptor) async throws -> Result) async throws -> Result {
    try await withOutput(of: [commonOptions], body)
  }

  /// Runs `curl`, and reports its failure in place of the truncated output that it causes.
  private func withOutput<Result>(
    of requests: [[(String, String?)]], _ body: (SharedDescriptor) async throws -> Result
  ) async throws -> Result {
    let process: CurlProcess
    do throws(SystemError) {
      process = try CurlProcess(requests.map(Self.configuration).joined(separator: "next\n"))
    } catch {
      let reason = error.errorNumber == ENOENT ? "curl is not installed" : "curl cannot be started: \(error)"
      throw DropStreamError(.sourceUnavailable, "cannot read \(name): \(reason)", errorNumber: error.errorNumber)
    }
    return try await withTaskCancellationHandler {
      do {
        let result = try await body(process.output)
        await process.child.stop()
        return result
      } catch {
        let code = (error as? DropStreamError)?.code
        let isCut = code == .truncated || code == .empty
        // If the output is complete, the process only waits for its reader.
        let ending = isCut ? await process.child.end() : await process.child.stop()
        if Task.isCancelled { throw DropStreamError.cancelled }
        if isCut, let failure = process.failure(ending, name) { throw failure }
        throw error
      }
    } onCancel: {
      process.child.terminate()
    }
  }

  /// The options of every request: names of `curl`'s options, and their values.
  private var commonOptions: [(String, String?)] {
    let isSecure = address.lowercased().hasPrefix("https")
    return (Self.userConfiguration.map { [("config", $0)] } ?? []) + [
      ("silent", nil), ("show-error", nil), ("fail", nil), ("location", nil), ("globoff", nil),
      ("netrc-optional", nil), ("max-redirs", "8"), ("no-buffer", nil), ("connect-timeout", timeoutText),
      ("speed-limit", "1"),
      ("speed-time", timeoutText), ("proto", "=https,http"), ("proto-redir", isSecure ? "=https" : "=https,http"),
      ("header", "Accept-Encoding: identity"), ("url", address),
    ]
  }

  private func options(_ range: Wanted, _ condition: String?) -> [(String, String?)] {
    commonOptions + [("include", nil), ("suppress-connect-headers", nil), ("range", range.text)]
      + (condition.map { [("header", $0)] } ?? [])
  }

  /// Returns options as lines of a configuration file; arguments would show the address to other users.
  private static func configuration(_ options: [(String, String?)]) -> String {
    options.map { name, value in
      guard let value else { return "\(name)\n" }
      let quoted = value.map { $0 == "\"" || $0 == "\\" ? "\\\($0)" : String($0) }.joined()
      return "\(name) = \"\(quoted)\"\n"
    }.joined()
  }

  /// The path of the user's configuration file, if there is one; `curl` itself would apply it to the first of several
  /// requests only.
  private static var userConfiguration: String? {
    for name in ["CURL_HOME", "HOME"] {
      guard let directory = getenv(name) else { continue }
      let path = String(cString: directory) + "/.curlrc"
      if (try? SystemCalls.statusAt(AT_FDCWD, path)) != nil { return path }
    }
    return nil
  }
}

/// A process of `curl`, whose configuration and messages are in memory files.
private final class CurlProcess: Sendable {
  let child: ChildProcess
  /// The responses.
  let output: SharedDescriptor
  private let errors: OwnedDescriptor

  init(_ configuration: String) throws(SystemError) {
    let input = OwnedDescriptor(try SystemCalls.memoryFile("curl"))
    try SystemCalls.writeAll(input.raw, Array(configuration.utf8))
    _ = try SystemCalls.seek(input.raw, 0, SEEK_SET)
    errors = OwnedDescriptor(try SystemCalls.memoryFile("curl"))
    let responses = try SystemCalls.pipe()
    output = SharedDescriptor(OwnedDescriptor(responses.read))
    let childOutput = OwnedDescriptor(responses.write)
    child = try ChildProcess(
      "curl", ["--disable", "--fail-early", "--config", "-"], input: input.raw, output: childOutput.raw,
      errors: errors.raw, leadsGroup: !ChildProcess.hasTerminal)
  }

  /// Returns the error of a process that failed; `nil` if it succeeded or a signal ended it.
  func failure(_ ending: ChildProcess.Ending, _ name: String) -> DropStreamError? {
    guard let code = ending.exitCode, code != 0 else { return nil }
    var bytes = [UInt8](repeating: 0, count: 1000)
    let count = (try? bytes.withUnsafeMutableBytes { try SystemCalls.read(errors.raw, $0, at: 0) }) ?? 0
    let message = String(decoding: bytes.prefix(count), as: UTF8.self).split(separator: "\n").first ?? "curl failed"
    let shown = String(message.drop { $0 != ")" }.dropFirst(2)).escapedForDisplay(limit: 200)
    // Numbers of curl's manual: 28 is a timeout, 18 a short transfer.
    let kind: DropStreamError.Code = code == 28 ? .timedOut : code == 18 ? .truncated : .sourceUnavailable
    return DropStreamError(kind, "cannot read \(name): \(shown.isEmpty ? "curl failed with \(code)" : shown)")
  }
}
