// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DisplayWire
internal import DropSystem
public import DropTransport
public import ItemTransfer
internal import Synchronization

/// A drag from this program to any window of the display.
///
/// ```swift
/// let drag = DesktopDrag(display, [ItemProvider(hero)])
/// let outcome = try await drag.run(from: .init(button: 1, time: press.time))
/// ```
///
/// The drag starts while a button is pressed, and follows the pointer until the button is released. The key Escape
/// cancels it. Targets may request content while the pointer hovers. Each representation is created once, outside of
/// the event loop, and its creation is cancelled if the drag leaves the target or ends.
///
/// A target of another program has no verified end: it reports that it has finished, and not what it has received.
public final class DesktopDrag: Sendable {
  /// The end of a drag.
  public enum Outcome: Sendable, Hashable {
    /// A target has taken the content. After a ``/DropTransport/DropAction/move``, the caller removes its own items.
    case dropped(DropAction)
    /// The button was released where the content is not accepted, or the target has refused it.
    case refused
    /// The user or the caller has cancelled the drag.
    case cancelled
  }

  /// The ways in which a target receives an item with a name that is not a file yet.
  public enum PromisedFileDelivery: Sendable, Hashable {
    /// As a temporary file, whose address the target reads.
    case addresses
    /// The target chooses a file, which is then written. File managers prefer addresses if both are offered.
    case directSave
    /// In both ways.
    case all
  }

  /// The pressed button at the start of a drag.
  public struct Press: Sendable, Hashable {
    /// The number of the button, 1 to 5.
    public var button: Int
    /// The time of the event in the time of the server; 0 if it is not known.
    public var time: UInt32

    /// Creates a press.
    public init(button: Int = 1, time: UInt32 = 0) {
      self.button = button
      self.time = time
    }
  }

  /// The effect that a drop at the present location would have.
  public enum Feedback: Sendable, Hashable, CaseIterable {
    /// Nothing accepts the items here.
    case refused
    /// The target copies the items.
    case copy
    /// The target moves the items.
    case move
  }

  /// The picture that follows the pointer.
  ///
  /// Pixels that are less than half opaque are not visible, if the display has the extension `SHAPE`. Input goes through
  /// the picture to the window below.
  public struct Icon: Sendable, Hashable {
    /// The width in pixels.
    public let width: Int
    /// The height in pixels.
    public let height: Int
    private let pictures: [Feedback: [UInt32]]
    /// The distance between the pointer and the left edge, in pixels; at least 1.
    public var offsetX = 12
    /// The distance between the pointer and the upper edge, in pixels; at least 1.
    public var offsetY = 12

    /// Creates a picture that is the same for all locations.
    ///
    /// The result is `nil` if a side is not 1 to 1024 pixels, or if the number of pixels is wrong.
    ///
    /// - Parameters:
    ///   - width: The width in pixels.
    ///   - height: The height in pixels.
    ///   - pixels: The pixels in rows: 8 bits each of alpha, red, green and blue, premultiplied.
    public init?(width: Int, height: Int, pixels: [UInt32]) {
      self.init(width: width, height: height) { _ in pixels }
    }

    /// Creates a picture that shows the effect of a drop.
    ///
    /// The result is `nil` if a side is not 1 to 1024 pixels, or if a number of pixels is wrong.
    ///
    /// - Parameters:
    ///   - width: The width in pixels.
    ///   - height: The height in pixels.
    ///   - pixels: Returns the pixels for an effect, as for ``init(width:height:pixels:)``. The opaque part is the same
    ///     in all of them.
    public init?(width: Int, height: Int, pixels: (Feedback) -> [UInt32]) {
      guard (1...1024).contains(width), (1...1024).contains(height) else { return nil }
      let pictures = Dictionary(uniqueKeysWithValues: Feedback.allCases.map { ($0, pixels($0)) })
      guard pictures.values.allSatisfy({ $0.count == width * height }) else { return nil }
      (self.width, self.height, self.pictures) = (width, height, pictures)
    }

