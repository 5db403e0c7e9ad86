// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing
import UniformTypes

@testable import ItemTransfer

/// Invalid activities.
///
/// Reading and writing them must fail with an error that has the path, and must never trap.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct UserActivityHostileInputTests {
  private func nested(_ depth: Int, in kind: String) -> String {
    let (open, close) = kind == "dictionary" ? ("{\"k\":", "}") : ("[", "]")
    return "{\"k\":" + String(repeating: "{\"\(kind)\":\(open)", count: depth - 1) + "{\"null\":null}"
      + String(repeating: "\(close)}", count: depth - 1) + "}"
  }

  private func requireFault(
    _ words: String, path: String, sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () async throws -> UserActivity
  ) async throws {
    let error = try await requireProviderError(
      .undecodable, .userActivity, sourceLocation: sourceLocation, body)
    let (codingPath, text) = try #require(context(of: error.underlyingError), sourceLocation: sourceLocation)
    let isExpected = codingPath == path && (words.isEmpty || text.contains(words))
    #expect(isExpected, "\(codingPath): \(text)", sourceLocation: sourceLocation)
  }

  private func context(of error: (any Error)?) -> (path: String, text: String)? {
    let context: DecodingError.Context? =
      switch error as? DecodingError {
      case .dataCorrupted(let context), .keyNotFound(_, let context): context
      case .typeMismatch(_, let context), .valueNotFound(_, let context): context
      default: nil
      }
    return context.map {
      ($0.codingPath.map { $0.intValue.map(String.init) ?? $0.stringValue }.joined(separator: "."), $0.debugDescription)
    }
  }

  @Test(arguments: [
    ("{}", "", "without a known kind"), (#"{"later":1}"#, "", "without a known kind"),
    (#"{"string":"a","integer":1}"#, "", "several kinds"), ("1", "", ""), ("null", "", ""),
    (#"{"array":{}}"#, ".array", ""), (#"{"array":[1]}"#, ".array.0", ""),
    (#"{"array":[{"null":null},{"dictionary":{"x":{"bool":1}}}]}"#, ".array.1.dictionary.x.bool", "Bool"),
    (#"{"bool":"true"}"#, ".bool", ""), (#"{"bool":null}"#, ".bool", ""), (#"{"data":"A"}"#, ".data", "Base64"),
    (#"{"data":"AA=\n="}"#, ".data", "Base64"), (#"{"date":"2026-11-21"}"#, ".date", ""),
    (#"{"date":1e300}"#, ".date", "years 1 to 4000"), (#"{"date":-1e11}"#, ".date", "years 1 to 4000"),
    (#"{"date":"nan"}"#, ".date", ""), (#"{"date":1e400}"#, ".date", "years 1 to 4000"),
    (#"{"double":1e400}"#, ".double", "not a number"), (#"{"double":"NaN"}"#, ".double", "not a number"),
    (#"{"double":true}"#, ".double", ""), (#"{"integer":1.5}"#, ".integer", ""), (#"{"integer":"1"}"#, ".integer", ""),
    (#"{"integer":true}"#, ".integer", ""), (#"{"integer":18446744073709551616}"#, ".integer", ""),
    (#"{"integer":-9223372036854775809}"#, ".integer", ""), (#"{"integer":1e400}"#, ".integer", ""),
    (#"{"null":0}"#, ".null", "null with content"), (#"{"set":"a"}"#, ".set", ""), (#"{"string":1}"#, ".string", ""),
    (#"{"url":""}"#, ".url", "not a URL"), (#"{"url":"http://a b"}"#, ".url", "not a URL"),
    (#"{"url":"a\u0000b"}"#, ".url", "not a URL"), (#"{"uuid":"E621"}"#, ".uuid", "UUID"),
  ])
  func malformedValueFailsWithItsPath(json: String, path: String, words: String) async throws {
    try await requireFault(words, path: "userInfo.k\(path)") {
      try await UserActivity(userInfoJSON: #"{"k":\#(json)}"#)
    }
  }

  @Test(arguments: [
    (#""activityType":"a""#, "", "version"), (#""version":2,"activityType":"a""#, "version", "version 2"),
    (#""version":"1","activityType":"a""#, "version", ""), (#""version":1"#, "", "activityType"),
    (#""version":1,"activityType":"""#, "activityType", "1 to 255"),
    (#""version":1,"activityType":"a b""#, "activityType", "letters"),
    (#""version":1,"activityType":"a\u0000""#, "activityType", "letters"), (Self.least + #""title":1"#, "title", ""),
    (Self.least + #""keywords":"a""#, "keywords", ""), (Self.least + #""keywords":[1]"#, "keywords.0", ""),
    (Self.least + #""requiredUserInfoKeys":{}"#, "requiredUserInfoKeys", ""),
    (Self.least + #""userInfo":[]"#, "userInfo", ""),
    (Self.least + #""expirationDate":1e12"#, "expirationDate", "years 1 to 4000"),
    (Self.least + #""webpageURL":"a b""#, "webpageURL", "not a URL"),
    (Self.least + #""webpageURL":"file:///etc/passwd""#, "webpageURL", "http or https"),
    (Self.least + #""webpageURL":"//example.org/7""#, "webpageURL", "http or https"),
  ])
  func malformedActivityFailsWithItsPath(members: String, path: String, words: String) async throws {
    try await requireFault(words, path: path) { try await UserActivity(bytes: Data("{\(members)}".utf8)) }
  }

  /// The members that an activity must have.
  private static let least = #""version":1,"activityType":"a","#

  @Test(arguments: ["[]", "", "{", "null", "{}\0"])
  func bytesWithoutAnActivityAreUndecodable(json: String) async throws {
    try await requireFault("", path: "") { try await UserActivity(bytes: Data(json.utf8)) }
  }

  @Test func unknownKeysNullsAndRepetitionsAreAccepted() async throws {
    let json = #"{"version":1,"later":{"x":[]},"activityType":"a","title":null,"userInfo":null,"keywords":null}"#
    #expect(try await UserActivity(bytes: Data(json.utf8)) == UserActivity(activityType: "a"))
    for (json, entries) in [
      (#"{"k":{"set":[{"integer":1},{"integer":1}],"note":"later"}}"#, ["k": .set([1])]),
      (#"{"i":{"integer":1e2},"d":{"double":-0},"s":{"string":"\u0000"}}"#, ["i": 100, "d": -0.0, "s": "\0"]),
    ] as [(String, [String: UserActivityValue])] {
      #expect(try await UserActivity(userInfoJSON: json).userInfo == entries)
    }
    for json in [
      #"{"k":{"integer":1},"k":{"integer":2}}"#, "{\"\u{E9}\":{\"null\":null},\"e\u{301}\":{\"null\":null}}",
    ] {
      #expect(try await UserActivity(userInfoJSON: json).userInfo.count == 1)
    }
  }

  @Test(arguments: ["9223372036854775807", "9223372036854775808", "18446744073709551615", "-9223372036854775808"])
  func integersKeepEveryDigit(text: String) async throws {
    let value = try await UserActivity(userInfoJSON: #"{"k":{"integer":\#(text)}}"#).userInfo["k"]
    #expect(value?.integerValue(as: Int128.self) == Int128(text))
  }

  @Test(arguments: ["array", "set", "dictionary"])
  func valuesNestUpTo64Levels(kind: String) async throws {
    let deepest = try await UserActivity(userInfoJSON: nested(64, in: kind))
    #expect(try await UserActivity(bytes: deepest.bytes()) == deepest)
    for depth in [65, 200, 1000, 200_000] {
      let error = try await requireProviderError(.undecodable, .userActivity) {
        try await UserActivity(userInfoJSON: nested(depth, in: kind))
      }
      // Foundation refuses deeper JSON itself.
      #expect(depth > 200 || "\(error)".contains("64 deep"), "\(error)")
    }
  }

  @Test(arguments: ["array", "set", "dictionary"])
  func deepestValuesFitInASmallStack(kind: String) async throws {
    let bytes = Data(#"{"version":1,"activityType":"a","userInfo":\#(nested(64, in: kind))}"#.utf8)
    let same: Bool = try await withCheckedThrowingContinuation { continuation in
      let thread = Thread {
        continuation.resume(
          with: Result {
            let activity = try JSONDecoder().decode(UserActivity.self, from: bytes)
            return try JSONDecoder().decode(UserActivity.self, from: JSONEncoder().encode(activity)) == activity
          })
      }
      thread.stackSize = 512 << 10
      thread.start()
    }
    #expect(same)
  }

  @Test func valuesAreLimitedTo65536() async throws {
    let null = #"{"null":null}"#
    func list(_ element: String, _ count: Int) -> String {
      "[" + Array(repeating: element, count: count).joined(separator: ",") + "]"
    }
    let fullest = try await UserActivity(userInfoJSON: #"{"k":{"array":\#(list(null, 65_535))}}"#)
    #expect(fullest.userInfo["k"]?.arrayValue?.count == 65_535)
    let entries = (0...65_536).map { "\"\($0)\":\(null)" }.joined(separator: ",")
    for (member, path) in [
      (#""userInfo":{"k":{"array":\#(list(null, 65_536))}}"#, "userInfo.k.array"),
      (#""userInfo":{"k":{"set":\#(list(null, 65_536))}}"#, "userInfo.k.set"),
      (#""userInfo":{\#(entries)}"#, "userInfo"), (#""keywords":\#(list(#""""#, 65_537))"#, "keywords"),
    ] {
      try await requireFault("65536 values", path: path) {
        try await UserActivity(bytes: Data("{\(Self.least)\(member)}".utf8))
      }
    }
  }

  @Test func setOfDataWithACommonPrefixIsFast() async throws {
    let beginning = Data(repeating: 0, count: 200)
    let elements = (0..<60_000).map { index in
      #"{"data":"\#((beginning + withUnsafeBytes(of: index) { Data($0) }).base64EncodedString())"}"#
    }
    let json = #"{"k":{"set":[\#(elements.joined(separator: ","))]}}"#
    #expect(try await UserActivity(userInfoJSON: json).userInfo["k"]?.setValue?.count == 60_000)
  }

  @Test func encodingRejectsValuesThatNoReaderAccepts() async throws {
    let deep = (0..<64).reduce(UserActivityValue.null) { value, _ in .array([value]) }
    let wide = UserActivityValue.array(Array(repeating: .null, count: 65_536))
    var crowded = UserActivity(activityType: "a", userInfo: ["k": nil])
    var expiring = UserActivity(activityType: "a")
    expiring.expirationDate = Date(timeIntervalSinceReferenceDate: .infinity)
    crowded.keywords = Set((0..<65_536).map(String.init))
    for (activity, path, words) in [
      (UserActivity(activityType: ""), "activityType", "1 to 255"),
      (UserActivity(activityType: String(repeating: "a", count: 256)), "activityType", "1 to 255"),
      (UserActivity(activityType: "org.example/Ajax"), "activityType", "letters"),
      (UserActivity(activityType: "a", userInfo: ["k": deep]), "userInfo.k", "64 deep"),
      (UserActivity(activityType: "a", userInfo: ["k": wide]), "userInfo.k", "65536 values"),
      (
        UserActivity(activityType: "a", userInfo: ["k": .date(Date(timeIntervalSinceReferenceDate: .nan))]),
        "userInfo.k", "years 1 to 4000"
      ),
      (expiring, "expirationDate", "years 1 to 4000"),
      (crowded, "keywords", "65536 values"),
    ] {
      let error = try await requireProviderError(.representationFailed, .userActivity) { try await activity.bytes() }
      guard case .invalidValue(_, let context) = error.underlyingError as? EncodingError else {
        Issue.record("\(error)")
        continue
      }
      let isExpected = context.codingPath.map(\.stringValue).joined(separator: ".") == path
      #expect(isExpected && context.debugDescription.contains(words), "\(error)")
    }
  }

  @Test func corruptBytesDecodeOrFail() async throws {
    var generator = SeededGenerator.announced("damaged activities")
    let whole = try await UserActivity.complete().bytes()
    for _ in 0..<1000 {
      var bytes = whole
      for _ in 0..<Int.random(in: 1...4, using: &generator) {
        bytes[Int.random(in: 0..<bytes.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
      }
      if let activity = try? JSONDecoder().decode(UserActivity.self, from: bytes) {
        let again = try JSONDecoder().decode(UserActivity.self, from: JSONEncoder().encode(activity))
        if again != activity { Issue.record("\(activity)") }
      }
    }
    for length in 0..<whole.count {
      do {
        _ = try JSONDecoder().decode(UserActivity.self, from: whole.prefix(length))
        Issue.record("decoded \(length) bytes")
      } catch is DecodingError {}
    }
  }
}
