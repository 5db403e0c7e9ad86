// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem

/// An error that the server has sent.
package struct X11Error: Error, Sendable, Hashable {
  /// The error code.
  package let code: UInt8
  /// The resource, atom or value that caused the error; 0 for some errors.
  package let value: UInt32
  /// The number of the request or, for a request of an extension, the number of the extension.
  package let majorOpcode: UInt8
  /// The number of the request within its extension.
  package let minorOpcode: UInt16
  /// The name of the rejected request.
  package let requestName: String

  /// Creates an error.
  package init(code: UInt8, value: UInt32, majorOpcode: UInt8, minorOpcode: UInt16, requestName: String) {
    self.code = code
    self.value = value
    self.majorOpcode = majorOpcode
    self.minorOpcode = minorOpcode
    self.requestName = requestName
  }

  /// Decodes an error from its 32 bytes.
  init(_ packet: [UInt8], requestName: String) throws(X11SyntaxError) {
    var reader = X11Reader(packet, at: 4)
    value = try reader.read32()
    minorOpcode = try reader.read16()
    majorOpcode = try reader.read8()
    code = packet[1]
    self.requestName = requestName
  }

  private static let codeNames = [
    "BadRequest", "BadValue", "BadWindow", "BadPixmap", "BadAtom", "BadCursor", "BadFont", "BadMatch", "BadDrawable",
    "BadAccess", "BadAlloc", "BadColor", "BadGC", "BadIDChoice", "BadName", "BadLength", "BadImplementation",
  ]

  /// The code of an error for a window that does not exist, for example because its program has ended.
  package static let badWindow: UInt8 = 3

  /// The name of the error, such as `BadWindow`.
  ///
  /// For an error of an extension, the name contains the code.
  package var codeName: String {
    (1...Self.codeNames.count).contains(Int(code)) ? Self.codeNames[Int(code) - 1] : "error \(code)"
  }
}

extension X11Error: CustomStringConvertible {
  /// The problem in one line.
  package var description: String {
    "the display rejected \(requestName): \(codeName) for \(X11Identifier(value))"
  }
}
