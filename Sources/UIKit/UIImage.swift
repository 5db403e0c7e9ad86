// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import ItemProviderCompat

/// The bytes of a PNG or JPEG picture, and its size. The class does not draw or convert pictures.
///
/// ```swift
/// let provider = NSItemProvider(object: picture)                     // as public.png or public.jpeg
/// provider.loadObject(ofClass: UIImage.self) { image, error in show(image as? UIImage) }
/// ```
///
/// Follows Apple's [`UIImage`](https://developer.apple.com/documentation/uikit/uiimage).
// The class is Sendable because its state is constant. A subclass must protect its own state.
open class UIImage: NSObject, @unchecked Sendable {
  private let data: Data
  /// The format and the size; `nil` for an image without a picture.
  private let header: PictureHeader?

  /// The number of pixels for each point.
  public final let scale: CGFloat

  /// The size in points: pixels, divided by the scale.
  ///
  /// The orientation in the picture's metadata is not applied.
  public final var size: CGSize {
    CGSize(width: CGFloat(header?.width ?? 0) / scale, height: CGFloat(header?.height ?? 0) / scale)
  }

  /// Creates an image without a picture: its size is zero, and it has no data.
  public override init() {
    data = Data()
    header = nil
    scale = 1
    super.init()
  }

  /// Creates a picture from bytes; `nil` without a valid header of a PNG or JPEG picture, or with an invalid scale.
  ///
  /// - Parameters:
  ///   - data: The bytes, which may be untrusted. Only their header is read.
  ///   - scale: The number of pixels for each point, which must be positive.
  public required init?(data: Data, scale: CGFloat) {
    guard scale > 0, let header = PictureHeader(data) else { return nil }
    self.data = data
    self.header = header
    self.scale = scale
    super.init()
  }

  /// Creates a picture from bytes; `nil` without a valid header of a PNG or JPEG picture.
  ///
  /// - Parameter data: The bytes, which may be untrusted. Only their header is read.
  public convenience init?(data: Data) {
    self.init(data: data, scale: 1)
  }

  /// Creates a picture from a file; `nil` if the file cannot be read, or is not a PNG or JPEG picture.
  public convenience init?(contentsOfFile path: String) {
    guard let data = FileManager.default.contents(atPath: path) else { return nil }
    self.init(data: data)
  }

  /// Creates a picture from a file of the program's resources; `nil` if there is none.
  ///
  /// The file is in the resource directory of `Bundle.main`, which is the directory of the program for a program of
  /// SwiftPM. Its name is the given name, alone or with `.png`, `.jpg` or `.jpeg`, in this order. If none of these files
  /// exists, the file `NAME@2x.png` or `NAME@3x.png` has the scale in its name, and likewise for the other endings. Asset
  /// catalogs are not read, nothing is cached, and each call blocks while it reads the file. For the resources of a
  /// target, pass a path of `Bundle.module` to ``init(contentsOfFile:)``.
  ///
  /// - Parameter name: The name, which may begin with directories below the resource directory. A name with the
  ///   component `..` finds no file.
  public convenience init?(named name: String) {
    guard let resources = Bundle.main.resourceURL else { return nil }
    self.init(named: name, in: resources)
  }

  convenience init?(named name: String, in resources: URL) {
    guard let file = Self.file(named: name, in: resources), let data = try? Data(contentsOf: file.url) else {
      return nil
    }
    self.init(data: data, scale: file.scale)
  }

  /// Finds the file of a name, in the order that the initializer describes.
  private static func file(named name: String, in resources: URL) -> (url: URL, scale: CGFloat)? {
    guard !name.split(separator: "/").contains("..") else { return nil }
    let given = NSString(string: name)
    let stem = given.deletingPathExtension
    for scale in 1...3 {
      let mark = scale == 1 ? "" : "@\(scale)x"
      let ending = given.pathExtension.isEmpty ? "" : ".\(given.pathExtension)"
      let names = [stem + mark + ending] + [".png", ".jpg", ".jpeg"].map { name + mark + $0 }
      for name in names {
        let url = resources.appendingPathComponent(name, isDirectory: false)
        var isDirectory = false
        if FileManager.default.fileExists(atPath: url.path, isDirectory: &isDirectory), !isDirectory {
          return (url, CGFloat(scale))
        }
      }
    }
    return nil
  }

  /// Returns the bytes of a PNG picture; `nil` for a JPEG picture, which is not converted.
  public final func pngData() -> Data? { header?.format == .png ? data : nil }

