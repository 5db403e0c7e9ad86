// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import ItemCoding
import TestSupport
import Testing

/// Maps whose keys are integers, as in COSE (RFC 9052) and CWT (RFC 8392).
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct CBORIntegerKeyTests {
  private let encoder: CBOREncoder
  private let sortingEncoder: CBOREncoder

  init() {
    var encoder = CBOREncoder()
    encoder.usesIntegerKeys = true
    self.encoder = encoder
    encoder.keyOrder = .deterministic
    sortingEncoder = encoder
  }

  struct Claims: Codable, Equatable {
    var issuer: String
    var subject: String
    var audience: String
    var expiration: Int
    var notBefore: Int
    var issuedAt: Int
    var identifier: Data

    enum CodingKeys: Int, CodingKey {
      case issuer = 1
      case subject, audience, expiration, notBefore, issuedAt, identifier
    }
  }

  @Test func claimsSetHasTheBytesOfRFC8392() throws {
    let claims = Claims(
      issuer: "coap://as.example.com", subject: "erikw", audience: "coap://light.example.com",
      expiration: 1_444_064_944, notBefore: 1_443_944_944, issuedAt: 1_443_944_944, identifier: Data([0x0B, 0x71]))
    let hex =
      "a70175636f61703a2f2f61732e6578616d706c652e636f6d02656572696b77037818636f61703a2f2f6c696768742e6578616d"
      + "706c652e636f6d041a5612aeb0051a5610d9f0061a5610d9f007420b71"
    try expectEncoding(claims, hex, encoder)
    try expectDecoding([hex: claims])
    // Encoding text keys between two integer-keyed encodings must not change the result.
    try expectRoundTrips(claims)
    #expect(try decode([String: CBORValue].self, encodedHex(claims)).keys.contains("issuer"))
    try expectEncoding(claims, hex, encoder)
  }

  struct Key: Codable, Equatable {
    var type: Int
    var algorithm: Int
    var curve: Int
    var x: Data
    var y: Data

    enum CodingKeys: Int, CodingKey {
      case type = 1, algorithm = 3, curve = -1, x = -2, y = -3
    }
  }

  @Test func coseKeyHasTheBytesOfWebAuthn() throws {
    let hex =
      "a5010203262001215820" + "65eda5a12577c2bae829437fe338701a10aaa375e1bb5b5de108de439c08551d"
      + "225820" + "1e52ed75701163f7f9e40ddf9f341b3dc9ba860af7e0ca7ca7e9eecd0084d19c"
    let key = try decode(Key.self, hex)
    #expect(key.curve == 1 && key.x.count == 32)
    try expectEncoding(key, hex, encoder)
    try expectEncoding(key, hex, sortingEncoder)
  }

  /// The four elements of a COSE_Sign1.
  struct Signed: Codable, Equatable {
    struct Header: Codable, Equatable {
      var algorithm: Int?
      var keyIdentifier: Data?

      enum CodingKeys: Int, CodingKey {
        case algorithm = 1, keyIdentifier = 4
      }
    }

    var protected: Data
    var unprotected: Header
    var payload: Data
    var signature: Data

    init(from decoder: any Decoder) throws {
      var container = try decoder.unkeyedContainer()
      protected = try container.decode(Data.self)
      unprotected = try container.decode(Header.self)
      payload = try container.decode(Data.self)
      signature = try container.decode(Data.self)
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.unkeyedContainer()
      try container.encode(protected)
      try container.encode(unprotected)
      try container.encode(payload)
      try container.encode(signature)
    }
  }

  @Test func coseSign1HasTheBytesOfRFC9052() throws {
    let hex =
      "d28443a10126a10442313154546869732069732074686520636f6e74656e742e58408eb33e4ca31d1c465ab05aac34cc6b23d58fef5c"
      + "083106c4d25a91aef0b0117e2af9a291aa32e14ab834dc56ed2a223444547e01f11d3b0916e5a4c345cacb36"
    let message = try decode(CBORTagged<Signed>.self, hex)
    #expect(message.tag == 18 && message.value.payload == Data("This is the content.".utf8))
    #expect(message.value.unprotected == Signed.Header(keyIdentifier: Data("11".utf8)))
    let header = Signed.Header(algorithm: -7)
    try expectDecoding([message.value.protected.hex: header])
    try expectEncoding(header, message.value.protected.hex, encoder)
    try expectEncoding(message, hex, encoder)
    let item = try decode(CBORValue.self, hex)
    try expectEncoding(item, hex)
    #expect(
      item.description.hasPrefix("18([h'a10126', {4: h'3131'}, h'546869732069732074686520636f6e74656e742e', h'8eb3"))
  }

  @Test func keysWithoutANumberStayText() throws {
    enum Mixed: CodingKey {
      case text, number
      var intValue: Int? { self == .number ? 500 : nil }
      var stringValue: String { self == .number ? "number" : "text" }
      init?(stringValue: String) { return nil }
      init?(intValue: Int) { return nil }
    }
    let value = Writing { encoder in
      var container = encoder.container(keyedBy: Mixed.self)
      try container.encode(1, forKey: .text)
      var nested = container.nestedContainer(keyedBy: Mixed.self, forKey: .number)
      try nested.encode(2, forKey: .number)
      try nested.encode(3, forKey: .number)
    }
    try expectEncoding(value, "a2 647465787401 1901f4a11901f403", encoder)
    try expectEncoding(value, "a2 1901f4a11901f403 647465787401", sortingEncoder)
    try expectEncoding(value, "a2 647465787401 666e756d626572a1666e756d62657203")
  }
}
