// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import DropTransport
internal import FoundationEssentials
internal import Glibc
internal import ItemCoding
internal import ItemTransfer
internal import UniformTypes

extension UTType {
  /// A scene session as CBOR.
  static let sceneSession = UTType(exportedAs: "org.dragpipe.scene-session", conformingTo: .data)
  /// The header of a file of sessions as CBOR: its version and the number of sessions.
  static let sceneRestoration = UTType(exportedAs: "org.dragpipe.scene-restoration", conformingTo: .data)
}

/// A file that keeps an app's scene sessions between runs.
///
/// ```swift
/// let file = SceneRestorationFile(path: "/home/io/.local/state/board/scenes.drop")
/// let sessions = try await file.load()       // none before the first run
/// try await file.save(sessions)
/// ```
///
/// The file is a `.drop` file, so corruption and truncation are detected. The first item is a header. An item follows
/// for each session, with its activity if there is one. A new file replaces the old file only once the new file is
/// complete.
public struct SceneRestorationFile: Sendable {
  /// The version that is written, which is also the newest version that can be read.
  static let version = 1
  /// The maximum number of sessions.
  static let maximumSessionCount = 1000

  /// The path of the file.
  public let path: String

  /// Creates a reference to a file, which need not exist.
  public init(path: String) {
    self.path = path
  }

  /// Saves sessions in place of the sessions in the file.
  ///
  /// - Parameter sessions: At most 1000 sessions; their order is kept.
  /// - Throws: `SceneRestorationError`. In that case, the previous file is kept.
  public func save(_ sessions: [SceneSession]) async throws(SceneRestorationError) {
    guard sessions.count <= Self.maximumSessionCount else {
      throw SceneRestorationError(
        .limitExceeded, path, "\(sessions.count) sessions exceed the limit of \(Self.maximumSessionCount)")
    }
    do {
      try await DropStream.withWriter(to: .file(path, replacing: true)) { writer in
        let header = Header(version: Self.version, sessionCount: sessions.count)
        try await writer.write(Self.item(header, .sceneRestoration))
        for session in sessions {
          let item = Self.item(session, .sceneSession)
          if let activity = session.stateRestorationActivity { item.register(activity) }
          try await writer.write(item)
        }
      }
    } catch {
      throw SceneRestorationError(writing: path, error)
    }
  }

  private static func item(_ value: some Encodable & Sendable, _ type: UTType) -> ItemProvider {
    let item = ItemProvider()
    item.register(type) { _ in try CBOREncoder().encode(value) }
    return item
  }

  /// Loads all sessions, or none.
  ///
  /// - Returns: The sessions in the order in which they were saved; none if the file does not exist.
  /// - Throws: `SceneRestorationError`: `corrupt` for a file that is truncated or corrupt, has more than 1000 sessions,
  ///   or is not a file of sessions; `newerVersion`, `unreadable`, `cancelled`.
  public func load() async throws(SceneRestorationError) -> [SceneSession] {
    var options = DropStreamOptions()
    options.limits.items = UInt64(Self.maximumSessionCount) + 1
    do {
      return try await DropStream.withReader(from: .file(path), options: options) { items in
        var header: Header?
        var sessions: [SceneSession] = []
        for try await item in items {
          guard let header else {
            header = try await self.header(of: item)
            continue
          }
          guard item.contentTypes.first == .sceneSession, sessions.count < header.sessionCount else {
            throw SceneRestorationError(.corrupt, path, "item \(sessions.count + 2) is not an expected session")
          }
          sessions.append(try await decode(SceneSession.self, .sceneSession, of: item))
        }
        guard let header else { throw SceneRestorationError(.corrupt, path, "missing header") }
        guard sessions.count == header.sessionCount else {
          throw SceneRestorationError(
            .corrupt, path, "expected \(header.sessionCount) sessions, found \(sessions.count)")
        }
        return sessions
      }
    } catch let error as DropStreamError where error.errorNumber == ENOENT {
      return []
    } catch {
      throw SceneRestorationError(reading: path, error)
    }
  }

  private func header(of item: ItemProvider) async throws -> Header {
    guard item.contentTypes.first == .sceneRestoration else {
      throw SceneRestorationError(.corrupt, path, "not a file of scene sessions")
    }
    // The version is decoded separately, because a newer version may change all other fields.
    let version = try await decode(Version.self, .sceneRestoration, of: item).version
    guard version <= Self.version else {
      throw SceneRestorationError(
        .newerVersion, path, "version \(version) is newer than the supported version \(Self.version)")
    }
    let header = try await decode(Header.self, .sceneRestoration, of: item)
    guard version > 0, header.sessionCount >= 0 else {
      throw SceneRestorationError(.corrupt, path, "invalid header: version \(version), \(header.sessionCount) sessions")
    }
    return header
  }

  private func decode<Value: Decodable>(_ type: Value.Type, _ contentType: UTType, of item: ItemProvider) async throws
    -> Value
  {
    let data = try await item.data(for: contentType)
    do {
      return try CBORDecoder().decodeForeign(type, from: data)
    } catch {
      throw SceneRestorationError(
        .corrupt, path, "\(contentType.identifier) cannot be decoded: \("\(error)".escapedForDisplay())")
    }
  }

  private struct Version: Decodable {
    var version: Int
  }

  private struct Header: Codable, Sendable {
    var version: Int
    var sessionCount: Int
  }
}

/// An error of saving or loading scene sessions.
public struct SceneRestorationError: Error, Sendable {
  /// The kinds of errors.
  @nonexhaustive public enum Code: Sendable, Hashable {
    /// The file is truncated or corrupt, has too many sessions, or is not a file of sessions.
    case corrupt
    /// A newer version of this package has written the file.
    case newerVersion
    /// There are more sessions to save than the limit.
    case limitExceeded
    /// The file cannot be opened or read.
    case unreadable
    /// The file cannot be written.
    case unwritable
    /// The task was cancelled.
    case cancelled
  }

  /// The kind of error.
  public let code: Code
  /// The path of the file.
  public let path: String
  /// The reason as a phrase, safe to show on a terminal.
  public let reason: String
  /// The underlying error, if any.
  public let underlyingError: (any Error)?

  init(_ code: Code, _ path: String, _ reason: String, underlyingError: (any Error)? = nil) {
    self.code = code
    self.path = path
    self.reason = reason
    self.underlyingError = underlyingError
  }

  /// Creates the error for a failed save from an underlying error.
  init(writing path: String, _ error: any Error) {
    self.init(path, error, otherwise: .unwritable)
  }

  init(reading path: String, _ error: any Error) {
    let isSystems = [.sourceUnavailable, .systemCall].contains((error as? DropStreamError)?.code)
    self.init(path, error, otherwise: isSystems ? .unreadable : .corrupt)
  }

  private init(_ path: String, _ error: any Error, otherwise code: Code) {
    if let known = error as? SceneRestorationError {
      self = known
      return
    }
    let isCancelled =
      error is CancellationError || (error as? DropStreamError)?.code == .cancelled
      || (error as? ItemProviderError)?.code == .cancelled
    self.init(isCancelled ? .cancelled : code, path, "\(error)", underlyingError: error)
  }
}

extension SceneRestorationError: CustomStringConvertible {
  /// A line with the file and the reason.
  public var description: String { "\(path.escapedForDisplay()): \(reason)" }
}
