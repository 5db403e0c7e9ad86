// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import UniformTypes

@Suite(.serialized, .limited) struct UTTypeCodableTests {
  private struct Box: Codable, Equatable {
    var type: UTType
  }

  @Test("a type is written as its bare identifier")
  func writesBareIdentifier() throws {
    #expect(String(decoding: try JSONEncoder().encode(UTType.png), as: UTF8.self) == #""public.png""#)
    #expect(
      String(decoding: try JSONEncoder().encode(Box(type: .png)), as: UTF8.self) == #"{"type":"public.png"}"#)
  }

  @Test(
    "a type is read from a bare identifier and from an object with an identifier",
    arguments: [
      #""public.png""#, #"{"identifier":"public.png"}"#, #"{"identifier":"PUBLIC.PNG","constantIndex":7}"#,
    ])
  func readsBothForms(json: String) throws {
    let type = try JSONDecoder().decode(UTType.self, from: Data(json.utf8))
    #expect(type == .png)
    #expect(type.identifier == "public.png")
  }

  @Test("a type that is not declared here is read and written unchanged")
  func undeclaredTypeIsNotLost() throws {
    let json = Data(#"["org.example.Somebody-Elses","not an identifier"]"#.utf8)
    let types = try JSONDecoder().decode([UTType].self, from: json)
    #expect(types.map(\.identifier) == ["org.example.Somebody-Elses", "not an identifier"])
    #expect(try JSONEncoder().encode(types) == json)
    #expect(UTType("org.example.somebody-elses") == nil)
  }

  @Test("a type goes through property lists of both formats", arguments: [true, false])
  func propertyLists(binary: Bool) throws {
    let encoder = PropertyListEncoder()
    encoder.outputFormat = binary ? .binary : .xml
    let box = Box(type: .utf8PlainText)
    #expect(try PropertyListDecoder().decode(Box.self, from: encoder.encode(box)) == box)
  }

  @Test(
    "anything else is a decoding error",
    arguments: ["7", "null", "[]", "{}", #"{"identifier":7}"#, #"{"identifier":null}"#, #"["public.png"]"#])
  func anythingElseFails(json: String) {
    #expect(throws: DecodingError.self) { try JSONDecoder().decode(UTType.self, from: Data(json.utf8)) }
  }
}
