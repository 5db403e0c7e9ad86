// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import CoreServices
import TestSupport
import Testing
import UniformTypes

/// The names of uniform types in Core Services, which preceded `UTType`.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct MobileCoreServicesTests {
  @Test func constantsNameTheTypesOfTheirSuccessors() {
    let pairs: [(CFString, UTType)] = [
      (kUTTypeItem, .item), (kUTTypeContent, .content), (kUTTypeData, .data), (kUTTypeDirectory, .directory),
      (kUTTypeFolder, .folder), (kUTTypeURL, .url), (kUTTypeFileURL, .fileURL), (kUTTypeText, .text),
      (kUTTypePlainText, .plainText), (kUTTypeUTF8PlainText, .utf8PlainText), (kUTTypeRTF, .rtf), (kUTTypeHTML, .html),
      (kUTTypeXML, .xml), (kUTTypeJSON, .json), (kUTTypePropertyList, .propertyList), (kUTTypePDF, .pdf),
      (kUTTypeImage, .image), (kUTTypeJPEG, .jpeg), (kUTTypePNG, .png), (kUTTypeGIF, .gif), (kUTTypeTIFF, .tiff),
      (kUTTypeBMP, .bmp), (kUTTypeICO, .ico), (kUTTypeScalableVectorGraphics, .svg), (kUTTypeLivePhoto, .livePhoto),
      (kUTTypeAudiovisualContent, .audiovisualContent), (kUTTypeMovie, .movie), (kUTTypeVideo, .video),
      (kUTTypeAudio, .audio), (kUTTypeMPEG4, .mpeg4Movie), (kUTTypeMPEG4Audio, .mpeg4Audio), (kUTTypeMP3, .mp3),
      (kUTTypeQuickTimeMovie, .quickTimeMovie), (kUTTypeArchive, .archive), (kUTTypeZipArchive, .zip),
      (kUTTypeGNUZipArchive, .gzip), (kUTTypeBzip2Archive, .bz2), (kUTTypeVCard, .vCard), (kUTTypeContact, .contact),
      (kUTTypeEmailMessage, .emailMessage), (kUTTypeCalendarEvent, .calendarEvent), (kUTTypeFont, .font),
      (kUTTypeElectronicPublication, .epub), (kUTTypeApplication, .application), (kUTTypeBundle, .bundle),
      (kUTTypeSwiftSource, .swiftSource), (kUTTypeWaveformAudio, .wav), (kUTTypeAVIMovie, .avi),
      (kUTTypeX509Certificate, .x509Certificate), (kUTTypePKCS12, .pkcs12), (kUTType3DContent, .threeDContent),
      (kUTTypeLog, .log), (kUTTypeSymLink, .symbolicLink), (kUTTypeUnixExecutable, .unixExecutable),
    ]
    for (name, type) in pairs { #expect(name as String == type.identifier) }
  }

  @Test func constantsAreDeclaredTypes() {
    let undeclared = Self.constants.filter { !UTTypeIsDeclared($0) }
    #expect(undeclared.map { $0 as String } == [])
    #expect(Set(Self.constants.map { $0 as String }).count == Self.constants.count)
  }

  @Test func tagsLeadToIdentifiersAndBack() throws {
    let png = UTTypeCreatePreferredIdentifierForTag(kUTTagClassFilenameExtension, "png", nil)
    #expect(png?.takeRetainedValue() as String? == "public.png")
    let jpeg = UTTypeCreatePreferredIdentifierForTag(kUTTagClassMIMEType, "image/jpeg", kUTTypeImage)
    #expect(jpeg?.takeRetainedValue() as String? == "public.jpeg")
    let unknown = try #require(UTTypeCreatePreferredIdentifierForTag(kUTTagClassFilenameExtension, "edda-x", nil))
    let dynamic = unknown.takeRetainedValue()
    #expect(UTTypeIsDynamic(dynamic) && !UTTypeIsDeclared(dynamic))
    let tag = UTTypeCopyPreferredTagWithClass(dynamic, kUTTagClassFilenameExtension)
    #expect(tag?.takeRetainedValue() as String? == "edda-x")
    #expect(UTTypeCopyPreferredTagWithClass(kUTTypeImage, kUTTagClassFilenameExtension) == nil)
    #expect(UTTypeCopyAllTagsWithClass(kUTTypeImage, kUTTagClassFilenameExtension) == nil)
    let extensions = UTTypeCopyAllTagsWithClass(kUTTypeJPEG, kUTTagClassFilenameExtension)?.takeRetainedValue()
    #expect((extensions as? [String])?.contains("jpg") == true)
    let all = UTTypeCreateAllIdentifiersForTag(kUTTagClassFilenameExtension, "png", nil)?.takeRetainedValue()
    #expect((all as? [String])?.first == "public.png")
  }

  @Test func identifiersCompareAndConformAsTypes() {
    #expect(UTTypeEqual("public.png", "PUBLIC.PNG"))
    #expect(!UTTypeEqual(kUTTypePNG, kUTTypeJPEG))
    #expect(UTTypeConformsTo(kUTTypePNG, kUTTypeImage))
    #expect(!UTTypeConformsTo(kUTTypeImage, kUTTypePNG))
    #expect(UTTypeConformsTo("org.example.unknown", "org.example.unknown"))
    #expect(UTTypeCopyDescription(kUTTypePNG)?.takeRetainedValue() as String? == "PNG image")
    #expect(UTTypeCopyDescription("org.example.unknown") == nil)
  }

  @Test func declarationsHaveWhatTheRegistryKnows() throws {
    let saga = TypeDeclaration(
      "org.example.core-services.saga", conformsTo: ["public.plain-text"], tags: [.filenameExtension: ["csaga"]],
      localizedDescription: "Saga", referenceURL: URL(string: "https://example.org/saga"), version: 3)
    #expect(TypeRegistry.shared.declare([saga]) == [])
    let found = UTTypeCopyDeclaration("org.example.core-services.saga")?.takeRetainedValue() as? [String: Any]
    let declaration = try #require(found)
    #expect(declaration["UTTypeConformsTo"] as? [String] == ["public.plain-text"])
    #expect(declaration["UTTypeTagSpecification"] as? [String: [String]] == ["public.filename-extension": ["csaga"]])
    let texts = [kUTTypeIdentifierKey, kUTTypeDescriptionKey, kUTTypeReferenceURLKey].map {
      declaration[$0 as String] as? String
    }
    #expect(texts == ["org.example.core-services.saga", "Saga", "https://example.org/saga"])
    #expect(declaration[kUTTypeVersionKey as String] as? Int == 3)
    for undeclared in ["org.example.unknown", "dyn.age80c7p0", ""] as [CFString] {
      #expect(UTTypeCopyDeclaration(undeclared) == nil)
    }
    #expect(UTTypeCopyDeclaringBundleURL(kUTTypePNG) == nil)
  }

  private static var constants: [CFString] {
    [
      kUTTypeItem, kUTTypeContent, kUTTypeCompositeContent, kUTTypeMessage,
      kUTTypeContact, kUTTypeArchive, kUTTypeDiskImage, kUTTypeData,
      kUTTypeDirectory, kUTTypeResolvable, kUTTypeSymLink, kUTTypeExecutable,
      kUTTypeMountPoint, kUTTypeAliasFile, kUTTypeAliasRecord, kUTTypeURLBookmarkData,
      kUTTypeURL, kUTTypeFileURL, kUTTypeText, kUTTypePlainText,
      kUTTypeUTF8PlainText, kUTTypeUTF16ExternalPlainText, kUTTypeUTF16PlainText, kUTTypeDelimitedText,
      kUTTypeCommaSeparatedText, kUTTypeTabSeparatedText, kUTTypeUTF8TabSeparatedText, kUTTypeRTF,
      kUTTypeHTML, kUTTypeXML, kUTTypeSourceCode, kUTTypeAssemblyLanguageSource,
      kUTTypeCSource, kUTTypeObjectiveCSource, kUTTypeSwiftSource, kUTTypeCPlusPlusSource,
      kUTTypeObjectiveCPlusPlusSource, kUTTypeCHeader, kUTTypeCPlusPlusHeader, kUTTypeJavaSource,
      kUTTypeScript, kUTTypeAppleScript, kUTTypeOSAScript, kUTTypeOSAScriptBundle,
      kUTTypeJavaScript, kUTTypeShellScript, kUTTypePerlScript, kUTTypePythonScript,
      kUTTypeRubyScript, kUTTypePHPScript, kUTTypeJSON, kUTTypePropertyList,
      kUTTypeXMLPropertyList, kUTTypeBinaryPropertyList, kUTTypePDF, kUTTypeRTFD,
      kUTTypeFlatRTFD, kUTTypeTXNTextAndMultimediaData, kUTTypeWebArchive, kUTTypeImage,
      kUTTypeJPEG, kUTTypeJPEG2000, kUTTypeTIFF, kUTTypePICT,
      kUTTypeGIF, kUTTypePNG, kUTTypeQuickTimeImage, kUTTypeAppleICNS,
      kUTTypeBMP, kUTTypeICO, kUTTypeRawImage, kUTTypeScalableVectorGraphics,
      kUTTypeLivePhoto, kUTTypeAudiovisualContent, kUTTypeMovie, kUTTypeVideo,
      kUTTypeAudio, kUTTypeQuickTimeMovie, kUTTypeMPEG, kUTTypeMPEG2Video,
      kUTTypeMPEG2TransportStream, kUTTypeMP3, kUTTypeMPEG4, kUTTypeMPEG4Audio,
      kUTTypeAppleProtectedMPEG4Audio, kUTTypeAppleProtectedMPEG4Video, kUTTypeAVIMovie,
      kUTTypeAudioInterchangeFileFormat,
      kUTTypeWaveformAudio, kUTTypeMIDIAudio, kUTTypePlaylist, kUTTypeM3UPlaylist,
      kUTTypeFolder, kUTTypeVolume, kUTTypePackage, kUTTypeBundle,
      kUTTypePluginBundle, kUTTypeSpotlightImporter, kUTTypeQuickLookGenerator, kUTTypeXPCService,
      kUTTypeFramework, kUTTypeApplication, kUTTypeApplicationBundle, kUTTypeApplicationFile,
      kUTTypeUnixExecutable, kUTTypeWindowsExecutable, kUTTypeJavaClass, kUTTypeJavaArchive,
      kUTTypeSystemPreferencesPane, kUTTypeGNUZipArchive, kUTTypeBzip2Archive, kUTTypeZipArchive,
      kUTTypeSpreadsheet, kUTTypePresentation, kUTTypeDatabase, kUTTypeVCard,
      kUTTypeToDoItem, kUTTypeCalendarEvent, kUTTypeEmailMessage, kUTTypeInternetLocation,
      kUTTypeInkText, kUTTypeFont, kUTTypeBookmark, kUTType3DContent,
      kUTTypePKCS12, kUTTypeX509Certificate, kUTTypeElectronicPublication, kUTTypeLog,
    ]
  }
}
