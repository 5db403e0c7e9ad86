// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

extension UserActivityValue: Codable {
  /// Reads an object whose key is the kind and whose value is the content: `{"uuid": "…"}`.
  ///
  /// - Throws: `DecodingError` with the path, also beyond the limits of an activity (see
  ///   ``UniformTypes/UTType/userActivity``).
  public init(from decoder: any Decoder) throws {
    var reader = UserActivityReader()
    self = try reader.value(in: decoder.container(keyedBy: UserActivityReader.Kind.self), depth: 1)
  }

  /// Writes an object whose key is the kind and whose value is the content.
  ///
  /// - Throws: `EncodingError` beyond the limits of an activity, and for a date that is none.
  public func encode(to encoder: any Encoder) throws {
    var limits = UserActivityLimits()
    try limits.spend(self, path: encoder.codingPath)
    var container = encoder.container(keyedBy: UserActivityReader.Kind.self)
    try UserActivityWriter.write(self, to: &container)
  }
}
