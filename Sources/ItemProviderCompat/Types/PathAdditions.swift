// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import UniformTypes

extension NSURL {
  /// Makes a URL for an item of a type in this directory; see `URL`'s method of the same name.
  public func appendingPathComponent(_ partialName: String, conformingTo contentType: UTType) -> URL {
    URL._unconditionallyBridgeFromObjectiveC(self).appendingPathComponent(partialName, conformingTo: contentType)
  }

  /// Adds the type's extension to the last component, unless that has one that fits.
  public func appendingPathExtension(for contentType: UTType) -> URL {
    URL._unconditionallyBridgeFromObjectiveC(self).appendingPathExtension(for: contentType)
  }
}

extension NSString {
  /// Makes a path for an item of a type in this directory, with the type's extension where the name has none that fits.
  ///
  /// - Parameters:
  ///   - partialName: The item's name, with an extension or without.
  ///   - contentType: Its type; one that has no extension leaves the name as it is.
  /// - Returns: The path.
  public func appendingPathComponent(_ partialName: String, conformingTo contentType: UTType) -> String {
    appendingPathComponent(contentType.extending(partialName))
  }

  /// Adds the type's extension to the last component, unless that has one that fits.
  public func appendingPathExtension(for contentType: UTType) -> String {
    let name = lastPathComponent
    let extended = contentType.extending(name)
    let path = String._unconditionallyBridgeFromObjectiveC(self)
    // What was added is at the end of the name, after which there can only be slashes.
    guard extended.count > name.count, let end = path.lastIndex(where: { $0 != "/" }) else { return path }
    return String(path[...end]) + extended.dropFirst(name.count)
  }
}

/// Paths are no text: Apple, too, offers these to URLs and to `NSString` alone.
extension String {
  /// Not for text.
  @available(*, unavailable, message: "use appendingPathComponent(_:conformingTo:) of URL")
  public func appendingPathComponent(_ partialName: String, conformingTo contentType: UTType) -> String {
    fatalError("unavailable")
  }

  /// Not for text.
  @available(*, unavailable, message: "use appendingPathExtension(for:) of URL")
  public func appendingPathExtension(for contentType: UTType) -> String {
    fatalError("unavailable")
  }
}
