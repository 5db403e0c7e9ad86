// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A request to a comics catalogue, signed as such catalogues require.
///
/// A signed request has a timestamp `ts`, the public key as `apikey`, and a `hash`. The hash is the MD5 digest of the
/// timestamp, the private key and the public key, in hexadecimal; the private key itself is never sent. If a key is
/// missing, the request is not signed: a file, or a server without keys, needs no signature.
struct HeroCatalogueRequest {
  /// The address of the heroes, such as `https://heroes.example/v1/characters`.
  let baseURL: URL
  var publicKey: String?
  var privateKey: String?

  /// Adds the signature to the address.
  ///
  /// - Parameter timestamp: A string that makes each signature unique, by default the current time in milliseconds.
  /// - Returns: The address with its query; the address of a file stays unchanged.
  func url(timestamp: String? = nil) -> URL {
    guard !baseURL.isFileURL, let publicKey, let privateKey,
      var parts = URLComponents(url: baseURL, resolvingAgainstBaseURL: true)
    else { return baseURL }
    let timestamp = timestamp ?? "\(Int64(Date().timeIntervalSince1970 * 1000))"
    let hash = MD5.hexadecimalDigest(of: (timestamp + privateKey + publicKey).utf8)
    parts.queryItems =
      (parts.queryItems ?? []) + [
        URLQueryItem(name: "ts", value: timestamp), URLQueryItem(name: "apikey", value: publicKey),
        URLQueryItem(name: "hash", value: hash),
      ]
    return parts.url ?? baseURL
  }
}

/// The MD5 digest (RFC 1321), with which comics catalogues sign requests.
///
/// MD5 is not secure; use it for nothing else.
struct MD5 {
  /// The rotations in bits: four for each round, which the steps of the round use in turn.
  private static let turns: [[UInt32]] = [[7, 12, 17, 22], [5, 9, 14, 20], [4, 11, 16, 23], [6, 10, 15, 21]]

  /// The integer parts of 2³² times the absolute value of the sine of 1 to 64 radians, as the RFC defines them.
  private static let constants: [UInt32] = [
    0xd76a_a478, 0xe8c7_b756, 0x2420_70db, 0xc1bd_ceee, 0xf57c_0faf, 0x4787_c62a, 0xa830_4613, 0xfd46_9501,
    0x6980_98d8, 0x8b44_f7af, 0xffff_5bb1, 0x895c_d7be, 0x6b90_1122, 0xfd98_7193, 0xa679_438e, 0x49b4_0821,
    0xf61e_2562, 0xc040_b340, 0x265e_5a51, 0xe9b6_c7aa, 0xd62f_105d, 0x0244_1453, 0xd8a1_e681, 0xe7d3_fbc8,
    0x21e1_cde6, 0xc337_07d6, 0xf4d5_0d87, 0x455a_14ed, 0xa9e3_e905, 0xfcef_a3f8, 0x676f_02d9, 0x8d2a_4c8a,
    0xfffa_3942, 0x8771_f681, 0x6d9d_6122, 0xfde5_380c, 0xa4be_ea44, 0x4bde_cfa9, 0xf6bb_4b60, 0xbebf_bc70,
    0x289b_7ec6, 0xeaa1_27fa, 0xd4ef_3085, 0x0488_1d05, 0xd9d4_d039, 0xe6db_99e5, 0x1fa2_7cf8, 0xc4ac_5665,
    0xf429_2244, 0x432a_ff97, 0xab94_23a7, 0xfc93_a039, 0x655b_59c3, 0x8f0c_cc92, 0xffef_f47d, 0x8584_5dd1,
    0x6fa8_7e4f, 0xfe2c_e6e0, 0xa301_4314, 0x4e08_11a1, 0xf753_7e82, 0xbd3a_f235, 0x2ad7_d2bb, 0xeb86_d391,
  ]

  private var words: (UInt32, UInt32, UInt32, UInt32) = (0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476)

  /// Returns the digest of bytes in hexadecimal.
  static func hexadecimalDigest(of bytes: some Collection<UInt8>) -> String {
    var padded = Array(bytes)
    let bitCount = UInt64(padded.count) &* 8
    padded.append(0x80)
    while padded.count % 64 != 56 { padded.append(0) }
    for shift in stride(from: 0, to: 64, by: 8) { padded.append(UInt8(truncatingIfNeeded: bitCount >> shift)) }
    var digest = MD5()
    for start in stride(from: 0, to: padded.count, by: 64) { digest.take(padded[start..<start + 64]) }
    let words = [digest.words.0, digest.words.1, digest.words.2, digest.words.3]
    return words.map { word in
      let digits = String(word.byteSwapped, radix: 16)
      return String(repeating: "0", count: 8 - digits.count) + digits
    }.joined()
  }

  private mutating func take(_ block: ArraySlice<UInt8>) {
    let message = (0..<16).map { index in
      (0..<4).reduce(UInt32(0)) { $0 | UInt32(block[block.startIndex + index * 4 + $1]) << UInt32($1 * 8) }
    }
    var (a, b, c, d) = words
    for step in 0..<64 {
      let (mixed, index): (UInt32, Int) =
        switch step / 16 {
        case 0: ((b & c) | (~b & d), step)
        case 1: ((d & b) | (~d & c), (5 * step + 1) % 16)
        case 2: (b ^ c ^ d, (3 * step + 5) % 16)
        default: (c ^ (b | ~d), (7 * step) % 16)
        }
      let sum = a &+ mixed &+ Self.constants[step] &+ message[index]
      let turn = Self.turns[step / 16][step % 4]
      (a, d, c, b) = (d, c, b, b &+ (sum << turn | sum >> (32 - turn)))
    }
    words = (words.0 &+ a, words.1 &+ b, words.2 &+ c, words.3 &+ d)
  }
}
