// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

// swift-format-ignore-file: AlwaysUseLowerCamelCase
// The names of the functions and their parameters are Apple's.

@_exported public import Foundation
internal import UniformTypes

/// A string of Core Foundation, which is an `NSString` in this module.
public typealias CFString = NSString
/// An array of Core Foundation, which is an `NSArray` in this module.
public typealias CFArray = NSArray

/// The tag class of filename extensions.
public var kUTTagClassFilenameExtension: CFString { "public.filename-extension" }
/// The tag class of MIME types.
public var kUTTagClassMIMEType: CFString { "public.mime-type" }
/// The tag class of AppKit's pasteboard types.
public var kUTTagClassNSPboardType: CFString { "com.apple.nspboard-type" }
/// The tag class of four-character types.
public var kUTTagClassOSType: CFString { "com.apple.ostype" }

/// Returns the identifier of the preferred type of a tag.
///
/// - Parameters:
///   - inTagClass: The class of the tag.
///   - inTag: The tag.
///   - inConformingToUTI: The identifier of a type that the result must conform to; `nil` for any type.
/// - Returns: The identifier; a dynamic identifier for an unknown tag; `nil` if the string cannot be a tag.
public func UTTypeCreatePreferredIdentifierForTag(
  _ inTagClass: CFString, _ inTag: CFString, _ inConformingToUTI: CFString?
) -> Unmanaged<CFString>? {
  type(inTag, inTagClass, inConformingToUTI).map { retained($0.identifier) }
}

/// Returns the identifiers of all types of a tag, preferred type first.
///
/// - Parameters:
///   - inTagClass: The class of the tag.
///   - inTag: The tag.
///   - inConformingToUTI: The identifier of a type that the results must conform to; `nil` for any type.
/// - Returns: The identifiers; a dynamic identifier for an unknown tag; `nil` if the string cannot be a tag.
public func UTTypeCreateAllIdentifiersForTag(
  _ inTagClass: CFString, _ inTag: CFString, _ inConformingToUTI: CFString?
) -> Unmanaged<CFArray>? {
  let types = UTType.types(
    tag: text(inTag), tagClass: UTTagClass(rawValue: text(inTagClass)),
    conformingTo: inConformingToUTI.map { UTType(importedAs: text($0)) })
  return types.isEmpty ? nil : retained(types.map(\.identifier))
}

/// Returns the preferred tag of a class that a type has; `nil` if it has none.
public func UTTypeCopyPreferredTagWithClass(_ inUTI: CFString, _ inTagClass: CFString) -> Unmanaged<CFString>? {
  tags(inUTI, inTagClass).first.map(retained)
}

/// Returns all tags of a class that a type has, preferred tag first; `nil` if it has none.
public func UTTypeCopyAllTagsWithClass(_ inUTI: CFString, _ inTagClass: CFString) -> Unmanaged<CFArray>? {
  let tags = tags(inUTI, inTagClass)
  return tags.isEmpty ? nil : retained(tags)
}

/// Returns whether two identifiers name the same type; the case of the identifiers does not matter.
public func UTTypeEqual(_ inUTI1: CFString, _ inUTI2: CFString) -> Bool {
  type(inUTI1) == type(inUTI2)
}

/// Returns whether a type equals another type or conforms to it.
public func UTTypeConformsTo(_ inUTI: CFString, _ inConformsToUTI: CFString) -> Bool {
  type(inUTI).conforms(to: type(inConformsToUTI))
}

/// Returns the display name of a type or of its nearest supertype with a name; `nil` if there is none.
public func UTTypeCopyDescription(_ inUTI: CFString) -> Unmanaged<CFString>? {
  type(inUTI).localizedDescription.map(retained)
}

/// Returns whether the system or this process has declared a type.
public func UTTypeIsDeclared(_ inUTI: CFString) -> Bool { type(inUTI).isDeclared }

/// Returns whether an identifier is dynamic.
public func UTTypeIsDynamic(_ inUTI: CFString) -> Bool { type(inUTI).isDynamic }

private func text(_ string: CFString) -> String { String._unconditionallyBridgeFromObjectiveC(string) }

/// Returns the type with an identifier, declared or not.
private func type(_ identifier: CFString) -> UTType { UTType(named: text(identifier)) }

private func type(_ tag: CFString, _ tagClass: CFString, _ parent: CFString?) -> UTType? {
  UTType(
    tag: text(tag), tagClass: UTTagClass(rawValue: text(tagClass)),
    conformingTo: parent.map { type($0) })
}

private func tags(_ identifier: CFString, _ tagClass: CFString) -> [String] {
  type(identifier).tags[UTTagClass(rawValue: text(tagClass)), default: []]
}

private func retained(_ text: String) -> Unmanaged<CFString> { .passRetained(text._bridgeToObjectiveC()) }

private func retained(_ texts: [String]) -> Unmanaged<CFArray> { .passRetained(texts._bridgeToObjectiveC()) }
