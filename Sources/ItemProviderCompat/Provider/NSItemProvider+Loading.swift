// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import DropSystem
internal import Foundation
internal import ItemTransfer
internal import UniformTypes

extension NSItemProvider {
  func startLoadingData(
    _ typeIdentifier: String, _ completionHandler: @escaping @Sendable (Data?, (any Error)?) -> Void
  ) -> Progress {
    load(typeIdentifier) { provider, type, progress, _ in
      try await provider.data(for: type, progress: progress)
    } completionHandler: {
      completionHandler($0, $1)
    }
  }

  func startLoadingFile(
    _ typeIdentifier: String, _ completionHandler: @escaping @Sendable (URL?, (any Error)?) -> Void
  ) -> Progress {
    load(typeIdentifier) { provider, type, progress, call in
      try await provider.choosing(type).item.withFile(for: type, progress: progress) { file in
        await call { completionHandler(file, nil) }
      }
    } completionHandler: { (_: Void?, error) in
      if let error { completionHandler(nil, error) }
    }
  }

  func startLoadingFileInPlace(
    _ typeIdentifier: String, _ completionHandler: @escaping @Sendable (URL?, Bool, (any Error)?) -> Void
  ) -> Progress {
    load(typeIdentifier) { provider, type, progress, call in
      try await provider.choosing(type).item.withInPlaceFile(for: type, progress: progress) { received in
        let file =
          received.isOriginalFile ? received.file : try await runBlocking { try Self.keep(received.file) }
        await call { completionHandler(file, received.isOriginalFile, nil) }
      }
    } completionHandler: { (_: Void?, error) in
      if let error { completionHandler(nil, false, error) }
    }
  }

  /// Moves a file out of a directory that will be removed, into a directory of its own.
  static func keep(_ file: URL) throws -> URL {
    let directory = URL(fileURLWithPath: try TemporaryLocation.standard.makeDirectory(), isDirectory: true)
    let kept = directory.appendingPathComponent(file.lastPathComponent)
    do {
      try FileManager.default.moveItem(at: file, to: kept)
    } catch {
      try? FileManager.default.removeItem(at: directory)
      throw error
    }
    return kept
  }

  // MARK: Common to all loads

  /// Shows the end of the load's progress to the caller, and then calls a handler on a queue.
  typealias HandlerCall = @Sendable (_ handler: @escaping @Sendable () -> Void) async -> Void

  /// The time for a caller that adds the progress of a load to a parent with `addChild`, which changes both.
  private static let timeToAddProgress = Duration.milliseconds(1)

  /// Runs a load in a task, and calls a handler with its result on a queue.
  ///
  /// - Parameters:
  ///   - typeIdentifier: The requested type.
  ///   - load: Loads the value. A load that calls the handler itself does so with its last argument.
  ///   - completionHandler: The handler.
  /// - Returns: The progress, which can cancel the load.
  func load<Value: Sendable>(
    _ typeIdentifier: String,
    _ load: @escaping @Sendable (ItemProvider, UTType, ItemProgress, HandlerCall) async throws -> Value,
    completionHandler: @escaping @Sendable (Value?, (any Error)?) -> Void
  ) -> Progress {
    let progress = ItemProgress()
    let shown = Progress(mirroring: progress)
    let start = ContinuousClock.now
    let call: HandlerCall = { [weak shown] handler in
      // A progress that the caller has released has no parent, and needs no update.
      if let shown {
        try? await Task.sleep(until: start + Self.timeToAddProgress)
        shown.show(progress.snapshot)
      }
      await Self.onQueue(handler)
    }
    Task { [itemProvider] in
      do {
        let value = try await load(itemProvider, UTType(named: typeIdentifier), progress, call)
        progress.finish()
        await call { completionHandler(value, nil) }
      } catch {
        progress.fail(error)
        let error = Self.error(error, loading: typeIdentifier)
        await call { completionHandler(nil, error) }
      }
    }
    return shown
  }

  /// Calls a handler on a queue, because it may block and must not occupy a thread of the cooperative pool.
  static func onQueue(_ body: @escaping @Sendable () -> Void) async {
    await withCheckedContinuation { continuation in
      DispatchQueue(label: "org.dragpipe.completion").async {
        body()
        continuation.resume()
      }
    }
  }
}

extension ItemProvider {
  /// Returns the item with only the representation that a load of a type uses, and what that was registered as.
  ///
  /// A name without an extension gets the extension of the type, since names in Apple's API mostly have none. If no
  /// representation conforms to the type, the item is unchanged.
  func choosing(_ wanted: UTType) async -> (item: ItemProvider, form: ItemRepresentation.Form) {
    let offered = await offered(to: .ownProcess)
    guard let representation = offered.representations.first(where: { $0.conforms(to: wanted) }) else {
      return (self, .data)
    }
    var name = offered.suggestedName
    if let given = name, !given.isEmpty, !given.utf8.contains(UInt8(ascii: "/")) {
      name = representation.contentType.extending(given)
    }
    let only = ItemProvider(suggestedName: name, fileAttributes: offered.fileAttributes, only: representation)
    return (only, representation.form)
  }
}
