// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// A type whose values include the tags before an item, which others pass over.
protocol CBORTagKeeping {}

extension CBORValue: CBORTagKeeping {}
extension CBORTagged: CBORTagKeeping {}

extension CBORDecodingSession {
  /// Whether the item is null where a `Value?` was asked for; the offset stays before it where it is not.
  ///
  /// A null with a tag is `nil` unless `Value` keeps tags; undefined is `nil` unless it is a `CBORValue`.
  @inline(__always)
  func null<Value>(_ offset: inout Int, insteadOf type: Value.Type) throws(CBORFault) -> Bool {
    let start = offset
    guard try input.pointee.null(&offset) else { return false }
    let first = input.pointee.base[start]
    if _fastPath(first == CBORByte.null) { return true }
    let isKept = first == CBORByte.undefined ? type == CBORValue.self : type is any CBORTagKeeping.Type
    if isKept { offset = start }
    return !isKept
  }
}

extension CBORInput {
  func isTag(at offset: Int) -> Bool {
    offset < count && base[offset] >> 5 == CBORMajorType.tag.rawValue
  }
}
