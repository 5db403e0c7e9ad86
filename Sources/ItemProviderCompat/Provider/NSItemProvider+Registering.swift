// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import DropSystem
internal import Foundation
internal import ItemTransfer
internal import Synchronization
internal import UniformTypes

/// Apple's load handlers as loaders of an item provider.
extension NSItemProvider {
  @discardableResult
  func promise(
    _ type: UTType, _ visibility: ItemVisibility,
    _ loadHandler: @escaping @Sendable (@escaping @Sendable (Data?, (any Error)?) -> Void) -> Progress?
  ) -> Bool {
    itemProvider.register(type, visibility: visibility) { progress in
      try await Self.handlerResult(progress) { reply in loadHandler { reply($0, $1) } }
    }
  }

  func promiseFile(
    _ type: UTType, _ visibility: ItemVisibility, openInPlace: Bool,
    _ loadHandler: @escaping @Sendable (@escaping @Sendable (URL?, Bool, (any Error)?) -> Void) -> Progress?
  ) {
    let traits = ItemRepresentation.Traits(
      contentType: type, visibility: visibility, opensInPlace: openInPlace, isNamedFile: true, form: .file)
    itemProvider.register(
      ItemRepresentation(traits) { progress in
        try await Self.handlerResult(progress) { reply in
          loadHandler { file, _, error in
            guard let file, error == nil else { return reply(nil, error) }
            let original = ItemContent.file(SentTransferredFile(named: file, allowAccessingOriginalFile: openInPlace))
            do {
              reply(openInPlace ? original : try original.kept(as: type) { progress.isCancelled }, nil)
            } catch {
              reply(nil, error)
            }
          }
        }
      })
  }

  /// The total units of a load whose handler reports progress.
  private static let wholeLoad: Int64 = 1000

  /// Calls a source's handler and waits for its result.
  ///
  /// - Parameters:
  ///   - progress: The progress of the load, of which the handler's progress becomes a child.
  ///   - share: The handler's share of the load, 0 to 1.
  ///   - ask: Calls the handler.
  /// - Returns: The handler's first result.
  /// - Throws: The handler's error. ``NoItem`` if it completes with nothing. ``ItemResponse/Missing`` if it releases
  ///   its completion handler. `CancellationError`.
  static func handlerResult<Value: Sendable>(
    _ progress: ItemProgress, share: Double = 1,
    _ ask: @escaping @Sendable (@escaping @Sendable (Value?, (any Error)?) -> Void) -> Progress?
  ) async throws -> Value {
    let part = HandlerProgress(progress, units: Int64(Double(wholeLoad) * share))
    do {
      let value = try await ItemResponse<Value>.awaiting { reply in
        // The handler gets a queue of its own, because it may block. The system has some hundred threads for all
        // queues.
        DispatchQueue(label: "org.dragpipe.source").async {
          let made = ask { value, error in
            if let error {
              reply.fail(error)
            } else if let value {
              reply.succeed(value)
            } else {
              reply.fail(NoItem())
            }
          }
          if let made { part.follow(made, whole: wholeLoad) }
        }
      }
      part.end(isCancelled: false)
      return value
    } catch {
      part.end(isCancelled: error.isCancellation)
      throw error
    }
  }

  /// The error of a handler that completes with neither a value nor an error.
  struct NoItem: Error, CustomStringConvertible {
    var description: String { "the load handler completed with neither a value nor an error" }
  }
}

/// A handler's share of a load's progress, in the handler's own units.
private final class HandlerProgress: Sendable {
  private let progress: ItemProgress
  private let units: Int64
  private let state = Lock<(part: ItemProgress?, ending: Ending?)>((nil, nil))

  private enum Ending {
    case answered
    case cancelled
  }

  init(_ progress: ItemProgress, units: Int64) {
    self.progress = progress
    self.units = units
  }

  /// Follows the handler's progress, unless the handler has completed.
  ///
  /// If the load was cancelled, this cancels the handler's progress.
  func follow(_ made: Progress, whole: Int64) {
    let (part, ending) = state.withLock { state in
      if state.ending == nil {
        progress.setTotal(whole)
        state.part = progress.child(units: units)
      }
      return (state.part, state.ending)
    }
    part?.follow(made)
    if ending == .cancelled { made.cancel() }
  }

  func end(isCancelled: Bool) {
    let part = state.withLock { state in
      state.ending = isCancelled ? .cancelled : .answered
      return state.part.take()
    }
    // The part ends before the load's own progress, since a parent that has ended ignores its children.
    if isCancelled { part?.cancel() } else { part?.finish() }
  }
}
