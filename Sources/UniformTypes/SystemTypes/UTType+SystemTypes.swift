// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0
// Written by generate.swift; changes here are lost.
// swift-format-ignore-file

extension UTType {
  /// A document in the Portable Document Format.
  public static var pdf: UTType { UTType(system: "com.adobe.pdf", index: 9) }

  /// A picture as a camera's sensor saw it, in Adobe's Digital Negative format.
  public static var dng: UTType { UTType(system: "com.adobe.raw-image", index: 18) }

  /// A file of the Finder that leads to another one.
  public static var aliasFile: UTType { UTType(system: "com.apple.alias-file", index: 34) }

  /// A compiled script of the Open Scripting Architecture.
  public static var osaScript: UTType { UTType(system: "com.apple.applescript.script", index: 37) }

  /// A compiled script of the Open Scripting Architecture, with its resources, in a bundle.
  public static var osaScriptBundle: UTType { UTType(system: "com.apple.applescript.script-bundle", index: 38) }

  /// An AppleScript as its text.
  public static var appleScript: UTType { UTType(system: "com.apple.applescript.text", index: 39) }

  /// Any program with a user interface.
  public static var application: UTType { UTType(system: "com.apple.application", index: 41) }

  /// A bundle that extends an application or the system.
  public static var applicationExtension: UTType { UTType(system: "com.apple.application-and-system-extension", index: 42) }

  /// A program with a user interface, as a bundle.
  public static var applicationBundle: UTType { UTType(system: "com.apple.application-bundle", index: 43) }

  /// An archive in Apple's own format.
  public static var appleArchive: UTType { UTType(system: "com.apple.archive", index: 47) }

  /// A scanned object that augmented reality can recognise.
  public static var arReferenceObject: UTType { UTType(system: "com.apple.arobject", index: 48) }

  /// A property list in its binary format.
  public static var binaryPropertyList: UTType { UTType(system: "com.apple.binary-property-list", index: 52) }

  /// A bookmark that finds its file again after it was moved.
  public static var urlBookmarkData: UTType { UTType(system: "com.apple.bookmark", index: 57) }

  /// A directory of code and resources in a fixed order.
  public static var bundle: UTType { UTType(system: "com.apple.bundle", index: 58) }

  /// A document in Rich Text Format with its attachments, as a single file.
  public static var flatRTFD: UTType { UTType(system: "com.apple.flat-rtfd", index: 119) }

  /// A bundle of shared code.
  public static var framework: UTType { UTType(system: "com.apple.framework", index: 121) }

  /// A pattern of haptic feedback.
  public static var ahap: UTType { UTType(system: "com.apple.haptics.ahap", index: 134) }

  /// Icons in the format of macOS.
  public static var icns: UTType { UTType(system: "com.apple.icns", index: 163) }

  /// A file that holds an address.
  public static var internetLocation: UTType { UTType(system: "com.apple.internet-location", index: 241) }

  /// The title, icon and picture by which a link is shown.
  public static var linkPresentationMetadata: UTType { UTType(system: "com.apple.linkpresentation.metadata", index: 316) }

  /// A photo together with the moments around it.
  public static var livePhoto: UTType { UTType(system: "com.apple.live-photo", index: 317) }

  /// A bundle by which Spotlight reads files of a type.
  public static var spotlightImporter: UTType { UTType(system: "com.apple.metadata-importer", index: 442) }

  /// A place at which a volume is mounted.
  public static var mountPoint: UTType { UTType(system: "com.apple.mount-point", index: 446) }

  /// A directory that is shown and handled as if it were a file.
  public static var package: UTType { UTType(system: "com.apple.package", index: 456) }

  /// A bundle that an application loads.
  public static var pluginBundle: UTType { UTType(system: "com.apple.plugin", index: 468) }

  /// A property list in whichever of its formats.
  public static var propertyList: UTType { UTType(system: "com.apple.property-list", index: 485) }

  /// Sound in an MPEG-4 container, protected by Apple.
  public static var appleProtectedMPEG4Audio: UTType { UTType(system: "com.apple.protected-mpeg-4-audio", index: 486) }

  /// A movie in an MPEG-4 container, protected by Apple.
  public static var appleProtectedMPEG4Video: UTType { UTType(system: "com.apple.protected-mpeg-4-video", index: 488) }

  /// A bundle by which Quick Look shows files of a type.
  public static var quickLookGenerator: UTType { UTType(system: "com.apple.quicklook-generator", index: 492) }

  /// A movie in a QuickTime container.
  public static var quickTimeMovie: UTType { UTType(system: "com.apple.quicktime-movie", index: 495) }

  /// A scene for Reality Composer.
  public static var realityFile: UTType { UTType(system: "com.apple.reality", index: 496) }

