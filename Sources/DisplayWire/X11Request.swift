// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// A request to the server, as its name and its bytes.
///
/// A request without a response is a value of this type. ``X11Query`` is a request with a response.
package struct X11Request: Sendable, Hashable {
  /// The name in the specification of the protocol.
  package let name: String
  /// The number of the request, or the number of the extension.
  package let opcode: UInt8
  /// The second byte, which belongs to the header.
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

  /// Whether the length exceeds the 16 bits of a header, so that the server must know BIG-REQUESTS.
  var isBig: Bool { body.count / 4 + 1 > Self.maximumShortLength }

  /// The number of encoded bytes.
  package var byteCount: Int { body.count + (isBig ? 8 : 4) }

  /// The encoded bytes.
  package var encoded: [UInt8] {
    var bytes: [UInt8] = []
    append(to: &bytes)
    return bytes
  }

  /// Appends the encoded bytes to an output buffer.
  func append(to output: inout [UInt8]) {
    var header = X11Writer()
    header.write8(opcode)
    header.write8(detail)
    if isBig {
      header.write16(0)
      header.write32(UInt32(truncatingIfNeeded: body.count / 4 + 2))
    } else {
      header.write16(UInt16(body.count / 4 + 1))
    }
    output.append(contentsOf: header.bytes)
    output.append(contentsOf: body)
  }
}

/// A request with a response, and the decoder of that response.
package struct X11Query<Response: Sendable>: Sendable {
  /// The type of a decoder.
  ///
  /// It gets the second byte of the response, and a reader at byte 8.
  package typealias Decoder = @Sendable (_ detail: UInt8, _ reader: inout X11Reader) throws(X11SyntaxError) -> Response

  /// The request.
  package let request: X11Request
  /// The maximum number of bytes of the response after its first 32.
  package let maximumExtraBytes: Int
  private let decoder: Decoder

  init(
    _ name: String, _ opcode: UInt8, detail: UInt8 = 0, maximumExtraBytes: Int = 0,
    _ write: (inout X11Writer) -> Void = { _ in }, response decoder: @escaping Decoder
  ) {
    request = X11Request(name, opcode, detail: detail, write)
    self.maximumExtraBytes = maximumExtraBytes
    self.decoder = decoder
  }

  /// Decodes a response.
  ///
  /// - Parameter packet: The bytes of the response, with its header of 8 bytes.
  /// - Returns: The decoded response.
  /// - Throws: `X11SyntaxError`.
  package func decode(_ packet: [UInt8]) throws(X11SyntaxError) -> Response {
    guard packet.count >= 32 else { throw X11SyntaxError(0, "\(packet.count) bytes instead of at least 32") }
    var reader = X11Reader(packet, at: 8)
    return try decoder(packet[1], &reader)
  }
}
