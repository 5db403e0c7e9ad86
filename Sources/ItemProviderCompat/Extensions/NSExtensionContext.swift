// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
public import Foundation
internal import Synchronization

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The key of the items that failed and their errors, in the user info of the error of a request.
public let NSExtensionItemsAndErrorsKey = "NSExtensionItemsAndErrorsKey"

/// A request to an app extension: it has input items, and ends with returned items or an error.
///
/// ```swift
/// let context = NSExtensionContext(inputItems: [item])
/// ShareHandler().beginRequest(with: context)
/// let results = try await context.returnedItems
/// ```
///
/// Apple's systems create the context and run the extension in a process of its own. On Linux, a program creates the
/// context and calls the handler, for example with items of a drop stream. Follows Apple's
/// [`NSExtensionContext`](https://developer.apple.com/documentation/foundation/nsextensioncontext).
// Sendable because a lock protects its state. A subclass must protect its own state.
open class NSExtensionContext: NSObject, @unchecked Sendable {
  private enum Outcome: Sendable {
    case returned(Shared<[Any]>)
    case failed(any Error)
  }

  private let items: Shared<[Any]>
  private let outcome = Lock<Outcome?>(nil)
  private let end = Latch()

  /// Creates a context, as Apple's systems do for an extension.
  ///
  /// - Parameter inputItems: The items of the request.
  public init(inputItems: [NSExtensionItem]) {
    items = Shared(inputItems)
    super.init()
  }

  /// The items of the request, each an ``NSExtensionItem``.
  open var inputItems: [Any] { items.value }

  /// Ends the request with items for the host.
  ///
  /// - Parameters:
  ///   - items: The results; `nil` for no results.
  ///   - completionHandler: Called on a queue. Its argument is `true`, because the host does not end the extension.
  @preconcurrency
  open func completeRequest(returningItems items: [Any]?, completionHandler: (@Sendable (Bool) -> Void)? = nil) {
    finish(.returned(Shared(items ?? [])))
    guard let completionHandler else { return }
    Task { await NSItemProvider.onQueue { completionHandler(true) } }
  }

  /// Ends the request with items for the host.
  ///
  /// - Parameter items: The results; `nil` for no results.
  /// - Returns: `true`, because the host does not end the extension.
  @discardableResult
  nonisolated(nonsending) open func completeRequest(returningItems items: [Any]?) async -> Bool {
    finish(.returned(Shared(items ?? [])))
    return true
  }

  /// Ends the request with an error for the host.
  open func cancelRequest(withError error: any Error) {
    finish(.failed(error))
  }

  /// Reports that the URL was not opened: on Linux, no system service opens URLs.
  ///
  /// - Parameters:
  ///   - url: The URL.
  ///   - completionHandler: Called on a queue with `false`.
  @preconcurrency
  open func open(_ url: URL, completionHandler: (@Sendable (Bool) -> Void)? = nil) {
    guard let completionHandler else { return }
    Task { await NSItemProvider.onQueue { completionHandler(false) } }
  }

  /// The results of the request; waits until the extension has ended the request.
  ///
  /// This is an addition to Apple's members, for the program that runs the handler. Cancelling the task does not end
  /// the wait.
  ///
  /// - Throws: The error of ``cancelRequest(withError:)``.
  public nonisolated(nonsending) var returnedItems: [Any] {
    get async throws {
      await end.wait()
      switch outcome.withLock({ $0 }) {
      case .returned(let items): return items.value
      case .failed(let error): throw error
      case nil: return []
      }
    }
  }

  /// Records the outcome; later outcomes are ignored.
  private func finish(_ new: Outcome) {
    outcome.withLock { if $0 == nil { $0 = new } }
    end.open()
  }
}

/// A handler of requests to an app extension.
///
/// Follows Apple's
/// [`NSExtensionRequestHandling`](https://developer.apple.com/documentation/foundation/nsextensionrequesthandling).
public protocol NSExtensionRequestHandling: NSObjectProtocol {
  /// Handles a request, and ends it with the context.
  func beginRequest(with context: NSExtensionContext)
}
