// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import DropTransport
internal import FoundationEssentials
internal import ItemTransfer
internal import UniformTypes

/// The items that another program offers through the clipboard or a drag.
struct IncomingItems: Sendable {
  let content: any ForeignContent
  /// The names of the offered types.
  let names: [String]
  /// The progress of a drop stream, which advances with each received byte.
  var progress: ItemProgress?
  /// Whether this program may be unable to reach the offered addresses.
  var isSandboxed = FileTransferPortal.isSandboxed
  /// Returns the portal that makes files accessible.
  var portal: @Sendable () -> FileTransferPortal? = { .ofSession() }

  /// Creates the items.
  ///
  /// A drop stream is received completely, and a list of addresses is requested. Other representations are requested
  /// when they are loaded.
  ///
  /// - Returns: The items of a drop stream, if offered; else an item for each address, if any address starts with
  ///   `file:`; else a single item.
  /// - Throws: The errors of ``ForeignContent``; the errors of a drop stream; `malformed` if a web page has chosen
  ///   files, or for a file that ``URIList/file(_:)`` refuses; `nothingOffered` without a usable type.
  func items() async throws -> [ItemProvider] {
    if isStream {
      return try await withStream { source, idleTimeout in
        var options = DropStreamOptions()
        options.idleTimeout = idleTimeout
        return try await DropStream.withReader(from: source, options: options) { try await $0.collect() }
      }
    }
    if isSandboxed || !names.contains(TargetName.uriList), let files = try await portalFiles() { return files }
    var addresses: [String] = []
    if names.contains(TargetName.uriList) {
      addresses = try URIList(parsing: await content.data(of: TargetName.uriList, limit: URIList.maximumBytes)).entries
    }
    guard !addresses.contains(where: URIList.isFile) else {
      do {
        return try await files(addresses)
      } catch let error as DesktopError where error.code == .nothingOffered {
        // The source may be in a sandbox, whose paths have other files or none here.
        if let files = try await portalFiles() { return files }
        throw error
      }
    }
    let item = ItemProvider()
    register(in: item)
    for address in addresses.prefix(1) { item.register(.url) { _ in Data(address.utf8) } }
    guard !item.contentTypes(visibleTo: .ownProcess).isEmpty else {
      throw DesktopError(.nothingOffered, "the other program offers no known type")
    }
    return [item]
  }

  /// Returns the addresses without requesting the content.
  ///
  /// If no address starts with `file:`, the result is only the first address.
  ///
  /// - Throws: The errors of ``items()``; `nothingOffered` if there is no list of addresses.
  func addresses() async throws -> [URL] {
    let names = names.filter { [TargetName.uriList, TargetName.rendererTaint].contains($0) }
    guard names.contains(TargetName.uriList) else {
      throw DesktopError(.nothingOffered, "the other program offers no address")
    }
    var addresses: [URL] = []
    for item in try await IncomingItems(content: content, names: names).items() {
      addresses.append(try await item.value(as: URL.self))
    }
    return addresses
  }

  /// Whether the owner offers a drop stream.
  var isStream: Bool { names.contains(TargetName.drop) }

  /// Receives a drop stream while `body` reads it.
  ///
  /// - Parameters:
  ///   - actor: The caller's isolation; omit it.
  ///   - body: Reads the stream to its verified end, with an idle timeout.
  /// - Returns: The result of `body`.
  /// - Throws: The errors of `body`; if the selection has failed, its error in place of that of a truncated stream.
  func withStream<Result>(
    isolation actor: isolated (any Actor)? = #isolation, _ body: (DropEndpoint, Duration?) async throws -> Result
  ) async throws -> Result {
    // A copy would only count the bytes.
    if progress == nil, let pipe = try await content.pipe(of: TargetName.drop) {
      return try await body(.descriptor(pipe), content.options.idleTimeout)
    }
    let pipe = try SystemCalls.pipe()
    let (chunks, progress) = (content.chunks(of: TargetName.drop), progress)
    async let copying: Void = {
      let output = try ChunkSink(.descriptor(pipe.write))
      for try await chunk in chunks {
        try await output.write(chunk)
        progress?.advance(by: Int64(chunk.count))
      }
    }()
    do {
      // A verified stream is complete, even if the owner then fails to end the value.
      return try await body(.descriptor(pipe.read), nil)
    } catch let error as DropStreamError where [.truncated, .empty].contains(error.code) {
      // The error of the selection explains why the stream is truncated.
      do { try await copying } catch let cause as DesktopError { throw cause } catch {}
      throw error
    }
  }

  /// Returns the files that the owner has given to the portal.
  ///
  /// - Returns: `nil` if the owner offers none, or if they cannot be used; the addresses may then lead to the files.
  /// - Throws: `CancellationError`.
  private func portalFiles() async throws -> [ItemProvider]? {
    guard names.contains(TargetName.portalFiles), let portal = portal() else { return nil }
    do {
      let value = try await content.data(of: TargetName.portalFiles, limit: FileTransferPortal.maximumKeyBytes + 1)
      let addresses = try await portal.addresses(of: value)
      return addresses.isEmpty ? nil : try await files(addresses)
    } catch {
      try Task.checkCancellation()
      return nil
    }
  }

  private func files(_ addresses: [String]) async throws -> [ItemProvider] {
    guard !names.contains(TargetName.rendererTaint) else {
      throw DesktopError(.malformed, "a page has chosen the addresses of the files, which is not allowed")
    }
    return try await runBlocking {
      try addresses.map { address in
        guard URIList.isFile(address) else {
          let page = ItemProvider()
          page.register(.url) { _ in Data(address.utf8) }
          return page
        }
        return ItemProvider(unlinked: try URIList.file(address))
      }
    }
  }

  /// Registers a representation for each usable type, in the order of ``TargetName/rank(of:)``.
  private func register(in item: ItemProvider) {
    let found = names.compactMap { name in TargetName.type(for: name).map { (name, $0.type, $0.conversion) } }
    let content = content
    let ranked = found.enumerated().sorted {
      (TargetName.rank(of: $0.element.1), $0.offset) < (TargetName.rank(of: $1.element.1), $1.offset)
    }
    for (_, (name, type, conversion)) in ranked {
      if case .mozillaURL = conversion {
        item.register(type) { _ in
          try TargetName.Conversion.address(
            ofMozillaURL: try await content.data(of: name, limit: URIList.maximumBytes))
        }
      } else if let encoding = conversion.textEncoding {
        item.registerStream(type) { _ in DecodedText(chunks: content.chunks(of: name), encoding: encoding) }
      } else {
        item.registerStream(type) { _ in content.chunks(of: name).map { Data($0) } }
      }
    }
  }
}

extension ItemProvider {
  /// Creates a provider of a file or a folder; blocks.
  ///
  /// A load of the content fails if the path has become a link, or anything else except a regular file or a folder.
  convenience init(unlinked file: URL) {
    self.init(suggestedName: file.lastPathComponent)
    let type = (try? UTType.identify(fileAt: file.path, by: .name).type) ?? .data
    let size = URIList.byteCount(of: file.path).map { ItemSize.estimated($0) } ?? .unknown
    registerFile(type, size: size) { _ in
      try await runBlocking { try URIList.check(file.path, file.path.escapedForDisplay()) }
      return SentTransferredFile(file)
    }
    register(.fileURL) { _ in try file.foreignText() }
  }
}
