// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// The two arrays of declarations of a property list.
///
/// Each part is asked for what it should be, and only where it is something else, what it is: nothing else in the
/// property list is looked at, however much there is.
struct PropertyListDeclarations: Decodable {
  private(set) var declarations: [TypeDeclaration] = []
  private(set) var places: [PropertyListPlace] = []
  private(set) var refused: [RefusedDeclaration] = []
  private var valueCount = 0
  private var remarkCount = 0

  /// - Throws: `TypeDeclarationListError` where the whole is at fault.
  init(from decoder: any Decoder) throws {
    guard let container = try? decoder.container(keyedBy: PropertyListKey.self) else {
      let kind = PropertyListKind(of: decoder)
      throw TypeDeclarationListError(.invalidValue, "a dictionary is wanted, \(kind) was found")
    }
    for origin in TypeDeclaration.Origin.allCases {
      let key = PropertyListKey(PropertyListPlace.key(for: origin))
      guard container.contains(key) else { continue }
      guard var entries = try? container.nestedUnkeyedContainer(forKey: key) else {
        let kind = (try? container.decode(PropertyListKind.self, forKey: key)) ?? .unreadable
        throw TypeDeclarationListError(
          .invalidValue, at: key.stringValue, "an array of dictionaries is wanted, \(kind) was found")
      }
      try read(&entries, origin)
    }
  }

  private mutating func read(_ entries: inout any UnkeyedDecodingContainer, _ origin: TypeDeclaration.Origin) throws {
    var place = PropertyListPlace(origin: origin, index: 0)
    // Before the first is read: none is read in vain.
    let count = declarations.count + refused.count + (entries.count ?? 0)
    try check(count, atMost: TypeDeclarationList.maximumDeclarationCount, "declarations", in: origin)
    while !entries.isAtEnd {
      let entry = try entries.decode(PropertyListDeclaration.self)
      valueCount += entry.valueCount
      try check(
        valueCount, atMost: TypeDeclarationList.maximumValueCount, "keys, parents and tags", in: origin)
      remarkCount += entry.remarks.count
      try check(remarkCount, atMost: TypeDeclarationList.maximumRemarkCount, "faulty parents and tags", in: origin)
      place.singleTexts = entry.singleTexts
      place.parentIndices = entry.parentIndices
      do throws(DeclarationFault) {
        var declaration = try entry.declaration.get()
        declaration.origin = origin
        let remarks = try entry.remarks + declaration.validate()
        declarations.append(declaration)
        places.append(place)
        refused += remarks.map { place.refusal($0, identifier: entry.identifier, isRemark: true) }
      } catch {
        refused.append(place.refusal(error, identifier: entry.identifier))
      }
      place.index += 1
    }
  }

  private func check(
    _ count: Int, atMost limit: Int, _ what: String, in origin: TypeDeclaration.Origin
  ) throws(TypeDeclarationListError) {
    guard count <= limit else {
      throw TypeDeclarationListError(
        .limitExceeded, at: PropertyListPlace.key(for: origin), "there are more than \(limit) \(what)")
    }
  }
}
