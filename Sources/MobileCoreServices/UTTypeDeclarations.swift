// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

// swift-format-ignore-file: AlwaysUseLowerCamelCase
// The names of the functions and their parameters are Apple's.

public import Foundation
internal import UniformTypes

/// The key of a type's identifier in its declaration.
public var kUTTypeIdentifierKey: CFString { "UTTypeIdentifier" }
/// The key of the tags of a type, which are a dictionary from tag classes to lists.
public var kUTTypeTagSpecificationKey: CFString { "UTTypeTagSpecification" }
/// The key of the types that a type conforms to, which are a list.
public var kUTTypeConformsToKey: CFString { "UTTypeConformsTo" }
/// The key of the display name of a type.
public var kUTTypeDescriptionKey: CFString { "UTTypeDescription" }
/// The key of the name of a type's icon, which no declaration of this module has.
public var kUTTypeIconFileKey: CFString { "UTTypeIconFile" }
/// The key of the address of a description of the type.
public var kUTTypeReferenceURLKey: CFString { "UTTypeReferenceURL" }
/// The key of the version of a declaration.
public var kUTTypeVersionKey: CFString { "UTTypeVersion" }
/// The key of a program's own types in an `Info.plist`.
public var kUTExportedTypeDeclarationsKey: CFString { "UTExportedTypeDeclarations" }
/// The key of the types of other owners in an `Info.plist`.
public var kUTImportedTypeDeclarationsKey: CFString { "UTImportedTypeDeclarations" }

/// Returns the declaration of a type, as an `Info.plist` has it; `nil` for a type that is not declared.
///
/// The values are those of the registry of this process: the tags of all declarations, and the display name of the nearest
/// supertype if the type has none. The list of supertypes has those that do not follow from others, by name.
public func UTTypeCopyDeclaration(_ inUTI: CFString) -> Unmanaged<NSDictionary>? {
  let type = UTType(named: String._unconditionallyBridgeFromObjectiveC(inUTI))
  guard type.isDeclared else { return nil }
  let supertypes = type.supertypes
  let parents = supertypes.filter { parent in !supertypes.contains { $0.isSubtype(of: parent) } }
  var declaration: [String: Any] = [
    "UTTypeIdentifier": type.identifier,
    "UTTypeConformsTo": parents.map(\.identifier).sorted(),
    "UTTypeTagSpecification": Dictionary(uniqueKeysWithValues: type.tags.map { ($0.key.rawValue, $0.value) }),
  ]
  declaration["UTTypeDescription"] = type.localizedDescription
  declaration["UTTypeReferenceURL"] = type.referenceURL?.absoluteString
  declaration["UTTypeVersion"] = type.version
  return .passRetained(declaration._bridgeToObjectiveC())
}

/// Returns `nil`: types are declared by the system's table and by processes, and not by bundles.
public func UTTypeCopyDeclaringBundleURL(_ inUTI: CFString) -> Unmanaged<NSURL>? { nil }
