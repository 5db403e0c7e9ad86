// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import CoreServices
import UniformTypeIdentifiers

/// The members of UniformTypeIdentifiers, each used as in a program for Apple's systems.
///
/// Members that it adds to `NSItemProvider` are listed with that class.
enum TypeMembers {
  static var all: [Member] {
    var list = MemberList()
    addType(to: &list)
    addTypeBasics(to: &list)
    addTagClass(to: &list)
    addReference(to: &list)
    addPaths(to: &list)
    addFunctions(to: &list)
    list.of("UTType's constants")
    for (name, type) in TypeConstants.all {
      list.has(name) { type.isDeclared && UTType(type.identifier) == type }
    }
    return list.members
  }

  private static func addType(to list: inout MemberList) {
    list.of("UTType")
    list.has("init(_:)") { UTType("public.png") == .png && UTType("org.example.nobody") == nil }
    list.has("init(filenameExtension:conformingTo:)") {
      UTType(filenameExtension: "png") == .png
        && UTType(filenameExtension: "png", conformingTo: .text)?.isDynamic == true
    }
    list.has("init(mimeType:conformingTo:)") { UTType(mimeType: "image/png", conformingTo: .image) == .png }
    // Another test in this process may declare image types, but hardly Apple's icon types.
    list.has("init(tag:tagClass:conformingTo:)") {
      UTType(tag: "icns", tagClass: .filenameExtension, conformingTo: nil) == .icns
    }
    list.has("types(tag:tagClass:conformingTo:)") {
      UTType.types(tag: "icns", tagClass: .filenameExtension, conformingTo: .image) == [.icns]
    }
    list.has("init(exportedAs:conformingTo:)") {
      UTType(exportedAs: "org.example.members.ballad", conformingTo: .text).conforms(to: .text)
    }
    list.has("init(importedAs:conformingTo:)") { UTType(importedAs: "org.example.members.elegy").conforms(to: .data) }
    list.has("identifier") { UTType.png.identifier == "public.png" }
    list.has("preferredFilenameExtension", "preferredMIMEType", "tags") {
      UTType.jpeg.preferredFilenameExtension == "jpeg" && UTType.jpeg.preferredMIMEType == "image/jpeg"
        && UTType.jpeg.tags[.filenameExtension]?.contains("jpg") == true
    }
    list.differs("localizedDescription", "Always in English.") {
      UTType.png.localizedDescription != nil
    }
    list.has("version", "referenceURL") { UTType.png.version == nil && UTType.png.referenceURL?.host != "" }
    list.has("isDynamic", "isDeclared", "isPublic") {
      UTType.png.isPublic && UTType.png.isDeclared && UTType(filenameExtension: "nobody-knows")?.isDynamic == true
    }
    list.has("conforms(to:)", "isSubtype(of:)", "isSupertype(of:)", "supertypes") {
      UTType.png.conforms(to: .png) && UTType.png.isSubtype(of: .image) && UTType.image.isSupertype(of: .png)
        && UTType.png.supertypes.contains(.data)
    }
  }

  private static func addTypeBasics(to list: inout MemberList) {
    list.has("==", "hash(into:)") { Set([UTType.png, UTType("public.png")]).count == 1 }
    list.has("description", "debugDescription") {
      UTType.png.description == "public.png" && UTType.png.debugDescription.contains("public.png")
    }
    list.has("init(from:)", "encode(to:)") {
      try JSONDecoder().decode([UTType].self, from: JSONEncoder().encode([UTType.png])) == [.png]
    }
    list.has("ReferenceType") {
      let object: Any = UTType.png._bridgeToObjectiveC()
      return UTType.ReferenceType.self == UTTypeReference.self
        && (object as? UTTypeReference)?.identifier == "public.png"
    }
  }

