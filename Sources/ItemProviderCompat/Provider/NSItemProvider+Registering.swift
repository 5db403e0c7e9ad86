// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
public import Foundation
internal import ItemTransfer
internal import UniformTypes

extension NSItemProvider {
  /// Promises the item as bytes, which are made when they are asked for.
  ///
  /// - Parameters:
  ///   - typeIdentifier: What the bytes will be; any text is kept as it is.
  ///   - visibility: Who may have them.
  ///   - loadHandler: Makes them, and calls what it is given with the bytes or an error. The progress it returns shows
  ///     in the progress of the load, and is cancelled with it.
  @preconcurrency
  public func registerDataRepresentation(
    forTypeIdentifier typeIdentifier: String, visibility: NSItemProviderRepresentationVisibility,
    loadHandler: @escaping @Sendable (@escaping @Sendable (Data?, (any Error)?) -> Void) -> Progress?
  ) {
    register(UTType(named: typeIdentifier), visibility.itemVisibility, loadHandler)
  }

  /// Promises the item as a file, which is made or found when it is asked for.
  ///
  /// - Parameters:
  ///   - typeIdentifier: What the file will be; for a folder a type that conforms to `public.directory`.
  ///   - fileOptions: With `openInPlace`, a destination may use the file itself.
  ///   - visibility: Who may have it.
  ///   - loadHandler: Makes the file, and calls what it is given with the file and whether its readers are coordinated
  ///     (nobody is here), or with an error. The file stays the source's.
  @preconcurrency
  public func registerFileRepresentation(
    forTypeIdentifier typeIdentifier: String, fileOptions: NSItemProviderFileOptions = [],
    visibility: NSItemProviderRepresentationVisibility,
    loadHandler: @escaping @Sendable (@escaping @Sendable (URL?, Bool, (any Error)?) -> Void) -> Progress?
  ) {
    registerFile(
      UTType(named: typeIdentifier), visibility.itemVisibility, openInPlace: fileOptions.contains(.openInPlace),
      loadHandler)
  }

  func register(
    _ type: UTType, _ visibility: ItemVisibility,
    _ loadHandler: @escaping @Sendable (@escaping @Sendable (Data?, (any Error)?) -> Void) -> Progress?
  ) {
    itemProvider.register(type, visibility: visibility) { progress in
      try await Self.answer(progress) { reply in loadHandler { reply($0, $1) } }
    }
  }

  func registerFile(
    _ type: UTType, _ visibility: ItemVisibility, openInPlace: Bool,
    _ loadHandler: @escaping @Sendable (@escaping @Sendable (URL?, Bool, (any Error)?) -> Void) -> Progress?
  ) {
    itemProvider.registerFile(type, visibility: visibility, openInPlace: openInPlace) { progress in
      let file: URL = try await Self.answer(progress) { reply in loadHandler { file, _, error in reply(file, error) } }
      return SentTransferredFile(file, allowAccessingOriginalFile: openInPlace)
    }
  }

  /// Waits for what a source's handler answers.
  ///
  /// - Parameters:
  ///   - progress: The load's; the handler's own is shown there, and cancelled with it.
  ///   - ask: Calls the handler.
  /// - Returns: The first answer.
  /// - Throws: The handler's error; ``ItemReply/NotAnswered`` where it answers with nothing, or lets go of whom to
  ///   answer; `CancellationError`.
  static func answer<Value: Sendable>(
    _ progress: ItemProgress,
    _ ask: @escaping @Sendable (@escaping @Sendable (Value?, (any Error)?) -> Void) -> Progress?
  ) async throws -> Value {
    try await ItemReply<Value>.awaiting { reply in
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
        if let made { progress.follow(made) }
      }
    }
  }

  /// What a handler has that answers with neither a value nor an error.
  struct NoItem: Error, CustomStringConvertible {
    var description: String { "the load handler answered with neither a value nor an error" }
  }
}
