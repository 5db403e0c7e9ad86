// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DisplayWire
internal import DropSystem
internal import FoundationEssentials
internal import Glibc
internal import Synchronization

/// The portal `org.freedesktop.portal.FileTransfer`, through which sandboxed programs exchange files.
///
/// A source gives files to the portal, which returns a key. The key crosses as ``TargetName/portalFiles``. The target
/// passes it to the portal, which returns paths that the target can access. The portal drops all keys of a source once
/// its connection to the bus ends.
final class FileTransferPortal: Sendable {
  /// The maximum number of transfers that no target has taken; the oldest is stopped.
  static let maximumTransfers = 16
  /// The maximum length of a key in bytes.
  static let maximumKeyBytes = 1024

  private let bus: BusConnection
  /// The keys of the transfers that are not stopped, oldest first.
  private let keys = Lock<[String]>([])

  /// Creates a client of the portal, which connects at the first transfer.
  init(_ bus: BusConnection) {
    self.bus = bus
  }

  // MARK: Discovery

  /// Whether the sandbox of Flatpak runs this program.
  static let isSandboxed = (try? SystemCalls.statusAt(AT_FDCWD, "/.flatpak-info")) != nil

  /// Returns the portal of this session; `nil` if it does not run.
  ///
  /// A running portal has mounted its file system, which a start of a sandboxed program requires. The list of mounts
  /// shows it without a message to the bus, which would delay the start of a drag.
  static func ofSession() -> FileTransferPortal? {
    let environment = ProcessVariables.values(of: ["DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR"])
    guard let mounts = try? Data(contentsOf: URL(filePath: "/proc/self/mountinfo")),
      isMounted(in: String(decoding: mounts, as: UTF8.self), of: environment["XDG_RUNTIME_DIR"] ?? ""),
      let addresses = try? BusAddress.session(environment), addresses.contains(where: exists)
    else { return nil }
    return FileTransferPortal(
      BusConnection { (timeout) throws(DisplayError) in try BusAddress.connect(to: addresses, timeout: timeout) })
  }

  /// Returns whether the socket of an address may exist: the mount may outlive the bus.
  private static func exists(_ address: BusAddress) -> Bool {
    guard case .path(let path) = address else { return true }
    return (try? SystemCalls.statusAt(AT_FDCWD, path, 0)) != nil
  }

  /// Returns whether a list of mounts, as in proc(5), has the file system of the portal.
  ///
  /// - Parameters:
  ///   - mounts: The list.
  ///   - directory: The runtime directory of the user, in which the portal mounts its file system outside of a sandbox.
  /// - Returns: Whether the portal of this user or of this sandbox runs.
  static func isMounted(in mounts: String, of directory: String) -> Bool {
    mounts.split(separator: "\n").contains { line in
      let fields = line.split(separator: " ")
      guard fields.count > 6, let separator = fields[6...].firstIndex(of: "-") else { return false }
      return fields[separator...].dropFirst().first == "fuse.portal"
        && ["\(directory)/doc", "/run/flatpak/doc"].contains(fields[4])
    }
  }

  // MARK: Sending

  /// Starts a transfer of files for one target.
  ///
  /// - Returns: The key of the transfer.
  /// - Throws: `sourceFailed` if the portal refuses a file, as earlier versions refuse folders; `timedOut`;
  ///   `cancelled`; `SystemError` for a file that cannot be opened.
  func share(_ paths: [String]) async throws -> String {
    // The portal ends the transfer when a target takes the files, so each request has its own transfer.
    let options: [BusCall.Argument] = [.options([("writable", false), ("autostop", true)])]
    let key = try await call("StartTransfer", options) { (response) throws(DisplayError) in try response.string() }
    do {
      for start in stride(from: 0, to: paths.count, by: BusCall.maximumDescriptors) {
        let next = paths[start...].prefix(BusCall.maximumDescriptors)
        let descriptors = try await runBlocking { () throws(SystemError) in try Self.open(next) }
        defer { Self.close(descriptors) }
        try await call("AddFiles", [.string(key), .descriptors(descriptors), .options([])]) { _ in }
      }
    } catch {
      await stop(key)
      throw error
    }
    await add(key)
    return key
  }

  /// Opens regular files without access to their content, which suffices for the portal.
  private static func open(_ paths: ArraySlice<String>) throws(SystemError) -> [CInt] {
    var descriptors: [CInt] = []
    do throws(SystemError) {
      for path in paths {
        let file = try OwnedDescriptor.reference(path)
        guard try SystemCalls.status(file.raw).kind == .regular else { throw SystemError(EINVAL, in: "open") }
        descriptors.append(file.release())
      }
    } catch {
      close(descriptors)
      throw error
    }
    return descriptors
  }

  private static func close(_ descriptors: [CInt]) {
    for descriptor in descriptors { try? SystemCalls.close(descriptor) }
  }

  private func add(_ key: String) async {
    let closed = bus.takeSignals().filter { $0.member == "TransferClosed" }.compactMap { try? $0.string() }
    let oldest = keys.withLock { keys in
      keys.removeAll { closed.contains($0) }
      keys.append(key)
      return keys.count > Self.maximumTransfers ? keys.removeFirst() : nil
    }
    if let oldest { await stop(oldest) }
  }

  private func stop(_ key: String) async {
    // The portal reports an error for a transfer that has ended.
    try? await call("StopTransfer", [.string(key)]) { _ in }
  }

  // MARK: Receiving

  /// Takes the files of a transfer, which usually ends the transfer.
  ///
  /// - Parameter value: The value of ``TargetName/portalFiles``: a key, with or without a NUL after it.
  /// - Returns: The addresses of the files.
  /// - Throws: `malformed` for an invalid key or path; `limitExceeded`; `sourceFailed`, `timedOut`, `cancelled`.
  func addresses(of value: Data) async throws -> [String] {
    let bytes = value.last == 0 ? value.dropLast() : value
    guard (1...Self.maximumKeyBytes).contains(bytes.count), !bytes.contains(0),
      let key = String(validating: bytes, as: UTF8.self)
    else { throw DesktopError(.malformed, "the key of a file transfer is not a short text") }
    let paths = try await call("RetrieveFiles", [.string(key), .options([])]) { (response) throws(DisplayError) in
      try response.strings()
    }
    guard paths.count <= URIList.maximumCount else {
      throw DesktopError(
        .limitExceeded, "the portal returns \(paths.count) files, and the limit is \(URIList.maximumCount)")
    }
    return try paths.map { path in
      guard path.hasPrefix("/"), path.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
        throw DesktopError(.malformed, "the portal returns the path \(path.escapedForDisplay(limit: 200))")
      }
      return URL(filePath: path, directoryHint: .notDirectory).absoluteString
    }
  }

  private func call<Value: Sendable>(
    _ method: String, _ arguments: [BusCall.Argument], _ decode: (BusMessage) throws(DisplayError) -> Value
  ) async throws(DesktopError) -> Value {
    let call = BusCall(
      method, of: "org.freedesktop.portal.FileTransfer", at: "/org/freedesktop/portal/documents",
      in: "org.freedesktop.portal.Documents", arguments)
    do throws(DisplayError) {
      return try decode(try await bus.call(call))
    } catch {
      let code: DesktopError.Code = [.timedOut: .timedOut, .cancelled: .cancelled][error.code] ?? .sourceFailed
      throw DesktopError(code, "\(method) of the file transfer portal: \(error)")
    }
  }
}
