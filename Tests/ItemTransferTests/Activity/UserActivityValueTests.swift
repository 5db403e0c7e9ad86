// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import ItemTransfer

@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct UserActivityValueTests {
  @Test func literalsCreateTheirKind() {
    #expect("text" as UserActivityValue == .string("text"))
    #expect("\(1)" as UserActivityValue == .string("1"))
    #expect(1 as UserActivityValue == .integer(1))
    #expect(1.0 as UserActivityValue == .double(1))
    #expect(true as UserActivityValue == .bool(true))
    #expect(nil as UserActivityValue == .null)
    #expect([1, "a"] as UserActivityValue == .array([.integer(1), .string("a")]))
    #expect(["a": 1, "a": 2] as UserActivityValue == .dictionary(["a": .integer(2)]))
    #expect(UserActivityValue(7) == 7)
    #expect(UserActivityValue("abc".dropFirst()) == "bc")
  }

  @Test func kindsOfEqualNumbersDiffer() {
    let values: Set<UserActivityValue> = [1, 1.0, true, "1", [1], .set([1]), nil]
    #expect(values.count == 7)
    #expect(UserActivityValue.url(URL(fileURLWithPath: "/a")) != "file:///a")
  }

  @Test func signedAndUnsignedIntegersAreEqualByValue() {
    #expect(UserActivityValue.unsignedInteger(3) == 3)
    #expect(3 == UserActivityValue.unsignedInteger(3))
    #expect(Set<UserActivityValue>([3, .unsignedInteger(3)]).count == 1)
    #expect(UserActivityValue.integer(-1) != .unsignedInteger(.max))
    #expect(Set<UserActivityValue>([-1, .unsignedInteger(.max)]).count == 2)
  }

  @Test func nanEqualsItselfAndZeroDiffersFromMinusZero() {
    #expect(UserActivityValue.double(.nan) == .double(-.nan))
    #expect(UserActivityValue.double(.nan) == .double(.signalingNaN))
    #expect(Set<UserActivityValue>([.double(.nan), .double(-.nan)]).count == 1)
    #expect(UserActivityValue.double(0) != .double(-0.0))
  }

  @Test func accessorsReturnTheirKindWithoutLoss() throws {
    let uuid = UUID()
    let url = URL(fileURLWithPath: "/a")
    let date = Date(timeIntervalSinceReferenceDate: 1)
    #expect(([1] as UserActivityValue).arrayValue == [1])
    #expect((true as UserActivityValue).boolValue == true)
    #expect(UserActivityValue.data(Data([1])).dataValue == Data([1]))
    #expect(UserActivityValue.date(date).dateValue == date)
    #expect((["a": 1] as UserActivityValue).dictionaryValue == ["a": 1])
    #expect((1.5 as UserActivityValue).doubleValue == 1.5)
    #expect((1 as UserActivityValue).doubleValue == 1)
    #expect(UserActivityValue.unsignedInteger(2).doubleValue == 2)
    #expect(UserActivityValue.integer(.max).doubleValue == nil)
    #expect((7 as UserActivityValue).intValue == 7)
    #expect((300 as UserActivityValue).integerValue(as: UInt8.self) == nil)
    #expect(UserActivityValue.unsignedInteger(.max).intValue == nil)
    #expect(UserActivityValue.unsignedInteger(.max).integerValue(as: UInt64.self) == .max)
    #expect((nil as UserActivityValue).isNull)
    #expect(UserActivityValue.set([1]).setValue == [1])
    #expect(("a" as UserActivityValue).stringValue == "a")
    #expect(UserActivityValue.url(url).urlValue == url)
    #expect(UserActivityValue.uuid(uuid).uuidValue == uuid)

    let other = UserActivityValue.uuid(uuid)
    #expect(other.arrayValue == nil && other.boolValue == nil && other.dataValue == nil && other.dateValue == nil)
    #expect(other.dictionaryValue == nil && other.doubleValue == nil && other.intValue == nil && !other.isNull)
    #expect(other.setValue == nil && other.stringValue == nil && other.urlValue == nil)
    #expect((1 as UserActivityValue).boolValue == nil)
    #expect((true as UserActivityValue).intValue == nil)
    #expect((1.0 as UserActivityValue).intValue == nil)
    #expect((1 as UserActivityValue).uuidValue == nil)
  }

  @Test func setsAreSortedByKindAndContent() {
    let ordered: [UserActivityValue] = [
      nil, false, true, .integer(.min), -1, 0, 2, 10, .unsignedInteger(.max), .double(-.infinity), -2.5, -0.0, 0.0, 1.0,
      .double(.infinity), .double(.nan), "", "A", "a", "a\0", "aa", .data(Data()), .data(Data([0])),
      .data(Data([0, 0])), .data(Data([1])), [], [nil], ["a"], ["a", "b"], ["b"], .set([]), .set(["a", "b"]),
      .set(["b"]), [:], ["a": 1], ["a": 2], ["b": 1],
    ]
    guard case .list(.set, let written) = OrderedActivityValue(.set(Set(ordered)), inSet: false).content else {
      Issue.record("no set")
      return
    }
    let array = OrderedActivityValue(.set(Set(ordered.map { [$0] })), inSet: false)
    #expect(written.map(\.key) == ordered.map { OrderedActivityValue($0, inSet: true).key })
    #expect(Set(written.map(\.key)).count == ordered.count)
    guard case .list(.set, let wrapped) = array.content else { return }
    #expect(Set(wrapped.map(\.key)).count == ordered.count)
  }

  @Test func longTextsWithACommonPrefixAreSorted() throws {
    let beginning = String(repeating: "a", count: 1000)
    let texts: Set<UserActivityValue> = Set((0..<200).map { .set([.string("\(beginning)\($0)"), nil]) })
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let bytes = try encoder.encode(UserActivityValue.set(texts))
    for capacity in [200, 1000, 5000] {
      var others = Set<UserActivityValue>(minimumCapacity: capacity)
      for text in texts.reversed() { others.insert(text) }
      #expect(try encoder.encode(UserActivityValue.set(others)) == bytes)
    }
  }

  @Test func valueAloneHasTheSameFormAsInAnActivity() throws {
    let value: UserActivityValue = ["a": [1, 1.0, true, nil, .unsignedInteger(.max)]]
    let data = try JSONEncoder().encode(value)
    let json =
      #"{"dictionary":{"a":{"array":[{"integer":1},{"double":1},{"bool":true},{"null":null},"#
      + #"{"integer":18446744073709551615}]}}}"#
    #expect(String(decoding: data, as: UTF8.self) == json)
    #expect(try JSONDecoder().decode(UserActivityValue.self, from: data) == value)
  }
}