    /// Returns the pixels for an effect.
    public func pixels(for feedback: Feedback) -> [UInt32] { pictures[feedback] ?? [] }
  }

  let display: DesktopDisplay
  let content: DragContent
  let allowsMove: Bool
  let icon: Icon?
  let finishTimeout: Duration
  private let hasRun = Lock(false)

  /// Creates a drag.
  ///
  /// Nothing happens until ``run(from:)``.
  ///
  /// - Parameters:
  ///   - display: The display.
  ///   - items: The items.
  ///   - allowsMove: Whether a target may move the items. Otherwise only a copy is offered, and each other action of a
  ///     target counts as a copy.
  ///   - promisedFiles: The ways in which targets receive items with a name that are not files yet.
  ///   - icon: The picture that follows the pointer.
  ///   - finishTimeout: The longest wait for the target's report after the drop, and after each part that it reads.
  public init(
    _ display: DesktopDisplay, _ items: [ItemProvider], allowsMove: Bool = false,
    promisedFiles: PromisedFileDelivery = .all, icon: Icon? = nil, finishTimeout: Duration = .seconds(300)
  ) {
    self.display = display
    self.allowsMove = allowsMove
    self.icon = icon
    self.finishTimeout = finishTimeout
    content = DragContent(items, files: promisedFiles, limit: display.options.maximumBytes)
  }

  deinit {
    // Targets may read temporary files after they have reported that they have finished.
    let content = content
    Task { await content.remove() }
  }

  /// Follows the pointer until the drag has ended.
  ///
  /// Temporary files of the items stay until the last reference to the drag is released, as file managers copy files
  /// after the drop. Keep the drag for that time.
  ///
  /// - Parameter press: The pressed button.
  /// - Returns: The outcome, which the target has reported.
  /// - Throws: `notOwned` if another program has grabbed the pointer or taken the selection. `timedOut` if a target does
  ///   not respond after the release of the button. `targetFailed` if it is closed before it finishes. `displayGone`.
  ///   `CancellationError`, after which the target knows that the drag has left, unless it was dropped.
  /// - Precondition: The drag has not run before.
  public func run(from press: Press = Press()) async throws -> Outcome {
    let isFirst = hasRun.withLock { hasRun in
      defer { hasRun = true }
      return !hasRun
    }
    precondition(isFirst, "a drag runs once")
    do {
      let outcome = try await perform(press)
      if case .dropped = outcome { return outcome }
      await content.remove()
      return outcome
    } catch {
      await content.remove()
      if error is CancellationError || Task.isCancelled { throw CancellationError() }
      throw DesktopError(caught: error)
    }
  }

  /// Removes the temporary files of the items, which no target copies any more.
  package func removeFiles() async {
    await content.remove()
  }

  private func perform(_ press: Press) async throws -> Outcome {
    let atoms = try await DragAtoms(display.connection)
    var time = X11Time(press.time)
    if time == .current { time = try await display.currentTime() }
    let source = try await DragSource(display, atoms, content, allowsMove: allowsMove)
    // The server ends the ownership of a selection with its window.
    defer { source.close() }
    let owner = try await SelectionOwner(display, atoms[.selection], window: source.window, content, time: time)
    var window: DragIconWindow?
    if let icon {
      window = try DragIconWindow(
        icon, display, shape: try await display.connection.serverExtension(X11Extension.shapeName))
    }
    let loop = DragLoop(source, atoms, content, icon: window, allowsMove: allowsMove, finishTimeout: finishTimeout)
    return try await withThrowingTaskGroup(of: Outcome?.self) { group in
      group.addTask {
        _ = try await owner.serve()
        throw DesktopError(.notOwned, "another program has started a drag")
      }
      group.addTask { [time] in try await loop.run(button: press.button, time: time) }
      defer {
        group.cancelAll()
        content.cancelLoads()
      }
      return try await group.next().flatMap { $0 } ?? .cancelled
    }
  }
}
