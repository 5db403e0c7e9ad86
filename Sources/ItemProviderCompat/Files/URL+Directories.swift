// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

public import Foundation
internal import Glibc

/// The directories that Apple's Foundation adds to `URL`. None of them is created.
///
/// The user's own directories follow `user-dirs.dirs` of xdg-user-dirs, and the variables of the XDG Base Directory
/// Specification.
extension URL {
  /// Cached files of the user: `$XDG_CACHE_HOME`, or `~/.cache`.
  public static var cachesDirectory: URL { ofUser(.cachesDirectory, or: ".cache") }
  /// Data files of programs: `$XDG_DATA_HOME`, or `~/.local/share`.
  public static var applicationSupportDirectory: URL { ofUser(.applicationSupportDirectory, or: ".local/share") }
  /// The same directory as `applicationSupportDirectory`, because Linux has no `~/Library`.
  public static var libraryDirectory: URL { applicationSupportDirectory }
  /// The user's documents, by default `~/Documents`.
  public static var documentsDirectory: URL { chosen("DOCUMENTS", or: "Documents") }
  /// The user's downloads, by default `~/Downloads`.
  public static var downloadsDirectory: URL { chosen("DOWNLOAD", or: "Downloads") }
  /// The user's desktop, by default `~/Desktop`.
  public static var desktopDirectory: URL { chosen("DESKTOP", or: "Desktop") }
  /// The user's pictures, by default `~/Pictures`.
  public static var picturesDirectory: URL { chosen("PICTURES", or: "Pictures") }
  /// The user's films, by default `~/Videos`.
  public static var moviesDirectory: URL { chosen("VIDEOS", or: "Videos") }
  /// The user's music, by default `~/Music`.
  public static var musicDirectory: URL { chosen("MUSIC", or: "Music") }
  /// The files that the user shares with others, by default `~/Public`.
  public static var sharedPublicDirectory: URL { chosen("PUBLICSHARE", or: "Public") }
  /// The files in the user's trash: `Trash/files` in `applicationSupportDirectory`, as the
  /// specification of freedesktop.org requires.
  ///
  /// A file that is only moved to this directory has no record of its origin.
  public static var trashDirectory: URL {
    applicationSupportDirectory.appendingPathComponent("Trash/files", isDirectory: true)
  }
  /// The descriptions of the installed programs: `/usr/share/applications`.
  public static var applicationDirectory: URL { URL(fileURLWithPath: "/usr/share/applications", isDirectory: true) }
  /// The home directories of the users: `/home`.
  public static var userDirectory: URL { URL(fileURLWithPath: "/home", isDirectory: true) }

  /// Creates the URL of a directory of the system or the user.
  ///
  /// - Parameters:
  ///   - directory: The directory.
  ///   - domain: The domain. Foundation on Linux supports little besides `.userDomainMask`.
  ///   - url: A URL on the volume of a replacement directory; unused for other directories.
  ///   - shouldCreate: Whether the directory is created if it does not exist.
  /// - Throws: The error of `FileManager` if the directory does not exist on Linux, or cannot be created.
  public init(
    for directory: FileManager.SearchPathDirectory, in domain: FileManager.SearchPathDomainMask,
    appropriateFor url: URL? = nil, create shouldCreate: Bool = false
  ) throws {
    self = try FileManager.default.url(for: directory, in: domain, appropriateFor: url, create: shouldCreate)
  }

  /// Returns a directory of the user; if Foundation does not know the directory, it is below the home directory.
  private static func ofUser(_ directory: FileManager.SearchPathDirectory, or name: String) -> URL {
    let found = FileManager.default.urls(for: directory, in: .userDomainMask).first
    // Foundation ends the path with a slash only if the directory exists.
    let path = found?.path ?? homeDirectory.appendingPathComponent(name).path
    return URL(fileURLWithPath: path, isDirectory: true)
  }

  /// Returns the directory that the user has chosen in `user-dirs.dirs`, by default one in the home directory.
  ///
  /// Foundation does not know that the paths of this file are in quotation marks.
  private static func chosen(_ key: String, or name: String) -> URL {
    let home = homeDirectory.path
    let configuration = getenv("XDG_CONFIG_HOME").map { String(cString: $0) } ?? ""
    let folder = configuration.hasPrefix("/") ? configuration : home + "/.config"
    let choices = (try? String(contentsOfFile: folder + "/user-dirs.dirs", encoding: .utf8)) ?? ""
    for line in choices.split(separator: "\n").reversed() {
      guard let match = line.wholeMatch(of: /\s*XDG_([A-Z]+)_DIR="(\$HOME(?=["\/]))?(.*)"\s*/), match.1 == key else {
        continue
      }
      let path = (match.2 == nil ? "" : home) + match.3.replacing(/\\(.)/) { $0.1 }
      if path.hasPrefix("/") { return URL(fileURLWithPath: path, isDirectory: true) }
    }
    return URL(fileURLWithPath: home + "/" + name, isDirectory: true)
  }
}