  private static func addFunctions(to list: inout MemberList) {
    list.of("CoreServices and MobileCoreServices")
    list.has("UTTypeConformsTo", "UTTypeEqual", "UTTypeIsDeclared", "UTTypeIsDynamic", "kUTType…") {
      UTTypeConformsTo(kUTTypePNG, kUTTypeImage) && UTTypeEqual(kUTTypePNG, "PUBLIC.PNG" as CFString)
        && UTTypeIsDeclared(kUTTypePNG) && !UTTypeIsDynamic(kUTTypePNG)
    }
    list.has(
      "UTTypeCreatePreferredIdentifierForTag", "UTTypeCreateAllIdentifiersForTag", "UTTypeCopyPreferredTagWithClass",
      "UTTypeCopyAllTagsWithClass", "kUTTagClass…"
    ) {
      let type = UTTypeCreatePreferredIdentifierForTag(kUTTagClassFilenameExtension, "icns" as CFString, nil)
      let types = UTTypeCreateAllIdentifiersForTag(kUTTagClassFilenameExtension, "icns" as CFString, nil)
      let tag = UTTypeCopyPreferredTagWithClass(kUTTypeAppleICNS, kUTTagClassFilenameExtension)
      let tags = UTTypeCopyAllTagsWithClass(kUTTypeAppleICNS, kUTTagClassFilenameExtension)
      return type?.takeRetainedValue() == kUTTypeAppleICNS && types?.takeRetainedValue() as? [String] != nil
        && tag?.takeRetainedValue() as String? == "icns" && tags?.takeRetainedValue() as? [String] == ["icns"]
    }
    list.differs("UTTypeCopyDescription", "Always in English.") {
      UTTypeCopyDescription(kUTTypePNG)?.takeRetainedValue() as String? == "PNG image"
    }
    list.differs(
      "UTTypeCopyDeclaration", "It is the declaration of this process: direct supertypes by name, and all tags."
    ) {
      let declaration = UTTypeCopyDeclaration(kUTTypeAppleICNS)?.takeRetainedValue() as? [CFString: Any]
      let tags = declaration?[kUTTypeTagSpecificationKey] as? [String: Any]
      return declaration?[kUTTypeIdentifierKey] as? String == "com.apple.icns"
        && declaration?[kUTTypeConformsToKey] as? [String] == ["public.image"]
        && tags?["public.filename-extension"] as? [String] == ["icns"]
    }
    list.differs("UTTypeCopyDeclaringBundleURL", "It returns `nil`, because types do not come from bundles here.") {
      UTTypeCopyDeclaringBundleURL(kUTTypePNG)?.takeRetainedValue() as URL? == nil
    }
  }

