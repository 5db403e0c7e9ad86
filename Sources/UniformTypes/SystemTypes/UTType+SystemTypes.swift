// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0
// Written by .ci/system-types.swift; changes here are lost.
// swift-format-ignore-file

extension UTType {
  /// A document in the Portable Document Format.
  public static var pdf: UTType { UTType(system: "com.adobe.pdf", index: 7) }

  /// A raw camera image in Adobe's Digital Negative format.
  public static var dng: UTType { UTType(system: "com.adobe.raw-image", index: 15) }

  /// An alias file of the Finder, which refers to another item.
  public static var aliasFile: UTType { UTType(system: "com.apple.alias-file", index: 31) }

  /// A compiled script of the Open Scripting Architecture.
  public static var osaScript: UTType { UTType(system: "com.apple.applescript.script", index: 34) }

  /// A compiled script of the Open Scripting Architecture, with its resources, in a bundle.
  public static var osaScriptBundle: UTType { UTType(system: "com.apple.applescript.script-bundle", index: 35) }

  /// The source text of an AppleScript.
  public static var appleScript: UTType { UTType(system: "com.apple.applescript.text", index: 36) }

  /// An application in any format.
  public static var application: UTType { UTType(system: "com.apple.application", index: 38) }

  /// A bundle that extends an application or the system.
  public static var applicationExtension: UTType { UTType(system: "com.apple.application-and-system-extension", index: 39) }

  /// An application as a bundle.
  public static var applicationBundle: UTType { UTType(system: "com.apple.application-bundle", index: 40) }

  /// An archive in Apple's own format.
  public static var appleArchive: UTType { UTType(system: "com.apple.archive", index: 44) }

  /// A scanned object that augmented reality can recognize.
  public static var arReferenceObject: UTType { UTType(system: "com.apple.arobject", index: 45) }

  /// A property list in its binary format.
  public static var binaryPropertyList: UTType { UTType(system: "com.apple.binary-property-list", index: 49) }

  /// Bookmark data, which resolve to a file even after it was moved.
  public static var urlBookmarkData: UTType { UTType(system: "com.apple.bookmark", index: 54) }

  /// A directory of code and resources with a defined structure.
  public static var bundle: UTType { UTType(system: "com.apple.bundle", index: 55) }

  /// A document in Rich Text Format with its attachments, as a single file.
  public static var flatRTFD: UTType { UTType(system: "com.apple.flat-rtfd", index: 116) }

  /// A bundle of shared code.
  public static var framework: UTType { UTType(system: "com.apple.framework", index: 118) }

  /// A pattern of haptic feedback.
  public static var ahap: UTType { UTType(system: "com.apple.haptics.ahap", index: 131) }

  /// An icon file in the format of macOS.
  public static var icns: UTType { UTType(system: "com.apple.icns", index: 160) }

  /// A file that contains a web address.
  public static var internetLocation: UTType { UTType(system: "com.apple.internet-location", index: 238) }

  /// The title, icon and image for displaying a link.
  public static var linkPresentationMetadata: UTType { UTType(system: "com.apple.linkpresentation.metadata", index: 313) }

  /// A photo with the seconds of video around it.
  public static var livePhoto: UTType { UTType(system: "com.apple.live-photo", index: 314) }

  /// A bundle with which Spotlight reads the files of a type.
  public static var spotlightImporter: UTType { UTType(system: "com.apple.metadata-importer", index: 439) }

  /// The mount point of a volume.
  public static var mountPoint: UTType { UTType(system: "com.apple.mount-point", index: 443) }

  /// A directory that the system presents as a file.
  public static var package: UTType { UTType(system: "com.apple.package", index: 453) }

  /// A bundle that an application loads.
  public static var pluginBundle: UTType { UTType(system: "com.apple.plugin", index: 465) }

  /// A property list in any of its formats.
  public static var propertyList: UTType { UTType(system: "com.apple.property-list", index: 482) }

  /// Audio in an MPEG-4 container, protected by Apple.
  public static var appleProtectedMPEG4Audio: UTType { UTType(system: "com.apple.protected-mpeg-4-audio", index: 483) }

