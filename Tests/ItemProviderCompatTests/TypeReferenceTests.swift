// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import ItemProviderCompat
import TestSupport
import Testing
import UniformTypes

/// Uniform types as objects of a class.
@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct TypeReferenceTests {
  @Test func membersMatchType() throws {
    let png = try #require(UTTypeReference("public.png"))
    #expect(png.type == .png)
    #expect(png.identifier == "public.png")
    #expect(png.preferredFilenameExtension == "png")
    #expect(png.preferredMIMEType == "image/png")
    #expect(png.tags["public.filename-extension"] == ["png"])
    #expect(png.conforms(to: .image))
    #expect(png.isSubtype(of: .image))
    #expect(UTTypeReference(.image).isSupertype(of: .png))
    #expect(png.supertypes.contains(.data))
    #expect(png.isDeclared && png.isPublic && !png.isDynamic)
    #expect(png == UTTypeReference(filenameExtension: "png"))
    #expect(png == UTTypeReference(mimeType: "image/png", conformingTo: .image))
    #expect(png == UTTypeReference(tag: "png", tagClass: "public.filename-extension", conformingTo: nil))
    #expect(UTTypeReference.types(tag: "png", tagClass: "public.filename-extension", conformingTo: nil).contains(.png))
    #expect(UTTypeReference("no such type") == nil)
    #expect(Set([png, UTTypeReference(.png)]).count == 1)
  }

  @Test func archiveKeepsUndeclaredType() throws {
    for type in [UTTypeReference(.png), UTTypeReference(importedAs: "org.example.nobody-declared")] {
      let data = try NSKeyedArchiver.archivedData(withRootObject: type, requiringSecureCoding: true)
      #expect(try NSKeyedUnarchiver.unarchivedObject(ofClass: UTTypeReference.self, from: data) == type)
      #expect(type.copy() as? UTTypeReference == type)
    }
  }
}
