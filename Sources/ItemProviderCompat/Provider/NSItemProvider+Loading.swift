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
    load(typeIdentifier) { provider, type, progress in
      try await provider.data(for: type, progress: progress)
    } completionHandler: {
      completionHandler($0, $1)
    }
  }

  func startLoadingFile(
    _ typeIdentifier: String, _ completionHandler: @escaping @Sendable (URL?, (any Error)?) -> Void
  ) -> Progress {
    load(typeIdentifier) { provider, type, progress in
      try await provider.naming(fileOf: type).withFile(for: type, progress: progress) { file in
        await Self.onQueue { completionHandler(file, nil) }
      }
    } completionHandler: { (_: Void?, error) in
      if let error { completionHandler(nil, error) }
    }
  }

  func startLoadingFileInPlace(
    _ typeIdentifier: String, _ completionHandler: @escaping @Sendable (URL?, Bool, (any Error)?) -> Void
  ) -> Progress {
    load(typeIdentifier) { provider, type, progress in
      try await provider.naming(fileOf: type).withInPlaceFile(for: type, progress: progress) { received in
        let file =
          received.isOriginalFile ? received.file : try await runBlocking { try Self.keep(received.file) }
        await Self.onQueue { completionHandler(file, received.isOriginalFile, nil) }
      }
    } completionHandler: { (_: Void?, error) in
      if let error { completionHandler(nil, false, error) }
    }
  }

  /// Moves a file out of a directory that will be removed, into a directory of its own.
  private static func keep(_ file: URL) throws -> URL {
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

  /// Runs a load in a task, and calls a handler with its result on a queue.
  ///
  /// - Returns: The progress, which can cancel the load.
  func load<Value: Sendable>(
    _ typeIdentifier: String,
    _ load: @escaping @Sendable (ItemProvider, UTType, ItemProgress) async throws -> Value,
    completionHandler: @escaping @Sendable (Value?, (any Error)?) -> Void
  ) -> Progress {
    let progress = ItemProgress()
    let shown = Progress(mirroring: progress)
    Task { [itemProvider] in
      do {
        let value = try await load(itemProvider, UTType(named: typeIdentifier), progress)
        await Self.onQueue { completionHandler(value, nil) }
      } catch {
        let error = Self.error(error, loading: typeIdentifier)
        await Self.onQueue { completionHandler(nil, error) }
      }
    }
    return shown
  }

  /// Calls a handler on a queue, because it may block and the tasks' shared threads must not.
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
  /// Returns the item with a name that has the extension of its type, since names in Apple's API mostly have none.
  fileprivate func naming(fileOf wanted: UTType) -> ItemProvider {
    guard let name = suggestedName, !name.isEmpty, !name.utf8.contains(UInt8(ascii: "/")),
      let offered = contentTypes.first(where: { offers($0, conformingTo: wanted) })
    else { return self }
    let named = ItemProvider(copying: self)
    named.suggestedName = offered.extending(name)
    return named
  }
}
