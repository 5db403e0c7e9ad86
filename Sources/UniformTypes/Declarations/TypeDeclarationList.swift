// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
public import FoundationEssentials

/// What a property list such as an app's `Info.plist` says of types: the declarations in it, and what is wrong with the
/// others.
///
/// The entries of `UTExportedTypeDeclarations` and `UTImportedTypeDeclarations` are read, and no other key. A faulty
/// parent or tag costs that parent or tag only, and any other fault in an entry that entry only. The bytes may come from
/// an untrusted source.
///
/// ```swift
/// let list = try TypeDeclarationList(propertyList: Data(contentsOf: URL(filePath: "Info.plist")))
/// for declaration in list.declarations { print(declaration.identifier) }
/// for refused in list.refused { print(refused) }
/// ```
///
/// Use ``TypeRegistry/declare(propertyList:)`` to have them hold.
public struct TypeDeclarationList: Sendable {
  /// The declarations that are sound by themselves: exported ones, then imported ones, each in the order of the file.
  public let declarations: [TypeDeclaration]

  /// The entries that are not declarations, and remarks on parts of the others that were left out: of exported types,
  /// then of imported types, each in the order of the file.
  ///
  /// Their indices are those within their own array of the file.
  public let refused: [RefusedDeclaration]

  /// Where each of `declarations` was.
  let places: [PropertyListPlace]

  /// The most bytes that are read; an `Info.plist` has some thousands.
  public static let maximumByteCount = 16 << 20

  /// The most entries of both arrays together: a binary list can name one entry over and over at two bytes each.
  public static let maximumDeclarationCount = 1 << 18

  /// The most remarks on all entries together.
  static let maximumRemarkCount = 1 << 16

  /// The most keys, parents and tags of all entries together, which can be shared as well.
  static let maximumValueCount = 1 << 22

  /// Reads a property list, XML or binary.
  ///
  /// A list without the two keys declares nothing, and that is no fault. A filename extension may start with a period,
  /// which is dropped.
  ///
  /// - Parameter data: The whole property list.
  /// - Throws: `malformed` for what is no property list in one of the two formats, `invalidValue` where the outermost
  ///   value is no dictionary or one of the two keys has no array, `limitExceeded` where there is too much.
  public init(propertyList data: Data) throws(TypeDeclarationListError) {
    guard data.count <= Self.maximumByteCount else {
      throw TypeDeclarationListError(.limitExceeded, "the property list has more than \(Self.maximumByteCount) bytes")
    }
    let read: PropertyListDeclarations
    do {
      try PropertyListValidator().validate(data)
      read = try PropertyListDecoder().decode(PropertyListDeclarations.self, from: data)
    } catch let error as TypeDeclarationListError {
      throw error
    } catch DecodingError.dataCorrupted(let context) {
      throw TypeDeclarationListError(.malformed, Self.sentence(for: context, in: data))
    } catch {
      throw TypeDeclarationListError(.malformed, "this cannot be read as a property list")
    }
    declarations = read.declarations
    places = read.places
    refused = read.refused
  }

  /// Foundation's own text says the same for every fault; what it wraps says more, and quotes the list.
  private static func sentence(for context: DecodingError.Context, in data: Data) -> String {
    // The validator says where.
    if context.debugDescription.hasPrefix("property list: ") { return context.debugDescription }
    let detail = (context.underlyingError as? CocoaError)?.userInfo["NSDebugDescription"] as? String
    let fault = data.starts(with: Array("bplist".utf8)) ? nil : XMLFault(data).description
    return "property list: \((fault ?? detail ?? context.debugDescription).escapedForDisplay(limit: 200))"
  }
}

extension TypeRegistry {
  /// Declares the types of a property list such as an app's `Info.plist`.
  ///
  /// What the list exports beats what it imports.
  ///
  /// - Parameter data: The whole property list, XML or binary.
  /// - Returns: The declarations that do not hold and remarks on others, exported ones before imported ones, each with
  ///   its key path in the list and its index within its own array.
  /// - Throws: Where the list as a whole cannot be read: see ``TypeDeclarationList/init(propertyList:)``. Nothing is
  ///   declared then.
  @discardableResult
  public func declare(propertyList data: Data) throws(TypeDeclarationListError) -> [RefusedDeclaration] {
    declare(try TypeDeclarationList(propertyList: data))
  }

  /// Declares the types of a property list that was read before.
  ///
  /// - Parameter list: The declarations with their places.
  /// - Returns: The declarations that do not hold and remarks on others, those of the list's own
  ///   ``TypeDeclarationList/refused`` among them, in the order of the list.
  @discardableResult
  public func declare(_ list: TypeDeclarationList) -> [RefusedDeclaration] {
    let places = list.places
    let refused = declare(list.declarations, keyPath: { places[$0].description }).map { refused in
      places[refused.index].locate(refused)
    }
    return PropertyListPlace.merge(list.refused, refused)
  }
}