  /// Returns the bytes of a JPEG picture; `nil` for a PNG picture, which is not converted.
  ///
  /// - Parameter compressionQuality: Has no effect, since the picture is not compressed again.
  /// - Returns: The bytes that the picture was created with.
  public final func jpegData(compressionQuality: CGFloat) -> Data? { header?.format == .jpeg ? data : nil }

  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? UIImage else { return false }
    return data == other.data && scale == other.scale
  }

  open override var hash: Int { data.hashValue }
}

extension UIImage: NSItemProviderWriting, NSItemProviderReading {
  /// The types of PNG and JPEG pictures.
  public static var writableTypeIdentifiersForItemProvider: [String] { PictureHeader.identifiers }
  /// The type of this picture's bytes; empty for an image without a picture.
  public var writableTypeIdentifiersForItemProvider: [String] { header.map { [$0.format.rawValue] } ?? [] }
  /// The types of PNG and JPEG pictures.
  public static var readableTypeIdentifiersForItemProvider: [String] { PictureHeader.identifiers }

  /// Calls the completion handler with the bytes, or with `featureUnsupported` for any type except the type of the
  /// picture.
  public func loadData(
    withTypeIdentifier typeIdentifier: String,
    forItemProviderCompletionHandler completionHandler: @escaping @Sendable (Data?, (any Error)?) -> Void
  ) -> Progress? {
    let isOwnFormat = typeIdentifier == header?.format.rawValue
    completionHandler(isOwnFormat ? data : nil, isOwnFormat ? nil : CocoaError(.featureUnsupported))
    return nil
  }

  /// Creates a picture.
  ///
  /// - Throws: `CocoaError.fileReadCorruptFile` for bytes that are not a PNG or JPEG picture.
  public static func object(withItemProviderData data: Data, typeIdentifier: String) throws -> Self {
    guard let image = Self(data: data, scale: 1) else { throw CocoaError(.fileReadCorruptFile) }
    return image
  }
}

/// The format and the size of a picture, from its first bytes.
struct PictureHeader: Sendable {
  /// A format; its raw value is the type identifier.
  enum Format: String, CaseIterable, Sendable {
    case png = "public.png"
    case jpeg = "public.jpeg"
  }

  static var identifiers: [String] { Format.allCases.map(\.rawValue) }

  let format: Format
  let width: Int
  let height: Int

  /// Reads a header; `nil` if it is neither PNG nor JPEG, is truncated, or states a width or a height of 0.
  init?(_ data: Data) {
    let found = data.withUnsafeBytes { Self.png($0) ?? Self.jpeg($0) }
    guard let found, found.width > 0, found.height > 0 else { return nil }
    self = found
  }

  private init(_ format: Format, width: Int, height: Int) {
    self.format = format
    self.width = width
    self.height = height
  }

  /// Reads the signature and the chunk `IHDR`: PNG specification, sections 5.2 and 11.2.1.
  private static func png(_ bytes: UnsafeRawBufferPointer) -> PictureHeader? {
    guard bytes.count >= 24, bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]),
      bytes[12..<16].elementsEqual("IHDR".utf8)
    else { return nil }
    return PictureHeader(.png, width: number(bytes[16..<20]), height: number(bytes[20..<24]))
  }

  /// Reads the first frame header: ITU-T T.81, annex B.
  private static func jpeg(_ bytes: UnsafeRawBufferPointer) -> PictureHeader? {
    guard bytes.starts(with: [0xFF, 0xD8]) else { return nil }
    var index = 2
    while index + 4 <= bytes.count, bytes[index] == 0xFF {
      let marker = bytes[index + 1]
      // Fill bytes before a marker.
      if marker == 0xFF {
        index += 1
        continue
      }
      let isFrame = 0xC0...0xCF ~= marker && ![0xC4, 0xC8, 0xCC].contains(marker)
      if isFrame {
        guard index + 9 <= bytes.count else { return nil }
        let height = number(bytes[(index + 5)..<(index + 7)])
        let width = number(bytes[(index + 7)..<(index + 9)])
        return PictureHeader(.jpeg, width: width, height: height)
      }
      let length = number(bytes[(index + 2)..<(index + 4)])
      // A scan, or the end of the image, without a frame header before it is invalid.
      guard length >= 2, marker != 0xDA, marker != 0xD9 else { return nil }
      index += 2 + length
    }
    return nil
  }

  private static func number(_ bytes: Slice<UnsafeRawBufferPointer>) -> Int {
    bytes.reduce(0) { $0 << 8 | Int($1) }
  }
}
