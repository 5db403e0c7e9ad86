// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials
public import UniformTypes

/// A load in progress, for code that cannot wait in a task.
///
/// ```swift
/// let load = provider.startLoading(.png)
/// Task { for await now in load.progress.updates { bar.fraction = now.fraction } }
/// cancelButton.action = { load.cancel() }
/// let bytes = try await load.value
/// ```
///
/// Neither releasing this value nor cancelling a task that waits for ``value`` cancels the load: call ``cancel()``.
public struct ItemLoad<Value: Sendable>: Sendable {
  /// The progress of the load.
  public let progress: ItemProgress
  private let task: Task<Result<Value, ItemProviderError>, Never>

  fileprivate init(progress: ItemProgress, task: Task<Result<Value, ItemProviderError>, Never>) {
    self.progress = progress
    self.task = task
  }

  /// Creates a load that has failed before its start, and has ended its progress.
  fileprivate init(progress: ItemProgress, failedWith error: ItemProviderError) {
    self.init(progress: progress, task: Task { .failure(error) })
  }

  /// The loaded value; waits until the load has ended.
  ///
  /// It may be read several times.
  public var value: Value {
    get async throws(ItemProviderError) { try await task.value.get() }
  }

  /// Cancels the load.
  ///
  /// Its ``value`` throws the error `cancelled` as soon as the loader responds to the cancellation. A load that has
  /// ended keeps its result.
  public func cancel() {
    progress.cancel()
    // A progress that has ended, or that another load uses too, does not cancel the task.
    task.cancel()
  }
}

extension ItemProvider {
  /// Starts to load the bytes of the first representation that conforms to `type`.
  ///
  /// - Parameters:
  ///   - type: The requested type. The representation may have a more specific type.
  ///   - progress: Counts the bytes and can cancel the load; for example a child of another progress.
  /// - Returns: The load, whose value is the result of ``data(for:progress:timeout:)``.
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
  ///   - progress: Counts the bytes and can cancel the load.
  /// - Returns: The load, whose value is the result of ``value(as:progress:timeout:)``.
  public func startLoading<Item: Transferable>(
    as type: Item.Type, progress: ItemProgress = ItemProgress()
  ) -> ItemLoad<Item> {
    do throws(ItemProviderError) {
      let (representation, importer) = try choosing(for: progress) { () throws(ItemProviderError) in
        try choice(for: Item.self)
      }
      return start(progress) { () throws(ItemProviderError) in
        representation
      } load: {
        [suggestedName, isConditional = representation.isConditional] (present, progress) throws(ItemProviderError) in
        // A representation that replaces an excluded representation may need another importer.
        let importer = isConditional ? Item.importer(of: present) ?? importer : importer
        return try await importer.value(from: present, suggestedName: suggestedName, progress: progress)
      }
    } catch {
      return ItemLoad(progress: progress, failedWith: error)
    }
  }

  /// Starts to save the first representation that conforms to `type` as a file.
  ///
  /// - Parameters:
  ///   - type: The requested type. The representation may have a more specific type.
  ///   - directory: An existing directory for the file.
  ///   - progress: Counts the bytes and can cancel the load.
  /// - Returns: The load, whose value is the result of ``saveFile(for:in:progress:timeout:)``.
  public func startSavingFile(
    for type: UTType, in directory: URL, progress: ItemProgress = ItemProgress()
  ) -> ItemLoad<URL> {
    start(progress) { () throws(ItemProviderError) in
      try representation(conformingTo: type)
    } discard: {
      await TemporaryFile.discardSaved($0)
    } load: {
      [self] (representation, progress) throws(ItemProviderError) in
      try await savedFile(of: representation, in: directory, progress: progress)
    }
  }

  private func start<Value: Sendable>(
    _ progress: ItemProgress, _ choose: () throws(ItemProviderError) -> ItemRepresentation,
    discard: ItemRepresentation.Discard<Value>? = nil, load: @escaping ItemRepresentation.Load<Value>
  ) -> ItemLoad<Value> {
    do throws(ItemProviderError) {
      let representation = try choosing(for: progress, choose)
      return ItemLoad(progress: progress, task: representation.startLoading(progress, discard, load))
    } catch {
      return ItemLoad(progress: progress, failedWith: error)
    }
  }
}