  /// Anything that stands for another item and can be resolved to it, such as a symbolic link.
  public static var resolvable: UTType { UTType(system: "com.apple.resolvable", index: 497) }

  /// A document in Rich Text Format with its attachments, as a package.
  public static var rtfd: UTType { UTType(system: "com.apple.rtfd", index: 499) }

  /// A scene for SceneKit.
  public static var sceneKitScene: UTType { UTType(system: "com.apple.scenekit.scene", index: 501) }

  /// A bundle that adds a pane to the system's settings.
  public static var systemPreferencesPane: UTType { UTType(system: "com.apple.systempreference.prefpane", index: 524) }

  /// A page of the web with everything it shows, in Safari's format.
  public static var webArchive: UTType { UTType(system: "com.apple.webarchive", index: 548) }

  /// A property list written as XML.
  public static var xmlPropertyList: UTType { UTType(system: "com.apple.xml-property-list", index: 566) }

  /// A bundle that serves other programs of the same machine.
  public static var xpcService: UTType { UTType(system: "com.apple.xpc-service", index: 567) }

  /// A picture in the Graphics Interchange Format.
  public static var gif: UTType { UTType(system: "com.compuserve.gif", index: 579) }

  /// A picture of high dynamic range in OpenEXR.
  public static var exr: UTType { UTType(system: "com.ilm.openexr-image", index: 587) }

  /// A picture in the bitmap format of Windows.
  public static var bmp: UTType { UTType(system: "com.microsoft.bmp", index: 598) }

  /// Icons in the format of Windows.
  public static var ico: UTType { UTType(system: "com.microsoft.ico", index: 613) }

  /// A file that holds an address, in the format of Windows.
  public static var internetShortcut: UTType { UTType(system: "com.microsoft.internet-shortcut", index: 614) }

  /// Sound in WAVE format.
  public static var wav: UTType { UTType(system: "com.microsoft.waveform-audio", index: 625) }

  /// A program for Windows.
  public static var exe: UTType { UTType(system: "com.microsoft.windows-executable", index: 627) }

  /// Source code in JavaScript.
  public static var javaScript: UTType { UTType(system: "com.netscape.javascript-source", index: 639) }

  /// A scene in Universal Scene Description.
  public static var usd: UTType { UTType(system: "com.pixar.universal-scene-description", index: 649) }

  /// A scene in Universal Scene Description with everything it needs, packed into one file.
  public static var usdz: UTType { UTType(system: "com.pixar.universal-scene-description-mobile", index: 650) }

  /// Keys and certificates in PKCS #12 (RFC 7292).
  public static var pkcs12: UTType { UTType(system: "com.rsa.pkcs-12", index: 657) }

  /// Data compressed by GNU zip (RFC 1952).
  public static var gzip: UTType { UTType(system: "org.gnu.gnu-zip-archive", index: 685) }

  /// An electronic book in EPUB.
  public static var epub: UTType { UTType(system: "org.idpf.epub-container", index: 687) }

  /// A picture in WebP.
  public static var webP: UTType { UTType(system: "org.webmproject.webp", index: 748) }

  /// Any model in three dimensions.
  public static var threeDContent: UTType { UTType(system: "public.3d-content", index: 752) }

  /// Sound in the Audio Interchange File Format.
  public static var aiff: UTType { UTType(system: "public.aiff-audio", index: 759) }

  /// Files and folders packed into one.
  public static var archive: UTType { UTType(system: "public.archive", index: 809) }

  /// Source code in an assembly language.
  public static var assemblyLanguageSource: UTType { UTType(system: "public.assembly-source", index: 810) }

  /// Sound without pictures.
  public static var audio: UTType { UTType(system: "public.audio", index: 812) }

  /// Anything with sound, moving pictures, or both.
  public static var audiovisualContent: UTType { UTType(system: "public.audiovisual-content", index: 813) }

  /// A movie in Audio Video Interleave.
  public static var avi: UTType { UTType(system: "public.avi", index: 819) }

  /// A place to come back to.
  public static var bookmark: UTType { UTType(system: "public.bookmark", index: 823) }

  /// Data compressed by bzip2.
  public static var bz2: UTType { UTType(system: "public.bzip2-archive", index: 824) }

  /// A header for C.
  public static var cHeader: UTType { UTType(system: "public.c-header", index: 825) }

  /// A header for C++.
  public static var cPlusPlusHeader: UTType { UTType(system: "public.c-plus-plus-header", index: 826) }

  /// Source code in C++.
  public static var cPlusPlusSource: UTType { UTType(system: "public.c-plus-plus-source", index: 828) }

  /// Source code in C.
  public static var cSource: UTType { UTType(system: "public.c-source", index: 830) }

  /// Something that happens at a time.
  public static var calendarEvent: UTType { UTType(system: "public.calendar-event", index: 832) }

