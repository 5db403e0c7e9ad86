// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

/// Asks a comics catalogue for heroes, signed as such catalogues want it.
///
/// ```swift
/// let request = HeroCatalogueRequest(
///   baseURL: catalogue, publicKey: environment["HEROES_PUBLIC_KEY"], privateKey: environment["HEROES_PRIVATE_KEY"])
/// let page = try await session.data(from: request.url(limit: 20, offset: 40)).0
/// ```
///
/// A server is asked with a time stamp `ts`, the public key as `apikey`, and as `hash` the MD5 digest of time stamp,
/// private key and public key one after the other, in hexadecimal; the private key itself never travels. Without keys
/// the address is asked as it is: a file, or a server that wants none.
public struct HeroCatalogueRequest: Sendable {
  /// Where the heroes are, such as `https://heroes.example/v1/characters`.
  public var baseURL: URL
  /// Says who asks; `nil` asks without.
  public var publicKey: String?
  /// Signs the request; keep it out of source code and arguments.
  public var privateKey: String?

  /// Names a catalogue, and who asks.
  public init(baseURL: URL, publicKey: String? = nil, privateKey: String? = nil) {
    self.baseURL = baseURL
    self.publicKey = publicKey
    self.privateKey = privateKey
  }

  /// The address of one page of heroes.
  ///
  /// - Parameters:
  ///   - limit: How many heroes at most; `nil` leaves it to the catalogue.
  ///   - offset: How many heroes come before them.
  ///   - timestamp: What makes each signature another one; the time, unless something else is given.
  /// - Returns: The address with what belongs behind the `?`; that of a file as it is.
  public func url(limit: Int? = nil, offset: Int = 0, timestamp: String? = nil) -> URL {
    guard !baseURL.isFileURL, var parts = URLComponents(url: baseURL, resolvingAgainstBaseURL: true) else {
      return baseURL
    }
    var items = parts.queryItems ?? []
    if let limit { items.append(URLQueryItem(name: "limit", value: "\(limit)")) }
    if offset > 0 { items.append(URLQueryItem(name: "offset", value: "\(offset)")) }
    if let publicKey, let privateKey {
      let timestamp = timestamp ?? "\(Int64(Date().timeIntervalSince1970 * 1000))"
      let hash = MD5.hexadecimalDigest(of: (timestamp + privateKey + publicKey).utf8)
      items += [
        URLQueryItem(name: "ts", value: timestamp), URLQueryItem(name: "apikey", value: publicKey),
        URLQueryItem(name: "hash", value: hash),
      ]
    }
    if !items.isEmpty { parts.queryItems = items }
    return parts.url ?? baseURL
  }
}
