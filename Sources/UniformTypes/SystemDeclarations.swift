// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// The types every process knows.
///
/// Parents and tags are facts about Apple's system types; preferred tags come first.
let systemDeclarations: [TypeDeclaration] = [
  // Roots of the two trees: what a thing is made of, and what it is for.
  TypeDeclaration(identifier: "public.item"),
  TypeDeclaration(identifier: "public.content"),
  TypeDeclaration(identifier: "public.composite-content", conformsTo: ["public.content"]),
  TypeDeclaration(
    identifier: "public.data", conformsTo: ["public.item"], mimeTypes: ["application/octet-stream"]),
  TypeDeclaration(identifier: "public.directory", conformsTo: ["public.item"]),
  TypeDeclaration(identifier: "public.folder", conformsTo: ["public.directory"]),

  // Addresses.
  TypeDeclaration(identifier: "public.url", conformsTo: ["public.data"]),
  TypeDeclaration(identifier: "public.file-url", conformsTo: ["public.url"]),

  // Text.
  TypeDeclaration(identifier: "public.text", conformsTo: ["public.data", "public.content"]),
  TypeDeclaration(
    identifier: "public.plain-text", conformsTo: ["public.text"], filenameExtensions: ["txt", "text"],
    mimeTypes: ["text/plain"]),
  TypeDeclaration(
    identifier: "public.utf8-plain-text", conformsTo: ["public.plain-text"],
    mimeTypes: ["text/plain;charset=utf-8", "text/plain;charset=\"utf-8\""]),
  TypeDeclaration(identifier: "public.delimited-values-text", conformsTo: ["public.text"]),
  TypeDeclaration(
    identifier: "public.comma-separated-values-text",
    conformsTo: ["public.plain-text", "public.delimited-values-text"], filenameExtensions: ["csv"],
    mimeTypes: ["text/csv", "text/comma-separated-values"]),
  TypeDeclaration(
    identifier: "public.html", conformsTo: ["public.text"],
    filenameExtensions: ["html", "htm", "shtml", "shtm"], mimeTypes: ["text/html"]),
  TypeDeclaration(
    identifier: "public.xml", conformsTo: ["public.text"], filenameExtensions: ["xml"],
    mimeTypes: ["application/xml", "text/xml"]),
  TypeDeclaration(
    identifier: "public.json", conformsTo: ["public.text"], filenameExtensions: ["json"],
    mimeTypes: ["application/json"]),
  TypeDeclaration(
    identifier: "com.apple.property-list", conformsTo: ["public.data"], filenameExtensions: ["plist"]),
  TypeDeclaration(
    identifier: "com.apple.xml-property-list", conformsTo: ["public.xml", "com.apple.property-list"],
    filenameExtensions: ["plist"]),
  TypeDeclaration(
    identifier: "com.apple.binary-property-list", conformsTo: ["com.apple.property-list"],
    filenameExtensions: ["plist"]),

  // Documents and archives.
  TypeDeclaration(
    identifier: "com.adobe.pdf", conformsTo: ["public.data", "public.composite-content"],
    filenameExtensions: ["pdf"], mimeTypes: ["application/pdf"]),
  TypeDeclaration(identifier: "public.archive"),
  TypeDeclaration(identifier: "com.pkware.zip-archive", conformsTo: ["public.data", "public.archive"]),
  TypeDeclaration(
    identifier: "public.zip-archive", conformsTo: ["com.pkware.zip-archive"], filenameExtensions: ["zip"],
    mimeTypes: ["application/zip", "application/x-zip-compressed"]),
  TypeDeclaration(
    identifier: "org.gnu.gnu-zip-archive", conformsTo: ["public.data", "public.archive"],
    filenameExtensions: ["gz", "gzip"], mimeTypes: ["application/x-gzip", "application/gzip"]),

  // Pictures, sound, film.
  TypeDeclaration(identifier: "public.image", conformsTo: ["public.data", "public.content"]),
  TypeDeclaration(
    identifier: "public.png", conformsTo: ["public.image"], filenameExtensions: ["png"], mimeTypes: ["image/png"]),
  TypeDeclaration(
    identifier: "public.jpeg", conformsTo: ["public.image"], filenameExtensions: ["jpeg", "jpg", "jpe"],
    mimeTypes: ["image/jpeg", "image/jpg"]),
  TypeDeclaration(
    identifier: "com.compuserve.gif", conformsTo: ["public.image"], filenameExtensions: ["gif"],
    mimeTypes: ["image/gif"]),
  TypeDeclaration(
    identifier: "public.svg-image", conformsTo: ["public.image", "public.xml"], filenameExtensions: ["svg", "svgz"],
    mimeTypes: ["image/svg+xml"]),
  TypeDeclaration(identifier: "public.audiovisual-content", conformsTo: ["public.data", "public.content"]),
  TypeDeclaration(identifier: "public.audio", conformsTo: ["public.audiovisual-content"]),
  TypeDeclaration(
    identifier: "public.mp3", conformsTo: ["public.audio"], filenameExtensions: ["mp3", "mpga"],
    mimeTypes: [
      "audio/mpeg", "audio/mpeg3", "audio/mpg", "audio/mp3", "audio/x-mpeg", "audio/x-mpeg3", "audio/x-mpg",
      "audio/x-mp3",
    ]),
  TypeDeclaration(identifier: "public.movie", conformsTo: ["public.audiovisual-content"]),
  TypeDeclaration(
    identifier: "public.mpeg-4", conformsTo: ["public.movie"], filenameExtensions: ["mp4", "mpg4"],
    mimeTypes: ["video/mp4", "video/mp4v-es"]),
]
