// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import UniformTypes

extension URLResourceKey {
  /// The key of a file's type, which ``Foundation/URLResourceValues/contentType`` returns.
  public static let contentTypeKey = URLResourceKey(rawValue: "NSURLContentTypeKey")
}

extension URL {
  /// Returns the resource values for keys, including the type of the file.
  ///
  /// ```swift
  /// let type = try url.resourceValues(forKeys: [.contentTypeKey]).contentType
  /// ```
  ///
  /// Foundation's own function does not know the key of the type. The compiler prefers this function for a literal list
  /// of keys. If the type is requested, this function also requests the path.
  ///
  /// - Parameter keys: The requested keys; unknown keys are ignored.
  /// - Returns: The values.
  /// - Throws: `CocoaError` for values that cannot be read. For the type alone, a missing file is not an error.
  public func resourceValues(forKeys keys: [URLResourceKey]) throws -> URLResourceValues {
    var keys = Set(keys)
    if keys.contains(.contentTypeKey) { keys.insert(.pathKey) }
    return try resourceValues(forKeys: keys)
  }
}

extension URLResourceValues {
  /// The type of the file by its name, from the registry of this process.
  ///
  /// A directory may have the type of a package. The value is `nil` if neither the type nor the path was requested.
  /// Follows links. Reads the status of the file at each call; the type of a missing file also follows from its name.
  /// Follows Apple's
  /// [`contentType`](https://developer.apple.com/documentation/foundation/urlresourcevalues/contenttype).
  public var contentType: UTType? {
    path.flatMap { try? UTType.identify(fileAt: $0, by: .name).type }
  }
}
