// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSceneUI
import DropScenes
import Foundation

/// The file that keeps the cards of a board between two runs.
struct CardFile {
  let url: URL

  /// Returns the saved cards; `nil` if there is no file.
  ///
  /// - Throws: `SceneAppError` with the path if the file cannot be read. The app must not overwrite such a file.
  func load() throws(SceneAppError) -> [BoardEntry]? {
    guard FileManager.default.fileExists(atPath: url.path) else { return nil }
    do {
      return try JSONDecoder().decode([BoardEntry].self, from: Data(contentsOf: url))
    } catch {
      throw SceneAppError(reason: "cannot read the cards in \(url.path): \(SceneApp.reason(of: error))", exitCode: 65)
    }
  }

  /// Saves the cards after each change while a closure runs, and at its end.
  ///
  /// If saving fails, the error is reported, and the newest cards are saved as soon as that is possible again.
  ///
  /// - Throws: The errors of `body`; `SceneAppError` with the exit code 74 if the last cards could not be saved.
  func whileSaving<Result: Sendable>(
    _ store: SharedListStore<BoardEntry>, _ body: () async throws -> Result
  ) async throws -> Result {
    let result: Swift.Result<Result, any Error>
    do {
      result = .success(
        try await withThrowingDiscardingTaskGroup { group in
          group.addTask {
            var hasFailed = false
            for try await _ in store.changes { await save(store, &hasFailed) }
          }
          defer { group.cancelAll() }
          return try await body()
        })
    } catch {
      result = .failure(error)
    }
    do {
      try write(store.elements)
    } catch {
      throw SceneAppError(
        reason: "the last changes of the cards are lost: cannot write \(url.path): \(SceneApp.reason(of: error))",
        exitCode: 74)
    }
    return try result.get()
  }

  /// Tries to save the cards once a second until that succeeds, or until the task is cancelled.
  private func save(_ store: SharedListStore<BoardEntry>, _ hasFailed: inout Bool) async {
    while true {
      do {
        try write(store.elements)
        if hasFailed { SceneApp.print("the cards are saved again") }
        hasFailed = false
        return
      } catch {
        let reason = "cannot save the cards in \(url.path): \(SceneApp.reason(of: error)); trying again each second"
        if !hasFailed { SceneApp.report(SceneAppError(reason: reason)) }
        hasFailed = true
        guard (try? await Task.sleep(for: .seconds(1))) != nil else { return }
      }
    }
  }

  private func write(_ entries: [BoardEntry]) throws {
    try JSONEncoder().encode(entries).write(to: url, options: .atomic)
  }
}