  /// A movie in an MPEG-4 container, protected by Apple.
  public static var appleProtectedMPEG4Video: UTType { UTType(system: "com.apple.protected-mpeg-4-video", index: 485) }

  /// A bundle with which Quick Look displays the files of a type.
  public static var quickLookGenerator: UTType { UTType(system: "com.apple.quicklook-generator", index: 489) }

  /// A movie in a QuickTime container.
  public static var quickTimeMovie: UTType { UTType(system: "com.apple.quicktime-movie", index: 492) }

  /// A scene for Reality Composer.
  public static var realityFile: UTType { UTType(system: "com.apple.reality", index: 493) }

  /// An item that resolves to another item, such as a symbolic link.
  public static var resolvable: UTType { UTType(system: "com.apple.resolvable", index: 494) }

  /// A document in Rich Text Format with its attachments, as a package.
  public static var rtfd: UTType { UTType(system: "com.apple.rtfd", index: 496) }

  /// A scene for SceneKit.
  public static var sceneKitScene: UTType { UTType(system: "com.apple.scenekit.scene", index: 498) }

  /// A bundle that adds a pane to the system's settings.
  public static var systemPreferencesPane: UTType { UTType(system: "com.apple.systempreference.prefpane", index: 521) }

  /// A web page with its resources, in Safari's format.
  public static var webArchive: UTType { UTType(system: "com.apple.webarchive", index: 545) }

  /// A property list in its XML format.
  public static var xmlPropertyList: UTType { UTType(system: "com.apple.xml-property-list", index: 563) }

  /// A bundle that serves other programs of the same machine.
  public static var xpcService: UTType { UTType(system: "com.apple.xpc-service", index: 564) }

  /// An image in the Graphics Interchange Format.
  public static var gif: UTType { UTType(system: "com.compuserve.gif", index: 576) }

  /// A high dynamic range image in OpenEXR.
  public static var exr: UTType { UTType(system: "com.ilm.openexr-image", index: 584) }

  /// An image in the bitmap format of Windows.
  public static var bmp: UTType { UTType(system: "com.microsoft.bmp", index: 595) }

  /// An icon file in the format of Windows.
  public static var ico: UTType { UTType(system: "com.microsoft.ico", index: 605) }

  /// A file that contains a web address, in the format of Windows.
  public static var internetShortcut: UTType { UTType(system: "com.microsoft.internet-shortcut", index: 606) }

  /// Audio in WAVE format.
  public static var wav: UTType { UTType(system: "com.microsoft.waveform-audio", index: 610) }

  /// A program for Windows.
  public static var exe: UTType { UTType(system: "com.microsoft.windows-executable", index: 612) }

  /// Source code in JavaScript.
  public static var javaScript: UTType { UTType(system: "com.netscape.javascript-source", index: 623) }

  /// A scene in Universal Scene Description.
  public static var usd: UTType { UTType(system: "com.pixar.universal-scene-description", index: 633) }

  /// A scene in Universal Scene Description with its resources, packed into one file.
  public static var usdz: UTType { UTType(system: "com.pixar.universal-scene-description-mobile", index: 634) }

  /// Keys and certificates in PKCS #12 (RFC 7292).
  public static var pkcs12: UTType { UTType(system: "com.rsa.pkcs-12", index: 641) }

  /// Text in Markdown.
  public static var markdown: UTType { UTType(system: "net.daringfireball.markdown", index: 662) }

  /// Data compressed by GNU zip (RFC 1952).
  public static var gzip: UTType { UTType(system: "org.gnu.gnu-zip-archive", index: 667) }

  /// An electronic book in EPUB.
  public static var epub: UTType { UTType(system: "org.idpf.epub-container", index: 669) }

  /// An image in WebP.
  public static var webP: UTType { UTType(system: "org.webmproject.webp", index: 730) }

  /// A three-dimensional model in any format.
  public static var threeDContent: UTType { UTType(system: "public.3d-content", index: 734) }

  /// Audio in the Audio Interchange File Format.
  public static var aiff: UTType { UTType(system: "public.aiff-audio", index: 741) }

  /// An archive of files and folders in any format.
  public static var archive: UTType { UTType(system: "public.archive", index: 791) }

