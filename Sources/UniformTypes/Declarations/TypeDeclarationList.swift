// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
public import FoundationEssentials

/// The type declarations in a property list such as an app's `Info.plist`, and the faults of its invalid entries.
///
/// The list has the entries of `UTExportedTypeDeclarations` and `UTImportedTypeDeclarations`; other keys are not read.
/// A faulty parent or tag is left out of its declaration. An entry with any other fault is refused, and the other
/// entries are not affected. The bytes may come from an untrusted source.
///
/// ```swift
/// let list = try TypeDeclarationList(propertyList: Data(contentsOf: URL(filePath: "Info.plist")))
/// for declaration in list.declarations { print(declaration.identifier) }
/// for refused in list.refused { print(refused) }
/// ```
///
/// ``TypeRegistry/declare(propertyList:)`` puts the declarations into effect.
public struct TypeDeclarationList: Sendable {
  /// The valid declarations: exported types, then imported types, each in the order of the file.
  public let declarations: [TypeDeclaration]

  /// The refused entries, and remarks on parts that were left out of declarations.
  ///
  /// The faults of exported types come before the faults of imported types, each in the order of the file. The index of
  /// a fault is the index of the entry in its array.
  public let refused: [RefusedDeclaration]

  /// The location of each element of `declarations`.
  let locations: [PropertyListLocation]

  /// The maximum size of a property list in bytes; an `Info.plist` typically has a few thousand.
  public static let maximumByteCount = 16 << 20

  /// The maximum number of entries in both arrays together; a binary list can repeat an entry at a cost of two bytes.
  static let maximumDeclarationCount = 1 << 18

  /// The maximum number of remarks on all entries together.
  static let maximumRemarkCount = 1 << 16

  /// The maximum number of keys, parents and tags of all entries together; a binary list can repeat these as well.
  static let maximumValueCount = 1 << 22

  /// Reads a property list, XML or binary.
  ///
  /// A list that has neither of the two keys is valid and declares nothing. A period at the start of a filename
  /// extension is removed.
  ///
  /// - Parameter data: The complete property list.
  /// - Throws: `malformed` for bytes that are not a property list in one of the two formats. `invalidValue` if the
  ///   outermost value is not a dictionary, or the value of one of the two keys is not an array. `limitExceeded` for more
  ///   than 16 MiB, 262,144 entries, 4,194,304 keys, parents and tags, or 65,536 remarks.
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
      throw TypeDeclarationListError(.malformed, "property list: the bytes cannot be decoded")
    }
    declarations = read.declarations
    locations = read.locations
    refused = read.refused
  }

  /// Returns the most specific description of a fault.
  ///
  /// Foundation's description is the same for every fault, so its underlying error is preferred. That error may quote
  /// the list, so control characters are escaped.
  private static func sentence(for context: DecodingError.Context, in data: Data) -> String {
    // The validator's text contains the offset.
    if context.debugDescription.hasPrefix("property list: ") { return context.debugDescription }
    let detail = (context.underlyingError as? CocoaError)?.userInfo["NSDebugDescription"] as? String
    let fault = data.starts(with: Array("bplist".utf8)) ? nil : XMLFault(data).description
    return "property list: \((fault ?? detail ?? context.debugDescription).escapedForDisplay(limit: 200))"
  }
}

extension TypeRegistry {
  /// Declares the types of a property list such as an app's `Info.plist`.
  ///
  /// If the list both exports and imports a type, the exported declaration takes precedence.
  ///
  /// - Parameter data: The complete property list, XML or binary.
  /// - Returns: The refused declarations, and remarks on others: exported types before imported types, each with its key
  ///   path in the list and its index in its array.
  /// - Throws: If the list as a whole cannot be read (see ``TypeDeclarationList/init(propertyList:)``). The call then
  ///   declares nothing.
  @discardableResult
  public func declare(propertyList data: Data) throws(TypeDeclarationListError) -> [RefusedDeclaration] {
    declare(try TypeDeclarationList(propertyList: data))
  }

  /// Declares the types of a property list that was read before.
  ///
  /// - Parameter list: The list of declarations.
  /// - Returns: The refused declarations, and remarks on other declarations, in the order of the list. They include
  ///   ``TypeDeclarationList/refused``.
  @discardableResult
  public func declare(_ list: TypeDeclarationList) -> [RefusedDeclaration] {
    let locations = list.locations
    let refused = declare(list.declarations, keyPath: { locations[$0].description }).map { refused in
      locations[refused.index].locate(refused)
    }
    return PropertyListLocation.merge(list.refused, refused)
  }

  /// Declares the types of a property list, and separates the declarations that are in effect from the refused ones.
  package func declareAll(
    of list: TypeDeclarationList
  ) -> (holding: [TypeDeclaration], refused: [RefusedDeclaration]) {
    let refused = declare(list)
    // Each key path begins with the key path of its declaration, which ends with an index.
    let paths = Set(refused.lazy.filter { !$0.isRemark }.map { $0.keyPath.prefix { $0 != "]" } })
    let holding = zip(list.declarations, list.locations).filter { !paths.contains("\($1)".dropLast()) }.map(\.0)
    return (holding, refused)
  }
}

/// The reason why a property list is rejected as a whole.
///
/// A ``RefusedDeclaration`` describes the fault of one declaration.
public struct TypeDeclarationListError: Error, Sendable, Hashable {
  /// The kinds of fault.
  @nonexhaustive public enum Code: Sendable, Hashable {
    /// The bytes are not a property list, or the list is nested too deeply or refers to itself.
    case malformed
    /// The list exceeds a limit of ``TypeDeclarationList/init(propertyList:)``.
    case limitExceeded
    /// The property list is well-formed, but its outermost value is not a dictionary, or the value of a key is not an
    /// array.
    case invalidValue
  }

  /// The kind of the fault.
  public let code: Code

  /// The faulty key, such as `UTExportedTypeDeclarations`; empty if the list as a whole is faulty.
  public let keyPath: String

  /// The description of the fault.
  public let reason: String

  init(_ code: Code, at keyPath: String = "", _ reason: String) {
    self.code = code
    self.keyPath = keyPath
    self.reason = reason
  }
}

extension TypeDeclarationListError: CustomStringConvertible {
  /// The key path, unless it is empty, and the reason in one line.
  public var description: String {
    keyPath.isEmpty ? reason : "\(keyPath): \(reason)"
  }
}
