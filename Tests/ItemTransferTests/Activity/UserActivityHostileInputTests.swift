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
@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct UserActivityHostileInputTests {
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
    #expect(codingPath == path, sourceLocation: sourceLocation)
    #expect(words.isEmpty || text.contains(words), "\(text)", sourceLocation: sourceLocation)
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
    (#"{"k":{}}"#, "k", "without a known kind"), (#"{"k":{"later":1}}"#, "k", "without a known kind"),
    (#"{"k":{"string":"a","integer":1}}"#, "k", "several kinds"), (#"{"k":1}"#, "k", ""), (#"[]"#, "", ""),
    (#"{"k":null}"#, "k", ""), (#"{"k":{"array":{}}}"#, "k.array", ""), (#"{"k":{"array":[1]}}"#, "k.array.0", ""),
    (#"{"k":{"array":[{"null":null},{"dictionary":{"x":{"bool":1}}}]}}"#, "k.array.1.dictionary.x.bool", "Bool"),
    (#"{"k":{"bool":"true"}}"#, "k.bool", ""), (#"{"k":{"bool":null}}"#, "k.bool", ""),
    (#"{"k":{"data":"A"}}"#, "k.data", "Base64"), (#"{"k":{"data":"AA=\n="}}"#, "k.data", "Base64"),
    (#"{"k":{"date":"2026-11-21"}}"#, "k.date", ""), (#"{"k":{"date":1e300}}"#, "k.date", "years 1 to 4000"),
    (#"{"k":{"date":-1e11}}"#, "k.date", "years 1 to 4000"), (#"{"k":{"date":"nan"}}"#, "k.date", ""),
    (#"{"k":{"date":1e400}}"#, "k.date", "years 1 to 4000"), (#"{"k":{"double":1e400}}"#, "k.double", "not a number"),
    (#"{"k":{"double":"NaN"}}"#, "k.double", "not a number"), (#"{"k":{"double":true}}"#, "k.double", ""),
    (#"{"k":{"integer":1.5}}"#, "k.integer", ""), (#"{"k":{"integer":"1"}}"#, "k.integer", ""),
    (#"{"k":{"integer":true}}"#, "k.integer", ""), (#"{"k":{"null":0}}"#, "k.null", "null with content"),
    (#"{"k":{"set":"a"}}"#, "k.set", ""), (#"{"k":{"string":1}}"#, "k.string", ""),
    (#"{"k":{"url":""}}"#, "k.url", "not a URL"), (#"{"k":{"url":"http://a b"}}"#, "k.url", "not a URL"),
    (#"{"k":{"url":"a\u0000b"}}"#, "k.url", "not a URL"), (#"{"k":{"uuid":"E621"}}"#, "k.uuid", "UUID"),
  ])
  func malformedValueFailsWithItsPath(json: String, path: String, words: String) async throws {
    try await requireFault(words, path: path.isEmpty ? "userInfo" : "userInfo.\(path)") {
      try await UserActivity(userInfoJSON: json)
    }
  }

  @Test(arguments: [
    (#"{"activityType":"a"}"#, "", "version"), (#"{"version":2,"activityType":"a"}"#, "version", "version 2"),
    (#"{"version":"1","activityType":"a"}"#, "version", ""), (#"{"version":1}"#, "", "activityType"),
    (#"{"version":1,"activityType":""}"#, "activityType", "1 to 255"),
    (#"{"version":1,"activityType":"a b"}"#, "activityType", "letters"),
    (#"{"version":1,"activityType":"a\u0000"}"#, "activityType", "letters"),
    (#"{"version":1,"activityType":"a","title":1}"#, "title", ""),
    (#"{"version":1,"activityType":"a","keywords":"a"}"#, "keywords", ""),
    (#"{"version":1,"activityType":"a","keywords":[1]}"#, "keywords.0", ""),
    (#"{"version":1,"activityType":"a","requiredUserInfoKeys":{}}"#, "requiredUserInfoKeys", ""),
    (#"{"version":1,"activityType":"a","expirationDate":1e12}"#, "expirationDate", "years 1 to 4000"),
    (#"{"version":1,"activityType":"a","webpageURL":"a b"}"#, "webpageURL", "not a URL"),
    ("[]", "", ""), ("", "", ""), ("{", "", ""), ("null", "", ""), ("{}\0", "", ""),
  ])
  func malformedActivityFailsWithItsPath(json: String, path: String, words: String) async throws {
    try await requireFault(words, path: path) { try await UserActivity(bytes: Data(json.utf8)) }
  }

  @Test func unknownKeysNullsAndRepetitionsAreAccepted() async throws {
    let json = #"{"version":1,"later":{"x":[]},"activityType":"a","title":null,"userInfo":null,"keywords":null}"#
    #expect(try await UserActivity(bytes: Data(json.utf8)) == UserActivity(activityType: "a"))
    let repeated = try await UserActivity(userInfoJSON: #"{"k":{"integer":1},"k":{"integer":2}}"#)
    #expect(repeated.userInfo.count == 1)
    let twice = try await UserActivity(userInfoJSON: #"{"k":{"set":[{"integer":1},{"integer":1}],"note":"later"}}"#)
    #expect(twice.userInfo == ["k": .set([1])])
    let forms = try await UserActivity(
      userInfoJSON: #"{"i":{"integer":1e2},"d":{"double":-0},"s":{"string":"\u0000"}}"#)
    #expect(forms.userInfo == ["i": 100, "d": -0.0, "s": "\0"])
    #expect(
      try await UserActivity(userInfoJSON: "{\"\u{E9}\":{\"null\":null},\"e\u{301}\":{\"null\":null}}").userInfo.count
        == 1)
  }

  @Test func integersKeepEveryDigitAndTooLargeOnesFail() async throws {
    for text in ["9223372036854775807", "9223372036854775808", "18446744073709551615", "-9223372036854775808"] {
      let value = try await UserActivity(userInfoJSON: #"{"k":{"integer":\#(text)}}"#).userInfo["k"]
      #expect(value?.integerValue(as: Int128.self) == Int128(text))
    }
    for text in ["18446744073709551616", "-9223372036854775809", "1e400"] {
      _ = try await requireProviderError(.undecodable, .userActivity) {
        try await UserActivity(userInfoJSON: #"{"k":{"integer":\#(text)}}"#)
      }
    }
  }

  @Test(arguments: ["array", "set", "dictionary"])
  func valuesNestUpTo64Levels(kind: String) async throws {
    let deepest = try await UserActivity(userInfoJSON: nested(64, in: kind))
    #expect(try await UserActivity(bytes: deepest.bytes()) == deepest)
    for depth in [65, 200] {
      let error = try await requireProviderError(.undecodable, .userActivity) {
        try await UserActivity(userInfoJSON: nested(depth, in: kind))
      }
      #expect("\(error)".contains("64 deep"), "\(error)")
    }
    for depth in [1000, 200_000] {
      _ = try await requireProviderError(.undecodable, .userActivity) {
        try await UserActivity(userInfoJSON: nested(depth, in: kind))
      }
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
    func list(_ count: Int) -> String { "[" + Array(repeating: null, count: count).joined(separator: ",") + "]" }
    #expect(try await UserActivity(userInfoJSON: #"{"k":{"array":\#(list(65_535))}}"#).userInfo.count == 1)
    try await requireFault("65536 values", path: "userInfo.k.array") {
      try await UserActivity(userInfoJSON: #"{"k":{"array":\#(list(65_536))}}"#)
    }
    try await requireFault("65536 values", path: "userInfo.k.set") {
      try await UserActivity(userInfoJSON: #"{"k":{"set":\#(list(65_536))}}"#)
    }
    let entries = (0...65_536).map { "\"\($0)\":\(null)" }.joined(separator: ",")
    try await requireFault("65536 values", path: "userInfo") { try await UserActivity(userInfoJSON: "{\(entries)}") }
    let words = Array(repeating: "\"\"", count: 65_537).joined(separator: ",")
    try await requireFault("65536 values", path: "keywords") {
      try await UserActivity(bytes: Data(#"{"version":1,"activityType":"a","keywords":[\#(words)]}"#.utf8))
    }
  }

  @Test(.timeLimit(.minutes(10)))
  func setOfDataWithACommonPrefixIsFast() async throws {
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
      #expect(context.codingPath.map(\.stringValue).joined(separator: ".") == path)
      #expect(context.debugDescription.contains(words))
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
        #expect(try JSONDecoder().decode(UserActivity.self, from: JSONEncoder().encode(activity)) == activity)
      }
    }
    for length in 0..<whole.count {
      #expect(throws: DecodingError.self) { try JSONDecoder().decode(UserActivity.self, from: whole.prefix(length)) }
    }
  }
}
