// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

extension UTType {
  /// The root of everything that has a place: files, folders, streams of bytes.
  public static var item: UTType { UTType(system: "public.item") }

  /// The root of everything a person would read, look at or listen to.
  public static var content: UTType { UTType(system: "public.content") }

  /// A document made of several kinds of content.
  public static var compositeContent: UTType { UTType(system: "public.composite-content") }

  /// Any run of bytes.
  public static var data: UTType { UTType(system: "public.data") }

  /// Any directory, packages included.
  public static var directory: UTType { UTType(system: "public.directory") }

  /// A directory that people look into.
  public static var folder: UTType { UTType(system: "public.folder") }

  /// An address, as its text in UTF-8.
  public static var url: UTType { UTType(system: "public.url") }

  /// The address of a file on this machine.
  public static var fileURL: UTType { UTType(system: "public.file-url") }

  /// Any text, whatever its encoding or markup.
  public static var text: UTType { UTType(system: "public.text") }

  /// Text without markup, in an encoding that is not stated.
  public static var plainText: UTType { UTType(system: "public.plain-text") }

  /// Text without markup, in UTF-8.
  public static var utf8PlainText: UTType { UTType(system: "public.utf8-plain-text") }

  /// Values separated by some delimiter, a record a line.
  public static var delimitedText: UTType { UTType(system: "public.delimited-values-text") }

  /// Values separated by commas (RFC 4180).
  public static var commaSeparatedText: UTType { UTType(system: "public.comma-separated-values-text") }

  /// Hypertext in any version of HTML.
  public static var html: UTType { UTType(system: "public.html") }

  /// Any XML document.
  public static var xml: UTType { UTType(system: "public.xml") }

  /// A JSON text (RFC 8259).
  public static var json: UTType { UTType(system: "public.json") }

  /// A property list in whichever of its formats.
  public static var propertyList: UTType { UTType(system: "com.apple.property-list") }

  /// A property list written as XML.
  public static var xmlPropertyList: UTType { UTType(system: "com.apple.xml-property-list") }

  /// A property list in its binary format.
  public static var binaryPropertyList: UTType { UTType(system: "com.apple.binary-property-list") }

  /// A document in the Portable Document Format.
  public static var pdf: UTType { UTType(system: "com.adobe.pdf") }

  /// Files and folders packed into one.
  public static var archive: UTType { UTType(system: "public.archive") }

  /// An archive in the format of PKZIP.
  public static var zip: UTType { UTType(system: "public.zip-archive") }

  /// Data compressed by GNU zip (RFC 1952).
  public static var gzip: UTType { UTType(system: "org.gnu.gnu-zip-archive") }

  /// Any picture.
  public static var image: UTType { UTType(system: "public.image") }

  /// A picture in Portable Network Graphics.
  public static var png: UTType { UTType(system: "public.png") }

  /// A picture compressed by JPEG.
  public static var jpeg: UTType { UTType(system: "public.jpeg") }

  /// A picture in the Graphics Interchange Format.
  public static var gif: UTType { UTType(system: "com.compuserve.gif") }

  /// A picture drawn with Scalable Vector Graphics.
  public static var svg: UTType { UTType(system: "public.svg-image") }

  /// Anything with sound, moving pictures, or both.
  public static var audiovisualContent: UTType { UTType(system: "public.audiovisual-content") }

  /// Sound without pictures.
  public static var audio: UTType { UTType(system: "public.audio") }

  /// Sound compressed by MPEG layer 3.
  public static var mp3: UTType { UTType(system: "public.mp3") }

  /// Moving pictures, with sound or without.
  public static var movie: UTType { UTType(system: "public.movie") }

  /// A movie in an MPEG-4 container.
  public static var mpeg4Movie: UTType { UTType(system: "public.mpeg-4") }
}
