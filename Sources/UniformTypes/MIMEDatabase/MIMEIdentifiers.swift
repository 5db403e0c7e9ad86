// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// The MIME types that name the format of a declared type without being among its tags.
///
/// Each entry was compared with the format that the type's owner describes. An extension alone proves nothing: `scn` is
/// a SceneKit scene for Apple and a Godot scene for the shared MIME database. The names are the MIME types of
/// shared-mime-info 2.2 to 2.4, and their aliases.
enum MIMEIdentifiers {
  /// Returns the type whose format a MIME type names.
  ///
  /// - Parameter mimeType: The MIME type without parameters, in any case.
  /// - Returns: The type; `nil` for a MIME type that is not in the table.
  static func type(of mimeType: String) -> UTType? {
    identifiers[mimeType.asciiLowercased].map(UTType.init(named:))
  }

  /// The MIME types whose files have the same extension as a declared type of another format.
  static let foreign: Set = [
    "application/ram", "application/sdp", "application/x-applix-spreadsheet", "application/x-cisco-vpn-settings",
    "application/x-godot-scene", "application/x-jbuilder-project", "application/x-pagemaker", "application/x-qtiplot",
    "application/x-sami", "application/x-tgif", "audio/usac", "audio/x-mod",
  ]

  private static let identifiers: [String: String] = {
    var identifiers: [String: String] = [:]
    for (identifier, mimeTypes) in entries {
      for mimeType in mimeTypes.split(separator: " ") { identifiers[String(mimeType)] = identifier }
    }
    return identifiers
  }()

