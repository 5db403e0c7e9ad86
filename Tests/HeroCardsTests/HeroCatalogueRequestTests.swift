// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import HeroCards

@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct HeroCatalogueRequestTests {
  @Test(arguments: [
    ("", "d41d8cd98f00b204e9800998ecf8427e"), ("a", "0cc175b9c0f1b6a831c399e269772661"),
    ("abc", "900150983cd24fb0d6963f7d28e17f72"), ("message digest", "f96b697d7cb7938d525a2f31aaf161d0"),
    ("abcdefghijklmnopqrstuvwxyz", "c3fcd3d76192e4007dfb496cca67e13b"),
    ("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789", "d174ab98d277d9f5a5611c2c9f419d9f"),
    (String(repeating: "1234567890", count: 8), "57edf4a22be3c955ac49da2e2107b67a"),
    (String(repeating: "x", count: 55), "04364420e25c512fd958a70738aa8f72"),
    (String(repeating: "x", count: 56), "668a72d5ba17f08e62dabcafad6db14b"),
    (String(repeating: "x", count: 64), "c1bb4f81d892b2d57947682aeb252456"),
  ])
  func digestsMatchRFC1321AndBlockBoundaries(text: String, expected: String) {
    #expect(MD5.hexadecimalDigest(of: text.utf8) == expected)
  }

  @Test func signsRequestWithoutSendingPrivateKey() throws {
    let base = try #require(URL(string: "https://heroes.example/v1/characters?orderBy=name"))
    let request = HeroCatalogueRequest(baseURL: base, publicKey: "1234", privateKey: "abcd")
    let url = request.url(limit: 20, offset: 40, timestamp: "1")
    #expect(
      url.absoluteString
        == "https://heroes.example/v1/characters?orderBy=name&limit=20&offset=40&ts=1&apikey=1234&hash=ffd275c5130566a2916217b101f26150"
    )
    #expect(!url.absoluteString.contains("abcd"))
    let now = try #require(URLComponents(url: request.url(), resolvingAgainstBaseURL: true)?.queryItems)
    #expect(now.map(\.name) == ["orderBy", "ts", "apikey", "hash"])
  }

  @Test func leavesAddressUnchangedWithoutKeysOrForFiles() throws {
    let base = try #require(URL(string: "https://heroes.example/v1/characters"))
    #expect(HeroCatalogueRequest(baseURL: base).url() == base)
    let file = URL(fileURLWithPath: "/heroes.json")
    #expect(HeroCatalogueRequest(baseURL: file, publicKey: "1", privateKey: "2").url(limit: 1) == file)
  }
}