  /// A picture as a camera's sensor saw it, in any maker's format.
  public static var rawImage: UTType { UTType(system: "public.camera-raw-image", index: 833) }

  /// Values separated by commas (RFC 4180).
  public static var commaSeparatedText: UTType { UTType(system: "public.comma-separated-values-text", index: 841) }

  /// A document made of several kinds of content.
  public static var compositeContent: UTType { UTType(system: "public.composite-content", index: 842) }

  /// What is known of a person or an organisation.
  public static var contact: UTType { UTType(system: "public.contact", index: 844) }

  /// The root of everything a person would read, look at or listen to.
  public static var content: UTType { UTType(system: "public.content", index: 845) }

  /// A style sheet for documents in HTML or XML.
  public static var css: UTType { UTType(system: "public.css", index: 848) }

  /// Any run of bytes.
  public static var data: UTType { UTType(system: "public.data", index: 849) }

  /// A store of records, in any format.
  public static var database: UTType { UTType(system: "public.database", index: 850) }

  /// Values separated by some delimiter, a record a line.
  public static var delimitedText: UTType { UTType(system: "public.delimited-values-text", index: 851) }

  /// Any directory, packages included.
  public static var directory: UTType { UTType(system: "public.directory", index: 853) }

  /// A file that holds a whole file system.
  public static var diskImage: UTType { UTType(system: "public.disk-image", index: 854) }

  /// A message of electronic mail.
  public static var emailMessage: UTType { UTType(system: "public.email-message", index: 867) }

  /// Anything that can be run.
  public static var executable: UTType { UTType(system: "public.executable", index: 869) }

  /// The address of a file on this machine.
  public static var fileURL: UTType { UTType(system: "public.file-url", index: 872) }

  /// A directory that people look into.
  public static var folder: UTType { UTType(system: "public.folder", index: 875) }

  /// A typeface, in any format.
  public static var font: UTType { UTType(system: "public.font", index: 876) }

  /// Places and shapes on the Earth, as JSON (RFC 7946).
  public static var geoJSON: UTType { UTType(system: "public.geojson", index: 882) }

  /// A picture in a High Efficiency Image File, compressed by HEVC.
  public static var heic: UTType { UTType(system: "public.heic", index: 890) }

  /// A sequence of pictures in a High Efficiency Image File, compressed by HEVC.
  public static var heics: UTType { UTType(system: "public.heics", index: 891) }

  /// A picture in a High Efficiency Image File, compressed by any method.
  public static var heif: UTType { UTType(system: "public.heif", index: 892) }

  /// Hypertext in any version of HTML.
  public static var html: UTType { UTType(system: "public.html", index: 895) }

  /// Any picture.
  public static var image: UTType { UTType(system: "public.image", index: 896) }

  /// The root of everything that has a place: files, folders, streams of bytes.
  public static var item: UTType { UTType(system: "public.item", index: 898) }

  /// A picture compressed by JPEG.
  public static var jpeg: UTType { UTType(system: "public.jpeg", index: 899) }

  /// A picture compressed by JPEG XL.
  public static var jpegxl: UTType { UTType(system: "public.jpeg-xl", index: 901) }

  /// A JSON text (RFC 8259).
  public static var json: UTType { UTType(system: "public.json", index: 902) }

  /// A record of what happened.
  public static var log: UTType { UTType(system: "public.log", index: 905) }

  /// A list of things to play, in M3U format.
  public static var m3uPlaylist: UTType { UTType(system: "public.m3u-playlist", index: 906) }

  /// What `make` reads.
  public static var makefile: UTType { UTType(system: "public.make-source", index: 907) }

  /// Any message from somebody to somebody.
  public static var message: UTType { UTType(system: "public.message", index: 908) }

  /// Music as the notes to play.
  public static var midi: UTType { UTType(system: "public.midi-audio", index: 909) }

  /// Moving pictures, with sound or without.
  public static var movie: UTType { UTType(system: "public.movie", index: 913) }

  /// Sound compressed by MPEG layer 3.
  public static var mp3: UTType { UTType(system: "public.mp3", index: 915) }

  /// A movie in MPEG-1 or MPEG-2.
  public static var mpeg: UTType { UTType(system: "public.mpeg", index: 918) }

  /// A transport stream of MPEG-2.
  public static var mpeg2TransportStream: UTType { UTType(system: "public.mpeg-2-transport-stream", index: 919) }

  /// Moving pictures in MPEG-2, without sound.
  public static var mpeg2Video: UTType { UTType(system: "public.mpeg-2-video", index: 920) }

  /// A movie in an MPEG-4 container.
  public static var mpeg4Movie: UTType { UTType(system: "public.mpeg-4", index: 921) }

  /// Sound in an MPEG-4 container.
  public static var mpeg4Audio: UTType { UTType(system: "public.mpeg-4-audio", index: 922) }

