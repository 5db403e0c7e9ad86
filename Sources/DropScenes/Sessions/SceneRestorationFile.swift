// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import DropTransport
internal import FoundationEssentials
internal import Glibc
internal import ItemCoding
internal import ItemTransfer
public import UniformTypes

extension UTType {
  /// A scene's session as CBOR.
  public static let sceneSession = UTType(exportedAs: "org.dragpipe.scene-session", conformingTo: .data)
  /// What comes first in a file of sessions: its version, and how many there are.
  public static let sceneRestoration = UTType(exportedAs: "org.dragpipe.scene-restoration", conformingTo: .data)
}

/// Where an app keeps the sessions of its scenes from one run to the next.
///
/// ```swift
/// let file = SceneRestorationFile(path: "/home/io/.local/state/board/scenes.drop")
/// let sessions = try await file.load()       // none before the first run
/// try await file.save(sessions)
/// ```
///
/// It is a `.drop` file, so that what is damaged or cut is known for it: first an item of ``UniformTypes/UTType/sceneRestoration``,
/// then one of ``UniformTypes/UTType/sceneSession`` for each session, beside its activity where it has one. A new file
/// takes the place of the old one when it is whole.
public struct SceneRestorationFile: Sendable {
  /// The version that is written, and the newest that is read.
  public static let version = 1
  /// The most sessions that are kept.
  public static let maximumSessionCount = 1000

  /// Where it is.
  public let path: String

  /// Names a file, which need not be there.
  public init(path: String) {
    self.path = path
  }

  /// Writes sessions in the place of what was there.
  ///
  /// - Parameter sessions: At most ``maximumSessionCount``, in an order that is kept.
  /// - Throws: `SceneRestorationError`; what was there stays then. `DropStreamError.cancelled` is `cancelled` here.
  public func save(_ sessions: [SceneSession]) async throws(SceneRestorationError) {
    guard sessions.count <= Self.maximumSessionCount else {
      throw SceneRestorationError(.limitExceeded, path, "there are more than \(Self.maximumSessionCount) sessions")
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

  /// Reads the sessions, all or none.
  ///
  /// - Returns: The sessions in the order in which they were saved; none where there is no file.
  /// - Throws: `SceneRestorationError`: `damaged` for a file that is cut, changed or no file of sessions, `newerVersion`,
  ///   `limitExceeded`, `unreadable`, `cancelled`.
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
            throw SceneRestorationError(.damaged, path, "item \(sessions.count + 2) is none of its sessions")
          }
          sessions.append(try await decode(SceneSession.self, .sceneSession, of: item))
        }
        guard let header else { throw SceneRestorationError(.damaged, path, "it says nothing of sessions") }
        guard sessions.count == header.sessionCount else {
          throw SceneRestorationError(
            .damaged, path, "\(header.sessionCount) sessions were promised, \(sessions.count) are there")
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
      throw SceneRestorationError(.damaged, path, "it is no file of sessions")
    }
    // A newer version may say everything else in another way.
    let version = try await decode(Version.self, .sceneRestoration, of: item).version
    guard version <= Self.version else {
      throw SceneRestorationError(.newerVersion, path, "it has version \(version), and \(Self.version) is known")
    }
    let header = try await decode(Header.self, .sceneRestoration, of: item)
    guard version > 0, header.sessionCount >= 0 else {
      throw SceneRestorationError(.damaged, path, "its header makes no sense")
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
        .damaged, path, "\(contentType.identifier) cannot be read: \("\(error)".escapedForDisplay())")
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