  /// Source code in an assembly language.
  public static var assemblyLanguageSource: UTType { UTType(system: "public.assembly-source", index: 792) }

  /// Audio without video, in any format.
  public static var audio: UTType { UTType(system: "public.audio", index: 794) }

  /// Audio, video, or both.
  public static var audiovisualContent: UTType { UTType(system: "public.audiovisual-content", index: 795) }

  /// A movie in Audio Video Interleave.
  public static var avi: UTType { UTType(system: "public.avi", index: 801) }

  /// A bookmark in any format.
  public static var bookmark: UTType { UTType(system: "public.bookmark", index: 805) }

  /// Data compressed by bzip2.
  public static var bz2: UTType { UTType(system: "public.bzip2-archive", index: 806) }

  /// A header for C.
  public static var cHeader: UTType { UTType(system: "public.c-header", index: 807) }

  /// A header for C++.
  public static var cPlusPlusHeader: UTType { UTType(system: "public.c-plus-plus-header", index: 808) }

  /// Source code in C++.
  public static var cPlusPlusSource: UTType { UTType(system: "public.c-plus-plus-source", index: 810) }

  /// Source code in C.
  public static var cSource: UTType { UTType(system: "public.c-source", index: 812) }

  /// A calendar event.
  public static var calendarEvent: UTType { UTType(system: "public.calendar-event", index: 814) }

  /// A raw camera image in the format of any manufacturer.
  public static var rawImage: UTType { UTType(system: "public.camera-raw-image", index: 815) }

  /// Values separated by commas (RFC 4180).
  public static var commaSeparatedText: UTType { UTType(system: "public.comma-separated-values-text", index: 823) }

  /// A document composed of several kinds of content.
  public static var compositeContent: UTType { UTType(system: "public.composite-content", index: 824) }

  /// The contact information of a person or an organization.
  public static var contact: UTType { UTType(system: "public.contact", index: 826) }

  /// The base type of all document content for people to read, view or listen to.
  public static var content: UTType { UTType(system: "public.content", index: 827) }

  /// A style sheet for documents in HTML or XML.
  public static var css: UTType { UTType(system: "public.css", index: 830) }

  /// The base type of all sequences of bytes.
  public static var data: UTType { UTType(system: "public.data", index: 831) }

  /// A database in any format.
  public static var database: UTType { UTType(system: "public.database", index: 832) }

  /// Values separated by any delimiter, with one record in each line.
  public static var delimitedText: UTType { UTType(system: "public.delimited-values-text", index: 833) }

  /// Any directory, packages included.
  public static var directory: UTType { UTType(system: "public.directory", index: 835) }

  /// An image of a file system.
  public static var diskImage: UTType { UTType(system: "public.disk-image", index: 836) }

  /// An email message.
  public static var emailMessage: UTType { UTType(system: "public.email-message", index: 849) }

  /// Executable code in any format.
  public static var executable: UTType { UTType(system: "public.executable", index: 851) }

  /// The URL of a file on this machine.
  public static var fileURL: UTType { UTType(system: "public.file-url", index: 854) }

  /// A directory that people browse, and not a package.
  public static var folder: UTType { UTType(system: "public.folder", index: 857) }

  /// A typeface, in any format.
  public static var font: UTType { UTType(system: "public.font", index: 858) }

  /// Places and shapes on the Earth, as JSON (RFC 7946).
  public static var geoJSON: UTType { UTType(system: "public.geojson", index: 864) }

  /// An image in a High Efficiency Image File, compressed by HEVC.
  public static var heic: UTType { UTType(system: "public.heic", index: 872) }

  /// A sequence of images in a High Efficiency Image File, compressed by HEVC.
  public static var heics: UTType { UTType(system: "public.heics", index: 873) }

  /// An image in a High Efficiency Image File, compressed by any method.
  public static var heif: UTType { UTType(system: "public.heif", index: 874) }

  /// Hypertext in any version of HTML.
  public static var html: UTType { UTType(system: "public.html", index: 877) }

  /// An image in any format.
  public static var image: UTType { UTType(system: "public.image", index: 878) }

