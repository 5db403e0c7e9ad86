// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import DropSystem
internal import Foundation
internal import Synchronization

/// One file of a coordinated access.
struct FileClaim: Sendable {
  let url: URL
  let isWrite: Bool
  /// The path without links, which identifies the file.
  private let components: [String]

  init(reading url: URL, _ options: NSFileCoordinator.ReadingOptions) {
    self.init(options.contains(.resolvesSymbolicLink) ? url.resolvingSymlinksInPath() : url, isWrite: false)
  }

  init(writing url: URL) {
    self.init(url, isWrite: true)
  }

  private init(_ url: URL, isWrite: Bool) {
    self.url = url
    self.isWrite = isWrite
    components = url.resolvingSymlinksInPath().pathComponents
  }

  /// Returns whether the accesses exclude each other: at least one writes, and one path equals or contains the other.
  func conflicts(with other: FileClaim) -> Bool {
    guard isWrite || other.isWrite else { return false }
    return components.starts(with: other.components) || other.components.starts(with: components)
  }
}

/// A coordinated access, from its request to its end.
// Sendable because its state is constant.
final class FileAccessRequest: @unchecked Sendable {
  let claims: [FileClaim]
  let owner: ObjectIdentifier
  let purpose: String
  fileprivate let wakeUp = DispatchSemaphore(value: 0)

  init(claims: [FileClaim], owner: ObjectIdentifier, purpose: String) {
    self.claims = claims
    self.owner = owner
    self.purpose = purpose
  }

  fileprivate func waits(for other: FileAccessRequest) -> Bool {
    purpose != other.purpose && claims.contains { claim in other.claims.contains { claim.conflicts(with: $0) } }
  }
}

/// The granted and waiting accesses, in the order of their requests.
///
/// Requests with the same purpose do not conflict.
struct FileAccessList: Sendable {
  private var entries: [(request: FileAccessRequest, isGranted: Bool)] = []

  /// Adds a request, and returns whether it is granted: no earlier request conflicts with it.
  mutating func add(_ request: FileAccessRequest) -> Bool {
    let isFree = !entries.contains { request.waits(for: $0.request) }
    entries.append((request, isFree))
    return isFree
  }

  /// Removes a request, and returns the waiting requests that are granted as a result.
  mutating func remove(_ request: FileAccessRequest) -> [FileAccessRequest] {
    entries.removeAll { $0.request === request }
    return grantFree()
  }

  /// Removes the waiting requests of an owner.
  ///
  /// - Returns: The removed requests, and the waiting requests that are granted as a result.
  mutating func cancel(_ owner: ObjectIdentifier) -> (cancelled: [FileAccessRequest], granted: [FileAccessRequest]) {
    let cancelled = entries.filter { $0.request.owner == owner && !$0.isGranted }.map(\.request)
    entries.removeAll { $0.request.owner == owner && !$0.isGranted }
    return (cancelled, grantFree())
  }

  func contains(_ request: FileAccessRequest) -> Bool {
    entries.contains { $0.request === request }
  }

  /// Grants each waiting request that conflicts with no earlier request.
  ///
  /// The time is quadratic in the number of requests.
  private mutating func grantFree() -> [FileAccessRequest] {
    var granted: [FileAccessRequest] = []
    for index in entries.indices where !entries[index].isGranted {
      let request = entries[index].request
      guard !entries[..<index].contains(where: { request.waits(for: $0.request) }) else { continue }
      entries[index].isGranted = true
      granted.append(request)
    }
    return granted
  }
}

/// The queue of the coordinated accesses of this process.
final class FileAccessQueue: Sendable {
  static let shared = FileAccessQueue()

  private let list = Lock(FileAccessList())

  /// Blocks the calling thread until no earlier request conflicts; returns `false` after a cancellation.
  func enter(_ request: FileAccessRequest) -> Bool {
    if list.withLock({ $0.add(request) }) { return true }
    request.wakeUp.wait()
    return list.withLock { $0.contains(request) }
  }

  /// Ends an access.
  func leave(_ request: FileAccessRequest) {
    let granted = list.withLock { $0.remove(request) }
    for next in granted { next.wakeUp.signal() }
  }

  /// Cancels the waiting requests of an owner.
  func cancel(_ owner: ObjectIdentifier) {
    let (cancelled, granted) = list.withLock { $0.cancel(owner) }
    for request in cancelled + granted { request.wakeUp.signal() }
  }
}
