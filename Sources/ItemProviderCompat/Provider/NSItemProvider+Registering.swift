// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import Foundation
internal import ItemCoding
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
    itemProvider.registerFile(type, visibility: visibility, openInPlace: openInPlace) { progress in
      let file: URL = try await Self.answer(progress) { reply in loadHandler { file, _, error in reply(file, error) } }
      return SentTransferredFile(file, allowAccessingOriginalFile: openInPlace)
    }
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
  /// - Throws: The handler's error; ``ItemReply/NotAnswered`` where it answers with nothing, or lets go of whom to
  ///   answer; `CancellationError`.
  static func answer<Value: Sendable>(
    _ progress: ItemProgress, share: Double = 1,
    _ ask: @escaping @Sendable (@escaping @Sendable (Value?, (any Error)?) -> Void) -> Progress?
  ) async throws -> Value {
    let part = HandlerPart(progress, units: Int64(Double(wholeLoad) * share))
    defer { part.end() }
    return try await ItemReply<Value>.awaiting { reply in
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
  private let state = Lock<(part: ItemProgress?, hasEnded: Bool)>((nil, false))

  init(_ progress: ItemProgress, units: Int64) {
    self.progress = progress
    self.units = units
  }

  /// Shows what a handler says, unless it has answered before.
  func follow(_ made: Progress, whole: Int64) {
    let part = state.withLock { state -> ItemProgress? in
      if state.hasEnded { return nil }
      progress.setTotal(whole)
      state.part = progress.child(units: units)
      return state.part
    }
    part?.follow(made)
  }

  func end() {
    let part = state.withLock { state in
      state.hasEnded = true
      return state.part.take()
    }
    part?.finish()
  }
}