  /// The base type of all items: files, folders, streams of bytes.
  public static var item: UTType { UTType(system: "public.item", index: 880) }

  /// An image compressed by JPEG.
  public static var jpeg: UTType { UTType(system: "public.jpeg", index: 881) }

  /// An image compressed by JPEG XL.
  public static var jpegxl: UTType { UTType(system: "public.jpeg-xl", index: 883) }

  /// A JSON text (RFC 8259).
  public static var json: UTType { UTType(system: "public.json", index: 884) }

  /// A log file.
  public static var log: UTType { UTType(system: "public.log", index: 887) }

  /// A playlist in M3U format.
  public static var m3uPlaylist: UTType { UTType(system: "public.m3u-playlist", index: 888) }

  /// A makefile.
  public static var makefile: UTType { UTType(system: "public.make-source", index: 889) }

  /// A message between people, in any format.
  public static var message: UTType { UTType(system: "public.message", index: 890) }

  /// Music as MIDI notes.
  public static var midi: UTType { UTType(system: "public.midi-audio", index: 891) }

  /// Video with or without sound, in any format.
  public static var movie: UTType { UTType(system: "public.movie", index: 895) }

  /// Audio compressed by MPEG layer 3.
  public static var mp3: UTType { UTType(system: "public.mp3", index: 897) }

  /// A movie in MPEG-1 or MPEG-2.
  public static var mpeg: UTType { UTType(system: "public.mpeg", index: 900) }

  /// A transport stream of MPEG-2.
  public static var mpeg2TransportStream: UTType { UTType(system: "public.mpeg-2-transport-stream", index: 901) }

  /// MPEG-2 video without sound.
  public static var mpeg2Video: UTType { UTType(system: "public.mpeg-2-video", index: 902) }

  /// A movie in an MPEG-4 container.
  public static var mpeg4Movie: UTType { UTType(system: "public.mpeg-4", index: 903) }

  /// Audio in an MPEG-4 container.
  public static var mpeg4Audio: UTType { UTType(system: "public.mpeg-4-audio", index: 904) }

  /// Source code in Objective-C++.
  public static var objectiveCPlusPlusSource: UTType { UTType(system: "public.objective-c-plus-plus-source", index: 910) }

  /// Source code in Objective-C.
  public static var objectiveCSource: UTType { UTType(system: "public.objective-c-source", index: 912) }

  /// Source code in Perl.
  public static var perlScript: UTType { UTType(system: "public.perl-script", index: 922) }

  /// Source code in PHP.
  public static var phpScript: UTType { UTType(system: "public.php-script", index: 923) }

  /// Text without markup, in an unspecified encoding.
  public static var plainText: UTType { UTType(system: "public.plain-text", index: 924) }

  /// A playlist in any format.
  public static var playlist: UTType { UTType(system: "public.playlist", index: 925) }

  /// An image in Portable Network Graphics.
  public static var png: UTType { UTType(system: "public.png", index: 927) }

  /// A presentation in any format.
  public static var presentation: UTType { UTType(system: "public.presentation", index: 931) }

  /// Source code in Python.
  public static var pythonScript: UTType { UTType(system: "public.python-script", index: 935) }

  /// A document in Rich Text Format.
  public static var rtf: UTType { UTType(system: "public.rtf", index: 938) }

  /// Source code in Ruby.
  public static var rubyScript: UTType { UTType(system: "public.ruby-script", index: 939) }

  /// A script in any language.
  public static var script: UTType { UTType(system: "public.script", index: 941) }

  /// A script for a shell of any kind.
  public static var shellScript: UTType { UTType(system: "public.shell-script", index: 942) }

  /// Source code in any language.
  public static var sourceCode: UTType { UTType(system: "public.source-code", index: 944) }

  /// A spreadsheet in any format.
  public static var spreadsheet: UTType { UTType(system: "public.spreadsheet", index: 947) }

  /// An image drawn with Scalable Vector Graphics.
  public static var svg: UTType { UTType(system: "public.svg-image", index: 951) }

  /// Source code in Swift.
  public static var swiftSource: UTType { UTType(system: "public.swift-source", index: 952) }

