// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import UniformTypeIdentifiers.UTType

/// The type constants of Apple's module.
enum TypeConstants {
  static let all: [(name: String, type: UTType)] = [
    ("item", .item), ("content", .content), ("compositeContent", .compositeContent), ("diskImage", .diskImage),
    ("data", .data), ("directory", .directory), ("resolvable", .resolvable), ("symbolicLink", .symbolicLink),
    ("executable", .executable), ("mountPoint", .mountPoint), ("aliasFile", .aliasFile),
    ("urlBookmarkData", .urlBookmarkData), ("url", .url), ("fileURL", .fileURL), ("text", .text),
    ("plainText", .plainText), ("utf8PlainText", .utf8PlainText), ("utf16ExternalPlainText", .utf16ExternalPlainText),
    ("utf16PlainText", .utf16PlainText), ("delimitedText", .delimitedText), ("commaSeparatedText", .commaSeparatedText),
    ("tabSeparatedText", .tabSeparatedText), ("utf8TabSeparatedText", .utf8TabSeparatedText), ("rtf", .rtf),
    ("html", .html), ("xml", .xml), ("yaml", .yaml), ("sourceCode", .sourceCode),
    ("assemblyLanguageSource", .assemblyLanguageSource), ("cSource", .cSource), ("objectiveCSource", .objectiveCSource),
    ("swiftSource", .swiftSource), ("cPlusPlusSource", .cPlusPlusSource),
    ("objectiveCPlusPlusSource", .objectiveCPlusPlusSource), ("cHeader", .cHeader),
    ("cPlusPlusHeader", .cPlusPlusHeader), ("script", .script), ("appleScript", .appleScript),
    ("osaScript", .osaScript), ("osaScriptBundle", .osaScriptBundle), ("javaScript", .javaScript),
    ("shellScript", .shellScript), ("perlScript", .perlScript), ("pythonScript", .pythonScript),
    ("rubyScript", .rubyScript), ("phpScript", .phpScript), ("makefile", .makefile), ("json", .json),
    ("propertyList", .propertyList), ("xmlPropertyList", .xmlPropertyList), ("binaryPropertyList", .binaryPropertyList),
    ("pdf", .pdf), ("rtfd", .rtfd), ("flatRTFD", .flatRTFD), ("webArchive", .webArchive), ("image", .image),
    ("jpeg", .jpeg), ("tiff", .tiff), ("gif", .gif), ("png", .png), ("icns", .icns), ("bmp", .bmp), ("ico", .ico),
    ("rawImage", .rawImage), ("svg", .svg), ("livePhoto", .livePhoto), ("heif", .heif), ("heic", .heic),
    ("webP", .webP), ("threeDContent", .threeDContent), ("usd", .usd), ("usdz", .usdz), ("realityFile", .realityFile),
    ("sceneKitScene", .sceneKitScene), ("arReferenceObject", .arReferenceObject),
    ("audiovisualContent", .audiovisualContent), ("movie", .movie), ("video", .video), ("audio", .audio),
    ("quickTimeMovie", .quickTimeMovie), ("mpeg", .mpeg), ("mpeg2Video", .mpeg2Video),
    ("mpeg2TransportStream", .mpeg2TransportStream), ("mp3", .mp3), ("mpeg4Movie", .mpeg4Movie),
    ("mpeg4Audio", .mpeg4Audio), ("appleProtectedMPEG4Audio", .appleProtectedMPEG4Audio),
    ("appleProtectedMPEG4Video", .appleProtectedMPEG4Video), ("avi", .avi), ("aiff", .aiff), ("wav", .wav),
    ("midi", .midi), ("playlist", .playlist), ("m3uPlaylist", .m3uPlaylist), ("folder", .folder), ("volume", .volume),
    ("package", .package), ("bundle", .bundle), ("pluginBundle", .pluginBundle),
    ("spotlightImporter", .spotlightImporter), ("quickLookGenerator", .quickLookGenerator), ("xpcService", .xpcService),
    ("framework", .framework), ("application", .application), ("applicationBundle", .applicationBundle),
    ("applicationExtension", .applicationExtension), ("unixExecutable", .unixExecutable), ("exe", .exe),
    ("systemPreferencesPane", .systemPreferencesPane), ("archive", .archive), ("gzip", .gzip), ("bz2", .bz2),
    ("zip", .zip), ("appleArchive", .appleArchive), ("spreadsheet", .spreadsheet), ("presentation", .presentation),
    ("database", .database), ("message", .message), ("contact", .contact), ("vCard", .vCard), ("toDoItem", .toDoItem),
    ("calendarEvent", .calendarEvent), ("emailMessage", .emailMessage), ("internetLocation", .internetLocation),
    ("internetShortcut", .internetShortcut), ("font", .font), ("bookmark", .bookmark), ("pkcs12", .pkcs12),
    ("x509Certificate", .x509Certificate), ("epub", .epub), ("log", .log), ("css", .css), ("heics", .heics),
    ("exr", .exr), ("dng", .dng), ("jpegxl", .jpegxl), ("tarArchive", .tarArchive), ("ahap", .ahap),
    ("geoJSON", .geoJSON), ("linkPresentationMetadata", .linkPresentationMetadata),
  ]
}
