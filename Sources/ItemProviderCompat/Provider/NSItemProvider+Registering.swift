// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import DropSystem
internal import Foundation
internal import ItemTransfer
internal import Synchronization
internal import UniformTypes

/// Handlers as loaders of ours.
extension NSItemProvider {
  func promise(
    _ type: UTType, _ visibility: ItemVisibility,
    _ loadHandler: @escaping @Sendable (@escaping @Sendable (Data?, (any Error)?) -> Void) -> Progress?
  ) {
    itemProvider.register(type, visibility: visibility) { progress in
      try await Self.answer(progress) { reply in loadHandler { reply($0, $1) } }
    }
  }

  func promiseFile(
    _ type: UTType, _ visibility: ItemVisibility, openInPlace: Bool,
    _ loadHandler: @escaping @Sendable (@escaping @Sendable (URL?, Bool, (any Error)?) -> Void) -> Progress?
  ) {
    itemProvider.register(
      ItemRepresentation(contentType: type, visibility: visibility, opensInPlace: openInPlace) { progress in
        try await Self.answer(progress) { reply in
          loadHandler { file, _, error in
            guard let file, error == nil else { return reply(nil, error) }
            let original = ItemContent.file(SentTransferredFile(file, allowAccessingOriginalFile: openInPlace))
            do {
              reply(openInPlace ? original : try original.kept(as: type) { progress.isCancelled }, nil)
            } catch {
              reply(nil, error)
            }
          }
        }
      })
  }

  /// What a whole load counts to where a handler says how far it is.
  private static let wholeLoad: Int64 = 1000

  /// Waits for what a source's handler answers.
  ///
  /// - Parameters:
  ///   - progress: The load's; the handler's own is shown there, and cancelled with it.
  ///   - share: The part of the load that is the handler's.
  ///   - ask: Calls the handler.
  /// - Returns: The first answer.
  /// - Throws: The handler's error; ``ItemResponse/Missing`` where it answers with nothing, or lets go of whom to
  ///   answer; `CancellationError`.
  static func answer<Value: Sendable>(
    _ progress: ItemProgress, share: Double = 1,
    _ ask: @escaping @Sendable (@escaping @Sendable (Value?, (any Error)?) -> Void) -> Progress?
  ) async throws -> Value {
    let part = HandlerPart(progress, units: Int64(Double(wholeLoad) * share))
    do {
      let value = try await ItemResponse<Value>.awaiting { reply in
        // A thread of its own, as it may block; the system has some hundreds for all.
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
      part.end(isCancelled: error is CancellationError)
      throw error
    }
  }

  /// What a handler has that answers with neither a value nor an error.
  struct NoItem: Error, CustomStringConvertible {
    var description: String { "the load handler answered with neither a value nor an error" }
  }
}

/// A handler's part of a load, which counts in units of the handler's own.
private final class HandlerPart: Sendable {
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

  /// Shows what a handler says, unless it has answered before; nobody waits for one that the load was cancelled before.
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
    // Before the load ends its own progress: a part of one that has ended hears no more.
    if isCancelled { part?.cancel() } else { part?.finish() }
  }
}
