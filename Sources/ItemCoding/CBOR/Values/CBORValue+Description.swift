// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

extension CBORValue: CustomStringConvertible {
  /// The item in diagnostic notation (RFC 8949, section 8), on one line.
  ///
  /// ``CBORDiagnosticNotation`` has other layouts and limits, for encoded items. A value that the encoder refuses is
  /// described by the reason.
  public var description: String {
    do {
      return try CBORDiagnosticNotation().text(of: CBOREncoder().encode(self))
    } catch EncodingError.invalidValue(_, let context) {
      return "(not encodable: \(context.debugDescription))"
    } catch {
      return "(not encodable: \(error))"
    }
  }
}
