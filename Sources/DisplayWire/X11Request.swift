// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// A request to the server, with its name and its encoded content.
///
/// ``X11Query`` is a request with a response; all other requests are values of this type.
package struct X11Request: Sendable, Hashable {
  /// The name in the specification of the protocol.
  package let name: String
  /// The number of the request or, for a request of an extension, the number of the extension.
  package let opcode: UInt8
  /// The second byte of the header.
  ///
  /// Its meaning depends on the request.
  package let detail: UInt8
  /// The bytes after the header, padded to a multiple of four.
  package let body: [UInt8]

  /// Encodes a request.
  init(_ name: String, _ opcode: UInt8, detail: UInt8 = 0, _ write: (inout X11Writer) -> Void = { _ in }) {
    self.name = name
    self.opcode = opcode
    self.detail = detail
    var writer = X11Writer()
    write(&writer)
    writer.pad()
    body = writer.bytes
  }

  /// The maximum length of a request without BIG-REQUESTS, in units of four bytes.
  private static let maximumShortLength = 65_535

  /// Whether the length in units of four bytes exceeds 16 bits.
  ///
  /// Only servers with BIG-REQUESTS accept such a request.
  var isBig: Bool { body.count / 4 + 1 > Self.maximumShortLength }

  /// The length of the encoded request, in bytes.
  package var byteCount: Int { body.count + (isBig ? 8 : 4) }

  /// The encoded bytes.
  package var encoded: [UInt8] { header + body }

  /// The encoded bytes before the body.
  var header: [UInt8] {
    var header = X11Writer()
    header.write8(opcode)
    header.write8(detail)
    if isBig {
      header.write16(0)
      header.write32(UInt32(truncatingIfNeeded: body.count / 4 + 2))
    } else {
      header.write16(UInt16(body.count / 4 + 1))
    }
    return header.bytes
  }
}

/// A request with a response, and a decoder for that response.
package struct X11Query<Response: Sendable>: Sendable {
  /// A decoder of the response.
  ///
  /// It gets the second byte of the response, and a reader at byte offset 8.
  package typealias Decoder = @Sendable (_ detail: UInt8, _ reader: inout X11Reader) throws(X11SyntaxError) -> Response

  /// The request.
  package let request: X11Request
  /// The maximum length of the response after its first 32 bytes.
  package let maximumExtraBytes: Int
  private let decoder: Decoder

  /// Creates a request, and the decoder of its response.
  package init(
    _ name: String, _ opcode: UInt8, detail: UInt8 = 0, maximumExtraBytes: Int = 0,
    _ write: (inout X11Writer) -> Void = { _ in }, response decoder: @escaping Decoder
  ) {
    request = X11Request(name, opcode, detail: detail, write)
    self.maximumExtraBytes = maximumExtraBytes
    self.decoder = decoder
  }

  /// Decodes a response.
  ///
  /// - Parameter packet: The bytes of the response, including its header of 8 bytes.
  /// - Returns: The decoded response.
  /// - Throws: `X11SyntaxError` for a malformed response.
  package func decode(_ packet: [UInt8]) throws(X11SyntaxError) -> Response {
    guard packet.count >= 32 else { throw X11SyntaxError(0, "\(packet.count) bytes instead of at least 32") }
    var reader = X11Reader(packet, at: 8)
    return try decoder(packet[1], &reader)
  }
}
