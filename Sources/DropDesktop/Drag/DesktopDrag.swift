// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

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
/// Start the drag while a mouse button is pressed. It follows the pointer until the button is released. The key Escape
/// cancels it. A target may request content while the pointer is over its window. The drag creates each representation
/// once, outside of the event loop. It cancels an unfinished creation if the pointer leaves the target, or if the drag
/// ends.
///
/// A target reports that it has finished, but not what it has received. The outcome does not prove that the content has
/// arrived completely.
public final class DesktopDrag: Sendable {
  /// The result of a drag.
  public enum Outcome: Sendable, Hashable {
    /// A target has taken the content. After a ``/DropTransport/DropAction/move``, the caller removes its own items.
    case dropped(DropAction)
    /// The button was released where the content is not accepted, or the target has refused it.
    case refused
    /// The button was released where no window is, and the source opens one for the items.
    ///
    /// Wayland does not report windows of other programs. There, a drag that such a window refuses has this outcome too,
    /// and so has a drag that the user cancels by a key.
    case open
    /// The user has cancelled the drag, or the button was released before the drag began.
    case cancelled
  }

  /// The ways in which a target receives a promised file: an item that has a name, but is not a file yet.
  public enum PromisedFileDelivery: Sendable, Hashable {
    /// When the target requests the address of the file, the drag creates a temporary file.
    case addresses
    /// The target chooses a file, and the drag writes it.
    case directSave
    /// The target chooses between addresses and a direct save. File managers prefer addresses.
    case all
  }

  /// The pressed button at the start of a drag.
  public struct Press: Sendable, Hashable {
    /// The number of the button, 1 to 5.
    public var button: Int
    /// The server's time of the event, in milliseconds; 0 if unknown.
    public var time: UInt32

    /// Creates a press.
    public init(button: Int = 1, time: UInt32 = 0) {
      self.button = button
      self.time = time
    }
  }

  /// The effect that a drop at the present location would have.
  public enum Feedback: Sendable, Hashable, CaseIterable {
    /// No target accepts the items.
    case refused
    /// The target copies the items.
    case copy
    /// The target moves the items.
    case move
    /// There is no window at the location, and the source opens one for the items.
    case open
  }

  /// The picture that follows the pointer.
  ///
  /// If the display has the extension `SHAPE`, pixels that are less than half opaque are invisible, and input goes
  /// through the picture to the window below.
  public struct Icon: Sendable, Hashable {
    /// The width in pixels.
    public let width: Int
    /// The height in pixels.
    public let height: Int
    private let pictures: [Feedback: [UInt32]]
    /// The distance from the pointer to the left edge of the picture, in pixels.
    ///
    /// Values below 1 are treated as 1.
    public var offsetX = 12
    /// The distance from the pointer to the upper edge of the picture, in pixels.
    ///
    /// Values below 1 are treated as 1.
    public var offsetY = 12

    /// Creates an icon with the same picture for all effects.
    ///
    /// The result is `nil` if a side is not 1 to 1024 pixels, or if `pixels` does not have `width * height` elements.
    ///
    /// - Parameters:
    ///   - width: The width in pixels.
    ///   - height: The height in pixels.
    ///   - pixels: The pixels in rows from the top, each `0xAARRGGBB` with premultiplied alpha.
    public init?(width: Int, height: Int, pixels: [UInt32]) {
      self.init(width: width, height: height) { _ in pixels }
    }

    /// Creates an icon with a picture for each effect.
    ///
    /// The result is `nil` if a side is not 1 to 1024 pixels, or if a picture does not have `width * height` pixels.
    ///
    /// - Parameters:
    ///   - width: The width in pixels.
    ///   - height: The height in pixels.
    ///   - pixels: Returns the pixels for an effect, as for ``init(width:height:pixels:)``. The picture for
    ///     ``Feedback/copy`` determines which pixels are visible for all effects.
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
  /// Whether the source opens a window for items that are dropped where no window is.
  let opensWindow: Bool
  private let hasRun = Lock(false)

