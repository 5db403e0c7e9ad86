// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import ItemTransfer
internal import UniformTypes

extension DropOffer.Representation {
  /// What is said of `representation`, which is one of `others`.
  init(_ representation: ItemRepresentation, among others: [ItemRepresentation]) {
    self.init(typeIdentifier: representation.contentType.identifier)
    byteCount = representation.size.promised.flatMap(UInt64.init(exactly:))
    if byteCount == nil { estimatedByteCount = representation.size.expected.flatMap(UInt64.init(exactly:)) }
    supertypes = representation.supertypesToState.prefix(DropStreamLimits().supertypes).map(\.identifier)
    if let original = representation.aliasedType,
      let index = others.firstIndex(where: { $0.contentType == original }),
      others[index].aliasedType == nil,
      index < others.firstIndex(where: { $0.contentType == representation.contentType }) ?? 0
    {
      alias = index
      (byteCount, estimatedByteCount) = (nil, nil)
    }
  }
}
