// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

public import Foundation

extension NSURL {
  /// Options for the resolution of an alias file.
  ///
  /// They have no effect on Linux. Follows Apple's
  /// [`BookmarkResolutionOptions`](https://developer.apple.com/documentation/foundation/nsurl/bookmarkresolutionoptions).
  public struct BookmarkResolutionOptions: OptionSet, Sendable {
    /// The bits of the options.
    public let rawValue: UInt

    /// Creates options from their bits.
    public init(rawValue: UInt) {
      self.rawValue = rawValue
    }

    /// Resolution without a user interface.
    public static let withoutUI = BookmarkResolutionOptions(rawValue: 1 << 8)
    /// Resolution that does not mount a volume.
    public static let withoutMounting = BookmarkResolutionOptions(rawValue: 1 << 9)
    /// Resolution of a bookmark with a security scope.
    public static let withSecurityScope = BookmarkResolutionOptions(rawValue: 1 << 10)
    /// Resolution without the start of an access to the security scope.
    public static let withoutImplicitStartAccessing = BookmarkResolutionOptions(rawValue: 1 << 15)
  }
}

extension URL {
  /// Options for the resolution of an alias file, which have no effect on Linux.
  public typealias BookmarkResolutionOptions = NSURL.BookmarkResolutionOptions

  /// Creates the URL of the file that a symbolic link leads to; any other URL stays the same.
  ///
  /// Symbolic links are the alias files of Linux. If the last component of the path is a link, all links in the path are
  /// resolved. Blocks while the file system is read.
  ///
  /// - Parameters:
  ///   - url: A file URL.
  ///   - options: Options, which have no effect.
  /// - Throws: `CocoaError.fileReadUnsupportedScheme` for a URL that is not a file URL, and another `CocoaError` if the
  ///   file or the destination of the link does not exist.
  public init(resolvingAliasFileAt url: URL, options: BookmarkResolutionOptions = []) throws {
    guard url.isFileURL else { throw CocoaError(.fileReadUnsupportedScheme, userInfo: [NSURLErrorKey: url]) }
    // Follows links, so a link to a missing file also throws.
    _ = try url.checkResourceIsReachable()
    let isLink = (try? FileManager.default.destinationOfSymbolicLink(atPath: url.path)) != nil
    self = isLink ? url.resolvingSymlinksInPath() : url
  }
}