  /// A symbolic link of the file system.
  public static var symbolicLink: UTType { UTType(system: "public.symlink", index: 953) }

  /// Values separated by tabs, with one record in each line.
  public static var tabSeparatedText: UTType { UTType(system: "public.tab-separated-values-text", index: 954) }

  /// An archive of files and folders in `tar` format.
  public static var tarArchive: UTType { UTType(system: "public.tar-archive", index: 955) }

  /// Text in any encoding, with or without markup.
  public static var text: UTType { UTType(system: "public.text", index: 958) }

  /// An image in the Tagged Image File Format.
  public static var tiff: UTType { UTType(system: "public.tiff", index: 959) }

  /// A to-do item.
  public static var toDoItem: UTType { UTType(system: "public.to-do-item", index: 960) }

  /// A program or script marked as executable.
  public static var unixExecutable: UTType { UTType(system: "public.unix-executable", index: 965) }

  /// A URL as UTF-8 text.
  public static var url: UTType { UTType(system: "public.url", index: 966) }

  /// Text without markup, in UTF-16 with a byte order mark, or else in big-endian order.
  public static var utf16ExternalPlainText: UTType { UTType(system: "public.utf16-external-plain-text", index: 968) }

  /// Text without markup, in UTF-16 in the machine's byte order.
  public static var utf16PlainText: UTType { UTType(system: "public.utf16-plain-text", index: 969) }

  /// Text without markup, in UTF-8.
  public static var utf8PlainText: UTType { UTType(system: "public.utf8-plain-text", index: 970) }

  /// Values separated by tabs, in UTF-8.
  public static var utf8TabSeparatedText: UTType { UTType(system: "public.utf8-tab-separated-values-text", index: 971) }

  /// Contacts in vCard format (RFC 6350).
  public static var vCard: UTType { UTType(system: "public.vcard", index: 973) }

  /// Video without sound, in any format.
  public static var video: UTType { UTType(system: "public.video", index: 974) }

  /// The root folder of a volume.
  public static var volume: UTType { UTType(system: "public.volume", index: 975) }

  /// A certificate in X.509 (RFC 5280).
  public static var x509Certificate: UTType { UTType(system: "public.x509-certificate", index: 976) }

  /// Any XML document.
  public static var xml: UTType { UTType(system: "public.xml", index: 980) }

  /// A YAML document.
  public static var yaml: UTType { UTType(system: "public.yaml", index: 982) }

  /// An archive in the format of PKZIP.
  public static var zip: UTType { UTType(system: "public.zip-archive", index: 984) }
}