  /// Source code in Objective-C++.
  public static var objectiveCPlusPlusSource: UTType { UTType(system: "public.objective-c-plus-plus-source", index: 928) }

  /// Source code in Objective-C.
  public static var objectiveCSource: UTType { UTType(system: "public.objective-c-source", index: 930) }

  /// Source code in Perl.
  public static var perlScript: UTType { UTType(system: "public.perl-script", index: 940) }

  /// Source code in PHP.
  public static var phpScript: UTType { UTType(system: "public.php-script", index: 941) }

  /// Text without markup, in an encoding that is not stated.
  public static var plainText: UTType { UTType(system: "public.plain-text", index: 942) }

  /// A list of things to play, in any format.
  public static var playlist: UTType { UTType(system: "public.playlist", index: 943) }

  /// A picture in Portable Network Graphics.
  public static var png: UTType { UTType(system: "public.png", index: 945) }

  /// Slides to show.
  public static var presentation: UTType { UTType(system: "public.presentation", index: 949) }

  /// Source code in Python.
  public static var pythonScript: UTType { UTType(system: "public.python-script", index: 953) }

  /// A document in Rich Text Format.
  public static var rtf: UTType { UTType(system: "public.rtf", index: 956) }

  /// Source code in Ruby.
  public static var rubyScript: UTType { UTType(system: "public.ruby-script", index: 957) }

  /// Source code that is run as it stands, in any language.
  public static var script: UTType { UTType(system: "public.script", index: 959) }

  /// A script for a shell of any kind.
  public static var shellScript: UTType { UTType(system: "public.shell-script", index: 960) }

  /// Source code in any language.
  public static var sourceCode: UTType { UTType(system: "public.source-code", index: 962) }

  /// A table of cells that calculate.
  public static var spreadsheet: UTType { UTType(system: "public.spreadsheet", index: 965) }

  /// A picture drawn with Scalable Vector Graphics.
  public static var svg: UTType { UTType(system: "public.svg-image", index: 969) }

  /// Source code in Swift.
  public static var swiftSource: UTType { UTType(system: "public.swift-source", index: 970) }

  /// A symbolic link of the file system.
  public static var symbolicLink: UTType { UTType(system: "public.symlink", index: 971) }

  /// Values separated by tabs, a record a line.
  public static var tabSeparatedText: UTType { UTType(system: "public.tab-separated-values-text", index: 972) }

  /// Files and folders packed into one by `tar`.
  public static var tarArchive: UTType { UTType(system: "public.tar-archive", index: 973) }

  /// Any text, whatever its encoding or markup.
  public static var text: UTType { UTType(system: "public.text", index: 976) }

  /// A picture in the Tagged Image File Format.
  public static var tiff: UTType { UTType(system: "public.tiff", index: 977) }

  /// Something that is to be done.
  public static var toDoItem: UTType { UTType(system: "public.to-do-item", index: 978) }

  /// A program or script marked as executable.
  public static var unixExecutable: UTType { UTType(system: "public.unix-executable", index: 983) }

  /// An address, as its text in UTF-8.
  public static var url: UTType { UTType(system: "public.url", index: 984) }

  /// Text without markup, in UTF-16 with a byte order mark or else big-endian.
  public static var utf16ExternalPlainText: UTType { UTType(system: "public.utf16-external-plain-text", index: 986) }

  /// Text without markup, in UTF-16 of the machine's own byte order.
  public static var utf16PlainText: UTType { UTType(system: "public.utf16-plain-text", index: 987) }

  /// Text without markup, in UTF-8.
  public static var utf8PlainText: UTType { UTType(system: "public.utf8-plain-text", index: 988) }

  /// Values separated by tabs, in UTF-8.
  public static var utf8TabSeparatedText: UTType { UTType(system: "public.utf8-tab-separated-values-text", index: 989) }

  /// Contacts in vCard format (RFC 6350).
  public static var vCard: UTType { UTType(system: "public.vcard", index: 991) }

  /// Moving pictures without sound.
  public static var video: UTType { UTType(system: "public.video", index: 992) }

  /// The root folder of a volume.
  public static var volume: UTType { UTType(system: "public.volume", index: 993) }

  /// A certificate in X.509 (RFC 5280).
  public static var x509Certificate: UTType { UTType(system: "public.x509-certificate", index: 994) }

  /// Any XML document.
  public static var xml: UTType { UTType(system: "public.xml", index: 998) }

  /// A YAML document.
  public static var yaml: UTType { UTType(system: "public.yaml", index: 1000) }

  /// An archive in the format of PKZIP.
  public static var zip: UTType { UTType(system: "public.zip-archive", index: 1002) }
}

extension SystemTypes {
  /// Every constant, by its name in Swift.
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
