// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import TestSupport
import Testing

@Suite(.timeLimit(minutes: 1)) struct SHA256Tests {
  /// The examples of NIST (FIPS 180-4), and lengths around the end of a block.
  @Test func hashesAreThoseOfTheStandard() {
    func ones(_ count: Int) -> [UInt8] { [UInt8](repeating: 1, count: count) }
    for (bytes, hash) in [
      ([], "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
      (Array("abc".utf8), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
      (
        Array("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq".utf8),
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
      ),
      (
        [UInt8](repeating: 0x61, count: 1_000_000), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
      ),
      (ones(55), "5e3283e916d3c42f5b9658a063ca78fa46aac2e127367680558cfa71910bf61d"),
      (ones(56), "51e14a913680f24c85fe3b0e2e5b57f7202f117bb214f8ffdd4ea0f4e921fd52"),
      (ones(63), "436e67acc91d21a771e22ee2a88b8f6cf4103f983841fe5476221114dc8a7c58"),
      (ones(64), "7c8975e1e60a5c8337f28edf8c33c3b180360b7279644a9bc1af3c51e6220bf5"),
      (ones(65), "dc7156746a46cbe6edfaceb4ccfb9b27fc7250d2608a991848cfec6f62f39932"),
      (ones(119), "44c440d21268ca5b6b8292a25d82ee78ae41360e82ff8182d22492a72ed7ceb5"),
      (ones(120), "8714e41752f7cfc482508b7090da3e09e9c40bd63b14aca3aa43be2a9756696b"),
    ] as [([UInt8], String)] {
      #expect(SHA256.hash(bytes).hexText == hash, "\(bytes.count) bytes")
    }
  }

  @Test func bytesMayArriveInPiecesOfAnyLength() {
    let bytes = pattern(1000)
    let expected = SHA256.hash(bytes)
    for length in [1, 3, 63, 64, 65, 127, 128, 500] {
      var hash = SHA256()
      for start in stride(from: 0, to: bytes.count, by: length) { hash.update(bytes[start...].prefix(length)) }
      #expect(hash.value == expected, "pieces of \(length) bytes")
    }
  }

  /// The cases 2 and 6 of RFC 4231.
  @Test func authenticationCodesAreThoseOfTheStandard() {
    let short = SHA256.authenticationCode(of: Array("what do ya want for nothing?".utf8), key: Array("Jefe".utf8))
    #expect(short.hexText == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
    let message = Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8)
    let long = SHA256.authenticationCode(of: message, key: [UInt8](repeating: 0xAA, count: 131))
    #expect(long.hexText == "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54")
  }
}
