// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import UniformTypes

extension URLResourceKey {
  /// The key of a file's type, which ``Foundation/URLResourceValues/contentType`` returns.
  public static let contentTypeKey = URLResourceKey(rawValue: "NSURLContentTypeKey")
}

extension URL {
  /// Returns the resource values for keys, the type of the file included.
  ///
  /// ```swift
  /// let type = try url.resourceValues(forKeys: [.contentTypeKey]).contentType
  /// ```
  ///
  /// Foundation's own function does not know the key of the type. The compiler prefers this function for a literal list of
  /// keys. For the type, it requests the path as well.
  ///
  /// - Parameter keys: The requested keys; unknown ones are ignored.
  /// - Returns: The values.
  /// - Throws: `CocoaError` for values that cannot be read. A missing file has no type, and is not an error.
  public func resourceValues(forKeys keys: [URLResourceKey]) throws -> URLResourceValues {
    var keys = Set(keys)
    if keys.contains(.contentTypeKey) { keys.insert(.pathKey) }
    return try resourceValues(forKeys: keys)
  }
}

extension URLResourceValues {
  /// The type of the file by its name, in the registry of this process; a directory's may be a package.
  ///
  /// `nil` if neither the type nor the path was requested. Follows links. Reads the status of the file at each call.
  /// Follows Apple's
  /// [`contentType`](https://developer.apple.com/documentation/foundation/urlresourcevalues/contenttype).
  public var contentType: UTType? {
    path.flatMap { try? UTType.identify(fileAt: $0, by: .name).type }
  }
}