  private static func addTagClass(to list: inout MemberList) {
    list.of("UTTagClass")
    list.has("init(rawValue:)", "rawValue", "filenameExtension", "mimeType", "==", "hash(into:)") {
      UTTagClass(rawValue: "public.mime-type") == .mimeType
        && UTTagClass.filenameExtension.rawValue == "public.filename-extension"
        && Set([UTTagClass.mimeType, .mimeType]).count == 1
    }
    list.has("description", "debugDescription") {
      UTTagClass.mimeType.description == "public.mime-type" && !UTTagClass.mimeType.debugDescription.isEmpty
    }
    list.has("init(from:)", "encode(to:)") {
      try JSONDecoder().decode([UTTagClass].self, from: Data(#"["public.mime-type"]"#.utf8)) == [.mimeType]
        && String(decoding: JSONEncoder().encode([UTTagClass.mimeType]), as: UTF8.self) == #"["public.mime-type"]"#
    }
  }

  private static func addReference(to list: inout MemberList) {
    list.of("UTTypeReference")
    list.has("init(_:)") {
      UTTypeReference("public.png")?.identifier == "public.png" && UTTypeReference("no such type") == nil
        && Set([UTTypeReference("public.png"), UTTypeReference(.png)]).count == 1
    }
    list.has("init(filenameExtension:)", "init(filenameExtension:conformingTo:)") {
      UTTypeReference(filenameExtension: "png") == UTTypeReference(filenameExtension: "png", conformingTo: .image)
    }
    list.has("init(mimeType:)", "init(mimeType:conformingTo:)") {
      UTTypeReference(mimeType: "image/png") == UTTypeReference(mimeType: "image/png", conformingTo: .image)
    }
    list.has("init(tag:tagClass:conformingTo:)", "types(tag:tagClass:conformingTo:)") {
      let tagClass = UTTagClass.filenameExtension.rawValue
      return UTTypeReference(tag: "icns", tagClass: tagClass, conformingTo: nil)?.type == .icns
        && UTTypeReference.types(tag: "icns", tagClass: tagClass, conformingTo: nil) == [.icns]
    }
    list.has(
      "init(exportedAs:)", "init(exportedAs:conformingTo:)", "init(importedAs:)", "init(importedAs:conformingTo:)"
    ) {
      UTTypeReference(exportedAs: "org.example.members.hymn", conformingTo: .text).conforms(to: .text)
        && UTTypeReference(importedAs: "org.example.members.psalm", conformingTo: .text).conforms(to: .text)
        && UTTypeReference(exportedAs: "org.example.members.hymn").identifier == "org.example.members.hymn"
        && UTTypeReference(importedAs: "org.example.members.psalm").identifier == "org.example.members.psalm"
    }
    list.has("identifier", "preferredFilenameExtension", "preferredMIMEType", "tags", "version", "referenceURL") {
      guard let png = UTTypeReference("public.png") else { return false }
      return png.preferredFilenameExtension == "png" && png.preferredMIMEType == "image/png"
        && png.tags["public.mime-type"] == ["image/png"] && png.version == nil
        && png.referenceURL == UTType.png.referenceURL
    }
    list.differs("localizedDescription", "Always in English.") {
      UTTypeReference("public.png")?.localizedDescription == UTType.png.localizedDescription
    }
    list.has("isDynamic", "isDeclared", "isPublic") {
      guard let png = UTTypeReference("public.png") else { return false }
      return png.isPublic && png.isDeclared && !png.isDynamic
    }
    list.has("conforms(to:)", "isSubtype(of:)", "isSupertype(of:)", "supertypes") {
      guard let png = UTTypeReference("public.png"), let image = UTTypeReference("public.image") else { return false }
      return png.conforms(to: .image) && png.isSubtype(of: .image) && image.isSupertype(of: .png)
        && png.supertypes.contains(.image)
    }
    list.has("copy(with:)", "init(coder:)", "encode(with:)", "supportsSecureCoding") {
      try [UTTypeReference(.png), UTTypeReference(importedAs: "org.example.nobody-declared")].allSatisfy { type in
        let archive = try NSKeyedArchiver.archivedData(withRootObject: type, requiringSecureCoding: true)
        let again = try NSKeyedUnarchiver.unarchivedObject(ofClass: UTTypeReference.self, from: archive)
        return UTTypeReference.supportsSecureCoding && again == type && (type.copy() as? UTTypeReference) == type
      }
    }
  }

  private static func addPaths(to list: inout MemberList) {
    list.of("URL")
    list.has("appendingPathComponent(_:conformingTo:)", "appendPathComponent(_:conformingTo:)") {
      var url = URL(fileURLWithPath: "/sagas/", isDirectory: true)
      let appended = url.appendingPathComponent("ode", conformingTo: .png)
      url.appendPathComponent("ode.jpg", conformingTo: .image)
      return appended.path == "/sagas/ode.png" && url.path == "/sagas/ode.jpg"
    }
    list.has("appendingPathExtension(for:)", "appendPathExtension(for:)") {
      var url = URL(fileURLWithPath: "/sagas/ode")
      let appended = url.appendingPathExtension(for: .png)
      url.appendPathExtension(for: .jpeg)
      return appended.path == "/sagas/ode.png" && url.path == "/sagas/ode.jpeg"
    }
    list.of("NSURL")
    list.has("appendingPathComponent(_:conformingTo:)", "appendingPathExtension(for:)") {
      NSURL(fileURLWithPath: "/sagas").appendingPathComponent("ode", conformingTo: .png).path == "/sagas/ode.png"
        && NSURL(fileURLWithPath: "/sagas/ode").appendingPathExtension(for: .png).path == "/sagas/ode.png"
    }
    list.of("NSString")
    list.has("appendingPathComponent(_:conformingTo:)", "appendingPathExtension(for:)") {
      let sagas: NSString = "/sagas"
      let ode: NSString = "/sagas/ode.jpg/"
      return sagas.appendingPathComponent("ode", conformingTo: .png) == "/sagas/ode.png"
        && ode.appendingPathExtension(for: .plainText) == "/sagas/ode.jpg.txt"
        && ode.appendingPathExtension(for: .image) == "/sagas/ode.jpg/"
    }
    list.of("URLResourceValues")
    list.lacks(
      "contentType",
      "Foundation cannot be extended with it: use `contentType(by:)` of the URL, which also reads the file.")
    list.of("URLResourceKey")
    list.lacks("contentTypeKey", "It has no use without the member of `URLResourceValues`.")
  }
}
