// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials
public import UniformTypes

/// A load under way, for code that cannot wait in a task: it can be watched and stopped.
///
/// ```swift
/// let load = provider.startLoading(.png)
/// Task { for await now in load.progress.updates { bar.fraction = now.fraction } }
/// cancelButton.action = { load.cancel() }
/// let bytes = try await load.value
/// ```
///
/// Letting go of it does not stop it. A task that waits for ``value`` and is cancelled waits on: cancel the load.
public struct ItemLoad<Value: Sendable>: Sendable {
  /// How far it is.
  public let progress: ItemProgress
  private let task: Task<Result<Value, ItemProviderError>, Never>

  fileprivate init(progress: ItemProgress, task: Task<Result<Value, ItemProviderError>, Never>) {
    self.progress = progress
    self.task = task
  }

  /// Has ended before it began.
  fileprivate init(progress: ItemProgress, failedWith error: ItemProviderError) {
    progress.end(with: error)
    self.init(progress: progress, task: Task { .failure(error) })
  }

  /// What is loaded, once it is; the same for whoever asks.
  public var value: Value {
    get async throws(ItemProviderError) { try await task.value.get() }
  }

  /// Stops the load.
  ///
  /// Its ``value`` throws the error `cancelled` as soon as the loader heeds it. What has ended stays as it is.
  public func cancel() {
    progress.cancel()
    // A progress that has ended already, such as one that the loader has ended, stops nobody.
    task.cancel()
  }
}

extension ItemProvider {
  /// Starts to load the bytes of the first representation that conforms to `type`.
  ///
  /// - Parameters:
  ///   - type: The type wanted; a more special one may come.
  ///   - progress: Counts the bytes and can stop the load; a child of another progress, for example.
  /// - Returns: The load, whose value is what ``data(for:progress:)`` returns or throws.
  public func startLoading(_ type: UTType, progress: ItemProgress = ItemProgress()) -> ItemLoad<Data> {
    start(progress) { () throws(ItemProviderError) in
      try representation(conformingTo: type)
    } load: {
      (representation, progress) throws(ItemProviderError) in
      try await representation.data(progress: progress)
    }
  }

  /// Starts to load a value.
  ///
  /// - Parameters:
  ///   - type: The type of the value.
  ///   - progress: Counts the bytes and can stop the load.
  /// - Returns: The load, whose value is what ``value(as:progress:)`` returns or throws.
  public func startLoading<Item: Transferable>(
    as type: Item.Type, progress: ItemProgress = ItemProgress()
  ) -> ItemLoad<Item> {
    do throws(ItemProviderError) {
      let (representation, importer) = try choice(for: Item.self)
      return start(progress) { () throws(ItemProviderError) in
        representation
      } load: {
        [suggestedName] (representation, progress) throws(ItemProviderError) in
        try await importer.value(from: representation, suggestedName: suggestedName, progress: progress)
      }
    } catch {
      return ItemLoad(progress: progress, failedWith: error)
    }
  }

  /// Starts to save the first representation that conforms to `type` as a file.
  ///
  /// - Parameters:
  ///   - type: The type wanted; a more special one may come.
  ///   - directory: Where the file goes; it must exist.
  ///   - progress: Counts the bytes and can stop the load.
  /// - Returns: The load, whose value is what ``saveFile(for:in:progress:)`` returns or throws.
  public func startSavingFile(
    for type: UTType, in directory: URL, progress: ItemProgress = ItemProgress()
  ) -> ItemLoad<URL> {
    start(progress) { () throws(ItemProviderError) in
      try representation(conformingTo: type)
    } load: {
      [suggestedName] (representation, progress) throws(ItemProviderError) in
      try await representation.savedFile(suggestedName: suggestedName, in: directory, progress: progress)
    }
  }

  private func start<Value: Sendable>(
    _ progress: ItemProgress, _ choose: () throws(ItemProviderError) -> ItemRepresentation,
    load: @escaping ItemRepresentation.Load<Value>
  ) -> ItemLoad<Value> {
    do throws(ItemProviderError) {
      let representation = try choose()
      return ItemLoad(progress: progress, task: representation.startLoading(progress, load))
    } catch {
      return ItemLoad(progress: progress, failedWith: error)
    }
  }
}