extension SystemTypes {
  /// Every constant with its name in Swift.
  static let constants: [(name: String, type: UTType)] = [
    ("pdf", .pdf),
    ("dng", .dng),
    ("aliasFile", .aliasFile),
    ("osaScript", .osaScript),
    ("osaScriptBundle", .osaScriptBundle),
    ("appleScript", .appleScript),
    ("application", .application),
    ("applicationExtension", .applicationExtension),
    ("applicationBundle", .applicationBundle),
    ("appleArchive", .appleArchive),
    ("arReferenceObject", .arReferenceObject),
    ("binaryPropertyList", .binaryPropertyList),
    ("urlBookmarkData", .urlBookmarkData),
    ("bundle", .bundle),
    ("flatRTFD", .flatRTFD),
    ("framework", .framework),
    ("ahap", .ahap),
    ("icns", .icns),
    ("internetLocation", .internetLocation),
    ("linkPresentationMetadata", .linkPresentationMetadata),
    ("livePhoto", .livePhoto),
    ("spotlightImporter", .spotlightImporter),
    ("mountPoint", .mountPoint),
    ("package", .package),
    ("pluginBundle", .pluginBundle),
    ("propertyList", .propertyList),
    ("appleProtectedMPEG4Audio", .appleProtectedMPEG4Audio),
    ("appleProtectedMPEG4Video", .appleProtectedMPEG4Video),
    ("quickLookGenerator", .quickLookGenerator),
    ("quickTimeMovie", .quickTimeMovie),
    ("realityFile", .realityFile),
    ("resolvable", .resolvable),
    ("rtfd", .rtfd),
    ("sceneKitScene", .sceneKitScene),
    ("systemPreferencesPane", .systemPreferencesPane),
    ("webArchive", .webArchive),
    ("xmlPropertyList", .xmlPropertyList),
    ("xpcService", .xpcService),
    ("gif", .gif),
    ("exr", .exr),
    ("bmp", .bmp),
    ("ico", .ico),
    ("internetShortcut", .internetShortcut),
    ("wav", .wav),
    ("exe", .exe),
    ("javaScript", .javaScript),
    ("usd", .usd),
    ("usdz", .usdz),
    ("pkcs12", .pkcs12),
    ("markdown", .markdown),
    ("gzip", .gzip),
    ("epub", .epub),
    ("webP", .webP),
    ("threeDContent", .threeDContent),
    ("aiff", .aiff),
    ("archive", .archive),
    ("assemblyLanguageSource", .assemblyLanguageSource),
    ("audio", .audio),
    ("audiovisualContent", .audiovisualContent),
    ("avi", .avi),
    ("bookmark", .bookmark),
    ("bz2", .bz2),
    ("cHeader", .cHeader),
    ("cPlusPlusHeader", .cPlusPlusHeader),
    ("cPlusPlusSource", .cPlusPlusSource),
    ("cSource", .cSource),
    ("calendarEvent", .calendarEvent),
    ("rawImage", .rawImage),
    ("commaSeparatedText", .commaSeparatedText),
    ("compositeContent", .compositeContent),
    ("contact", .contact),
    ("content", .content),
    ("css", .css),
    ("data", .data),
    ("database", .database),
    ("delimitedText", .delimitedText),
    ("directory", .directory),
    ("diskImage", .diskImage),
    ("emailMessage", .emailMessage),
    ("executable", .executable),
    ("fileURL", .fileURL),
    ("folder", .folder),
    ("font", .font),
    ("geoJSON", .geoJSON),
    ("heic", .heic),
    ("heics", .heics),
    ("heif", .heif),
    ("html", .html),
    ("image", .image),
    ("item", .item),
    ("jpeg", .jpeg),
    ("jpegxl", .jpegxl),
    ("json", .json),
    ("log", .log),
    ("m3uPlaylist", .m3uPlaylist),
    ("makefile", .makefile),
    ("message", .message),
    ("midi", .midi),
    ("movie", .movie),
    ("mp3", .mp3),
    ("mpeg", .mpeg),
    ("mpeg2TransportStream", .mpeg2TransportStream),
    ("mpeg2Video", .mpeg2Video),
    ("mpeg4Movie", .mpeg4Movie),
    ("mpeg4Audio", .mpeg4Audio),
    ("objectiveCPlusPlusSource", .objectiveCPlusPlusSource),
    ("objectiveCSource", .objectiveCSource),
    ("perlScript", .perlScript),
    ("phpScript", .phpScript),
    ("plainText", .plainText),
    ("playlist", .playlist),
    ("png", .png),
    ("presentation", .presentation),
    ("pythonScript", .pythonScript),
    ("rtf", .rtf),
    ("rubyScript", .rubyScript),
    ("script", .script),
    ("shellScript", .shellScript),
    ("sourceCode", .sourceCode),
    ("spreadsheet", .spreadsheet),
    ("svg", .svg),
    ("swiftSource", .swiftSource),
    ("symbolicLink", .symbolicLink),
    ("tabSeparatedText", .tabSeparatedText),
    ("tarArchive", .tarArchive),
    ("text", .text),
    ("tiff", .tiff),
    ("toDoItem", .toDoItem),
    ("unixExecutable", .unixExecutable),
    ("url", .url),
    ("utf16ExternalPlainText", .utf16ExternalPlainText),
    ("utf16PlainText", .utf16PlainText),
    ("utf8PlainText", .utf8PlainText),
    ("utf8TabSeparatedText", .utf8TabSeparatedText),
    ("vCard", .vCard),
    ("video", .video),
    ("volume", .volume),
    ("x509Certificate", .x509Certificate),
    ("xml", .xml),
    ("yaml", .yaml),
    ("zip", .zip),
  ]
}