  static let entries: KeyValuePairs = [
    // The kind of an item in the file system
    "public.folder": "inode/directory",
    // An empty file has no format
    "public.data": "application/x-zerosize inode/x-empty",
    // Text and source code
    "com.apple.log": "text/x-log",
    "com.netscape.javascript-source": "application/javascript application/x-javascript",
    "com.sun.java-source": "text/x-java",
    "public.ada-source": "text/x-adasrc",
    "public.c-header": "text/x-chdr",
    "public.c-plus-plus-header": "text/x-c++hdr",
    "public.c-plus-plus-source": "text/x-c++src",
    "public.c-source": "text/x-csrc text/x-c",
    "public.comma-separated-values-text": "text/x-comma-separated-values text/x-csv",
    "public.csh-script": "application/x-csh",
    "public.fortran-source": "text/x-fortran",
    "public.geojson": "application/vnd.geo+json",
    "public.make-source": "text/x-makefile",
    "public.objective-c-plus-plus-source": "text/x-objc++src",
    "public.objective-c-source": "text/x-objcsrc",
    "public.pascal-source": "text/x-pascal",
    "public.patch-file": "text/x-patch text/x-diff",
    "public.perl-script": "application/x-perl text/x-perl",
    "public.php-script": "application/x-php",
    "public.python-script": "text/x-python text/x-python3",
    "public.rss": "text/rss",
    "public.rtf": "application/rtf",
    "public.ruby-script": "application/x-ruby",
    "public.shell-script": "application/x-shellscript text/x-sh",
    "public.yaml": "application/yaml text/yaml text/x-yaml",
    // Documents
    "com.adobe.encapsulated-postscript": "image/x-eps application/eps application/x-eps image/eps",
    "com.adobe.illustrator.ai-image": "application/illustrator application/vnd.adobe.illustrator",
    "com.adobe.pdf": "application/acrobat application/nappdf application/x-pdf image/pdf",
    "com.apple.ical.ics": "application/ics",
    "com.apple.iWork.Keynote.sffkey": "application/vnd.apple.keynote",
    "com.apple.iWork.Numbers.sffnumbers": "application/vnd.apple.numbers",
    "com.apple.iWork.Pages.sffpages": "application/vnd.apple.pages",
    "com.microsoft.excel.xls": "application/x-msexcel zz-application/zz-winassoc-xls",
    "com.microsoft.internet-shortcut": "application/x-mswinurl",
    "com.microsoft.powerpoint.ppt": "application/powerpoint application/x-mspowerpoint",
    "com.microsoft.word.doc": "application/vnd.ms-word application/x-msword zz-application/zz-winassoc-doc",
    "com.microsoft.word.dot": "application/msword-template",
    "com.real.smil": "application/smil+xml",
    "com.rsa.pkcs-12": "application/pkcs12",
    "org.oasis-open.opendocument.database": "application/vnd.sun.xml.base",
    "public.x509-certificate": "application/pkix-cert",
    // Archives and programs
    "com.apple.xar-archive": "application/x-xar",
    "public.elf-binary": "application/x-elf",
    "com.microsoft.cab": "application/vnd.ms-cab-compressed zz-application/zz-winassoc-cab",
    "com.microsoft.windows-executable": "application/x-ms-dos-executable",
    "com.stuffit.archive.sit": "application/stuffit",
    "com.sun.java-archive": "application/x-java-archive application/x-jar",
    "com.sun.java-class": "application/x-java application/java application/x-java-class application/x-java-vm",
    "org.gnu.gnu-zip-tar-archive": "application/x-compressed-tar",
    "org.tukaani.tar-xz-archive": "application/x-xz-compressed-tar",
    "public.cpio-archive": "application/x-cpio",
    "public.tar-bzip2-archive": "application/x-bzip-compressed-tar application/x-bzip2-compressed-tar",
    "public.uuencoded-archive": "zz-application/zz-winassoc-uu",
    "public.zip-archive": "application/x-zip",
    // Images, fonts and models
    "com.adobe.photoshop-image": "application/x-photoshop image/x-psd",
    "com.adobe.postscript-font": "application/x-font-type1",
    "com.apple.colorsync-profile": "application/vnd.iccprofile",
    "com.apple.icns": "image/x-icns",
    "com.apple.macpaint-image": "image/x-macpaint",
    "com.ilm.openexr-image": "image/x-exr",
    "com.microsoft.bmp": "image/x-ms-bmp image/x-bmp",
    "com.microsoft.ico": "application/ico image/ico image/icon image/x-ico image/x-icon text/ico",
    "com.sgi.sgi-image": "image/x-sgi",
    "com.truevision.tga-image": "image/x-tga application/x-targa application/x-tga image/x-icb image/x-targa",
    "public.geometry-definition-format": "model/obj",
    "public.jpeg": "image/pjpeg",
    "public.jpeg-2000": "image/jpx image/x-jp2-codestream image/jpeg2000 image/jpeg2000-image",
    "public.opentype-font": "application/x-font-otf",
    "public.standard-tesselated-geometry-format": "model/stl model/x.stl-ascii model/x.stl-binary",
    "public.svg-image": "image/svg+xml-compressed",
    "public.truetype-collection-font": "font/collection",
    "public.truetype-ttf-font": "application/x-font-ttf",
    // Audio and video
    "com.adobe.flash.video": "application/x-flash-video flv-application/octet-stream video/flv",
    "com.apple.m4a-audio": "audio/m4a",
    "com.microsoft.advanced-stream-redirector": "audio/x-ms-asx",
    "com.microsoft.advanced-systems-format": "application/vnd.ms-asf video/x-ms-asf-plugin",
    "com.microsoft.windows-media-wma": "audio/x-ms-wma audio/wma",
    "com.real.realaudio": "audio/vnd.m-realaudio",
    "org.matroska.mkv": "application/x-matroska",
    "org.xiph.flac": "audio/x-flac",
    "public.3gpp": "audio/x-rn-3gpp-amr video/3gp",
    "public.aifc-audio": "audio/x-aifc audio/x-aiffc",
    "public.avi": "video/divx video/vnd.divx video/x-avi",
    "public.dv-movie": "video/dv",
    "public.flc-animation": "video/x-flic video/fli video/x-fli",
    "public.m3u-playlist": "application/m3u audio/m3u audio/x-m3u audio/x-mp3-playlist",
    "public.mp2": "audio/mp2 audio/x-mp2",
    "public.mpeg": "video/mpeg-system video/x-mpeg-system video/x-mpeg2",
    "public.mpeg-2-transport-stream": "video/mp2t",
    "public.pls-playlist": "application/pls audio/scpls",
  ]
}