  /// Creates a drag.
  ///
  /// It starts with ``run(from:onDrop:)``.
  ///
  /// - Parameters:
  ///   - display: The display.
  ///   - items: The items.
  ///   - allowsMove: Whether a target may move the items. Otherwise only a copy is offered, and any other action that a
  ///     target reports is treated as a copy.
  ///   - promisedFiles: The ways in which targets receive promised files.
  ///   - icon: The picture that follows the pointer.
  ///   - finishTimeout: The maximum wait for the target's report. It starts with the drop, and again with each part
  ///     that the target reads.
  public convenience init(
    _ display: DesktopDisplay, _ items: [ItemProvider], allowsMove: Bool = false,
    promisedFiles: PromisedFileDelivery = .all, icon: Icon? = nil, finishTimeout: Duration = .seconds(300)
  ) {
    self.init(
      display, items, allowsMove: allowsMove, promisedFiles: promisedFiles, icon: icon, finishTimeout: finishTimeout,
      opensWindow: false, mark: nil)
  }

  /// Creates a drag with a mark, by which another program of this package recognizes it.
  ///
  /// The types of all items are listed, so that a target can judge several items while they are over it.
  ///
  /// - Parameters:
  ///   - display: The display.
  ///   - items: The items.
  ///   - allowsMove: Whether a target may move the items.
  ///   - promisedFiles: The ways in which targets receive promised files.
  ///   - icon: The picture that follows the pointer.
  ///   - finishTimeout: The maximum wait for the target's report.
  ///   - opensWindow: Whether the caller opens a window where no window is, which the picture shows and the outcome reports.
  ///   - mark: The mark; `nil` for none.
  package init(
    _ display: DesktopDisplay, _ items: [ItemProvider], allowsMove: Bool, promisedFiles: PromisedFileDelivery = .all,
    icon: Icon?, finishTimeout: Duration = .seconds(300), opensWindow: Bool, mark: DragMark?
  ) {
    self.display = display
    self.allowsMove = allowsMove
    self.icon = icon
    self.finishTimeout = finishTimeout
    self.opensWindow = opensWindow
    content = DragContent(items, files: promisedFiles, limit: display.options.maximumBytes, mark: mark)
  }

  deinit {
    // Targets may read temporary files after they have reported that they have finished.
    let content = content
    Task { await content.remove() }
  }

  /// Follows the pointer until the drag has ended.
  ///
  /// File managers may copy temporary files after the drop. The files are removed with the last reference to the drag,
  /// so keep the drag for that time.
  ///
  /// The target of a drop may take a long time, or never report the end. Other drags of the same display may run
  /// meanwhile, each in a task of its own: the target still receives the content of this drag.
  ///
  /// - Parameters:
  ///   - press: The pressed button.
  ///   - onDrop: Called once the items are dropped, with the title of the target's window, which is untrusted. It must
  ///     not block.
  /// - Returns: The action that the target has reported, or the reason why the items were not dropped.
  /// - Throws: `notOwned` if another program has grabbed the pointer, or has taken the selection before the drop, or
  ///   before the target has received any content. `timedOut` if a target does not respond after the release of the
  ///   button. `targetFailed` if the target is closed before it finishes. `displayGone`. `CancellationError`; unless the
  ///   items were dropped, the target was notified that the drag has left.
  /// - Precondition: The drag has not run before.
  public func run(
    from press: Press = Press(), onDrop: @escaping @Sendable (_ title: String?) -> Void = { _ in }
  ) async throws -> Outcome {
    let isFirst = hasRun.withLock { hasRun in
      defer { hasRun = true }
      return !hasRun
    }
    precondition(isFirst, "a drag runs once")
    do {
      let outcome = try await display.backend.run(self, from: press, onDrop: onDrop)
      if case .dropped = outcome { return outcome }
      await content.remove()
      return outcome
    } catch {
      await content.remove()
      if error is CancellationError || Task.isCancelled { throw CancellationError() }
      throw DesktopError(caught: error)
    }
  }

  /// Removes the temporary files of the items.
  ///
  /// Call this when no target copies them any more.
  package func removeFiles() async {
    await content.remove()
  }
}
