// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import FoundationEssentials

/// A response with a range of an object (RFC 9110, section 15.3.7).
struct HTTPRangeResponse: Sendable {
  var range: Range<UInt64>
  /// The length of the whole object.
  var byteCount: UInt64
  /// The header field with which later requests require the same version of the object; `nil` if the server states
  /// none.
  var condition: String?
  var body: Data
}

/// A reader of responses, as `curl --include` writes them: header, blank line, body.
///
/// The server is not trusted. All methods block.
struct HTTPResponseReader {
  /// The maximum length of a header in bytes.
  static let headerLimit = 64 << 10
  /// The maximum number of headers for one request: the header of the response, and headers before it, such as
  /// redirects.
  static let headerCount = 32

  private let descriptor: CInt
  private let name: String
  /// The bytes that have been read, and how many of them have been used.
  private var buffer: [UInt8] = []
  private var used = 0

  init(_ descriptor: CInt, name: String) {
    self.descriptor = descriptor
    self.name = name
  }

  /// Reads the next response with a range.
  ///
  /// - Throws: `truncated` if the output ends early; `unsupported` if the response is not a range; `empty` for an empty
  ///   object; `sourceChanged`; `sourceUnavailable` for another error status; `limitExceeded`; `systemCall`.
  mutating func next() throws(DropStreamError) -> HTTPRangeResponse {
    var last: DropStreamError?
    for _ in 0..<Self.headerCount {
      guard let header = try header() else { throw last ?? cut }
      switch header.status {
      case 206: return try response(header)
      case 200:
        throw DropStreamError(.unsupported, "\(name) cannot be read by ranges: the server does not support them")
      case 412: throw HTTPRequest.changed(name)
      case 416 where header.fields["content-range"] == "bytes */0":
        throw DropStreamError(.empty, "\(name) is empty")
      // After a redirect or a demand for a password, another header may follow.
      case 401, 407: last = failure(header, "the server demands a password; curl takes it from ~/.netrc")
      case 400...: last = failure(header, nil)
      default: break
      }
    }
    throw DropStreamError(.unsupported, "\(name) has more than \(Self.headerCount) responses to one request")
  }

  private func failure(_ header: Header, _ advice: String?) -> DropStreamError {
    let reason = "the server responded with status \(header.status)"
    return DropStreamError(.sourceUnavailable, "cannot read \(name): \(advice ?? reason)")
  }

  private var cut: DropStreamError { DropStreamError(.truncated, "\(name): the response ends too early") }

  private struct Header {
    var status: Int
    /// The fields by their names in lower case.
    ///
    /// A repeated field has its last value.
    var fields: [String: String] = [:]
  }

  /// Reads a header; `nil` at the end of the output.
  private mutating func header() throws(DropStreamError) -> Header? {
    var lines: [String] = []
    var length = 0
    while true {
      guard let line = try line() else {
        if lines.isEmpty { return nil }
        throw cut
      }
      length += line.utf8.count
      guard length <= Self.headerLimit else {
        throw DropStreamError(.limitExceeded, "\(name): a header exceeds \(Self.headerLimit) bytes")
      }
      if line.isEmpty { break }
      lines.append(line)
    }
    let words = lines.first?.split(separator: " ") ?? []
    guard words.count >= 2, words[0].hasPrefix("HTTP/"), let status = Int(words[1]), (100..<600).contains(status) else {
      throw DropStreamError(.unsupported, "\(name): the response is not HTTP")
    }
    var header = Header(status: status)
    for line in lines.dropFirst() {
      guard let colon = line.firstIndex(of: ":") else { continue }
      let value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
      header.fields[line[..<colon].lowercased()] = String(value)
    }
    return header
  }

  /// Reads a line without its end; `nil` at the end of the output.
  private mutating func line() throws(DropStreamError) -> String? {
    while true {
      if let end = buffer[used...].firstIndex(of: UInt8(ascii: "\n")) {
        var line = buffer[used..<end]
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        used = end + 1
        return String(decoding: line, as: UTF8.self)
      }
      guard buffer.count - used <= Self.headerLimit else {
        throw DropStreamError(.limitExceeded, "\(name): a header exceeds \(Self.headerLimit) bytes")
      }
      guard try fill() else {
        guard used == buffer.count else { throw cut }
        return nil
      }
    }
  }

  private mutating func response(_ header: Header) throws(DropStreamError) -> HTTPRangeResponse {
    guard let (range, byteCount) = Self.contentRange(header.fields["content-range"] ?? ""),
      range.upperBound - range.lowerBound <= UInt64(Int.max / 2)
    else {
      throw DropStreamError(.unsupported, "\(name): a partial response does not state its range")
    }
    if let encoding = header.fields["content-encoding"], encoding != "identity" {
      throw DropStreamError(.unsupported, "\(name): the server encodes the content")
    }
    let body = try bytes(Int(range.upperBound - range.lowerBound))
    return HTTPRangeResponse(range: range, byteCount: byteCount, condition: Self.condition(header), body: body)
  }

  /// Parses the value `bytes FIRST-LAST/LENGTH`; returns `nil` for any other value.
  static func contentRange(_ value: String) -> (Range<UInt64>, byteCount: UInt64)? {
    let parts = value.split(separator: " ")
    guard parts.count == 2, parts[0].lowercased() == "bytes" else { return nil }
    let numbers = parts[1].split(omittingEmptySubsequences: false) { $0 == "-" || $0 == "/" }.map { UInt64($0) }
    guard numbers.count == 3, let first = numbers[0], let last = numbers[1], let length = numbers[2],
      first <= last, last < length
    else { return nil }
    return (first..<last + 1, length)
  }

  /// Returns the condition for later requests: a strong entity tag, or else the time of modification, if the server
  /// states one of them.
  private static func condition(_ header: Header) -> String? {
    if let tag = header.fields["etag"], !tag.hasPrefix("W/") { return "If-Match: \(tag)" }
    return header.fields["last-modified"].map { "If-Unmodified-Since: \($0)" }
  }

  private mutating func bytes(_ count: Int) throws(DropStreamError) -> Data {
    var data = Data()
    // Growth by doubling would take up to twice the memory. At most 1 MiB is reserved before the bytes arrive, since
    // the count is only a claim of the server.
    data.reserveCapacity(min(count, 1 << 20))
    while data.count < count {
      if used == buffer.count, !(try fill()) { throw cut }
      let piece = buffer[used...].prefix(count - data.count)
      data.append(contentsOf: piece)
      used += piece.count
    }
    return data
  }

  /// Reads more of the output.
  ///
  /// - Returns: Whether there was more.
  private mutating func fill() throws(DropStreamError) -> Bool {
    buffer.removeFirst(used)
    used = 0
    let start = buffer.count
    buffer.append(contentsOf: repeatElement(0, count: 64 << 10))
    var failure: SystemError?
    let count = buffer.withUnsafeMutableBytes { bytes -> Int in
      do throws(SystemError) {
        return try SystemCalls.read(descriptor, UnsafeMutableRawBufferPointer(rebasing: bytes[start...]))
      } catch {
        failure = error
        return 0
      }
    }
    buffer.removeLast(buffer.count - start - count)
    if let failure { throw DropStreamError(.systemCall, "cannot read the response of \(name)", failure) }
    return count > 0
  }
}
