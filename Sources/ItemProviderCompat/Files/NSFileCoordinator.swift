// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import DropSystem
public import Foundation
internal import Synchronization

/// A pointer to an error of Objective-C code, for calls such as `coordinate(readingItemAt: url, error: &error)`.
public typealias NSErrorPointer = UnsafeMutablePointer<NSError?>?

/// Coordination of reads and writes of files within this process.
///
/// ```swift
/// var error: NSError?
/// NSFileCoordinator().coordinate(writingItemAt: url, options: .forReplacing, error: &error) { url in
///   do { try data.write(to: url) } catch { report(error) }
/// }
/// ```
///
/// Reads of a file run at the same time, and a write runs alone. A write of a folder excludes accesses to its contents.
/// Requests are granted in their order. Coordinators with the same ``purposeIdentifier`` do not wait for each other, so
/// a coordinator may nest its calls. Other processes are not coordinated, and presenters are not notified.
///
/// Follows Apple's [`NSFileCoordinator`](https://developer.apple.com/documentation/foundation/nsfilecoordinator).
// Sendable because its state is constant or locked.
open class NSFileCoordinator: NSObject, @unchecked Sendable {
  /// Options for a read.
  public struct ReadingOptions: OptionSet, Sendable {
    /// The bits.
    public let rawValue: UInt

    /// Creates options from bits.
    public init(rawValue: UInt) {
      self.rawValue = rawValue
    }

    /// Presenters need not save their changes; without effect, since presenters are not notified.
    public static let withoutChanges = ReadingOptions(rawValue: 1)
    /// The accessor receives the destination of a symbolic link.
    public static let resolvesSymbolicLink = ReadingOptions(rawValue: 1 << 1)
    /// The accessor reads metadata only; without effect, since nothing is downloaded.
    public static let immediatelyAvailableMetadataOnly = ReadingOptions(rawValue: 1 << 2)
    /// The accessor uploads the file; without effect, since a folder is not archived.
    public static let forUploading = ReadingOptions(rawValue: 1 << 3)
  }

  /// Options for a write; without effect, since each write is exclusive.
  public struct WritingOptions: OptionSet, Sendable {
    /// The bits.
    public let rawValue: UInt

    /// Creates options from bits.
    public init(rawValue: UInt) {
      self.rawValue = rawValue
    }

    /// The accessor deletes the file.
    public static let forDeleting = WritingOptions(rawValue: 1)
    /// The accessor moves the file.
    public static let forMoving = WritingOptions(rawValue: 1 << 1)
    /// The accessor changes a part of the file.
    public static let forMerging = WritingOptions(rawValue: 1 << 2)
    /// The accessor replaces the file.
    public static let forReplacing = WritingOptions(rawValue: 1 << 3)
    /// The accessor changes metadata only.
    public static let contentIndependentMetadataOnly = WritingOptions(rawValue: 1 << 4)
  }

  private let purpose: Lock<String>

  /// Creates a coordinator.
  ///
  /// - Parameter filePresenter: The presenter that Apple's systems do not notify of this coordinator's accesses. It has
  ///   no effect on Linux.
  public init(filePresenter: (any NSFilePresenter)? = nil) {
    purpose = Lock(UUID().uuidString)
    super.init()
  }

  /// The identifier of the purpose; coordinators with the same identifier do not wait for each other.
  open var purposeIdentifier: String {
    get { purpose.withLock { $0 } }
    set { purpose.withLock { $0 = newValue } }
  }

  /// Waits until the file may be read, and calls the accessor on the calling thread.
  ///
  /// - Parameters:
  ///   - url: The file or folder.
  ///   - options: Options for the read.
  ///   - outError: Receives `CocoaError.userCancelled` if ``cancel()`` ends the wait; then the accessor is not called.
  ///   - reader: Reads the file at the URL that it receives.
  open func coordinate(
    readingItemAt url: URL, options: ReadingOptions = [], error outError: NSErrorPointer,
    byAccessor reader: (URL) -> Void
  ) {
    access([FileClaim(reading: url, options)], outError) { reader($0[0]) }
  }

  /// Waits until the file may be written, and calls the accessor on the calling thread.
  ///
  /// - Parameters:
  ///   - url: The file or folder.
  ///   - options: Options for the write.
  ///   - outError: Receives `CocoaError.userCancelled` if ``cancel()`` ends the wait; then the accessor is not called.
  ///   - writer: Writes the file at the URL that it receives.
  open func coordinate(
    writingItemAt url: URL, options: WritingOptions = [], error outError: NSErrorPointer,
    byAccessor writer: (URL) -> Void
  ) {
    access([FileClaim(writing: url)], outError) { writer($0[0]) }
  }

  /// Waits until a file may be read and a second file written, and calls the accessor on the calling thread.
  open func coordinate(
    readingItemAt readingURL: URL, options readingOptions: ReadingOptions = [], writingItemAt writingURL: URL,
    options writingOptions: WritingOptions = [], error outError: NSErrorPointer,
    byAccessor readerWriter: (URL, URL) -> Void
  ) {
    let claims = [FileClaim(reading: readingURL, readingOptions), FileClaim(writing: writingURL)]
    access(claims, outError) { readerWriter($0[0], $0[1]) }
  }

  /// Waits until both files may be written, and calls the accessor on the calling thread.
  open func coordinate(
    writingItemAt url1: URL, options options1: WritingOptions = [], writingItemAt url2: URL,
    options options2: WritingOptions = [], error outError: NSErrorPointer, byAccessor writer: (URL, URL) -> Void
  ) {
    access([FileClaim(writing: url1), FileClaim(writing: url2)], outError) { writer($0[0], $0[1]) }
  }

  /// Waits in the background until all files may be accessed, and calls the accessor on a queue.
  ///
  /// - Parameters:
  ///   - intents: The accesses.
  ///   - queue: The queue for the accessor.
  ///   - accessor: Accesses the files at the URLs of the intents. Its argument is an error if ``cancel()`` has ended
  ///     the wait; then it must not access the files.
  @preconcurrency
  open func coordinate(
    with intents: [NSFileAccessIntent], queue: OperationQueue,
    byAccessor accessor: @escaping @Sendable ((any Error)?) -> Void
  ) {
    let claims = intents.map(\.claim)
    DispatchQueue.global().async { [self] in
      var error: NSError?
      access(claims, &error) { _ in
        queue.addOperations([BlockOperation { accessor(nil) }], waitUntilFinished: true)
      }
      if let error {
        let shared = Shared(error)
        queue.addOperation { accessor(shared.value) }
      }
    }
  }

  /// Ends the waits of this coordinator with an error; accessors that run already continue.
  open func cancel() {
    FileAccessQueue.shared.cancel(ObjectIdentifier(self))
  }

  /// Has no effect: no presenter is notified.
  open func item(at oldURL: URL, willMoveTo newURL: URL) {}

  /// Has no effect: no presenter is notified.
  open func item(at oldURL: URL, didMoveTo newURL: URL) {}

  private func access(_ claims: [FileClaim], _ outError: NSErrorPointer, _ accessor: ([URL]) -> Void) {
    let request = FileAccessRequest(claims: claims, owner: ObjectIdentifier(self), purpose: purposeIdentifier)
    guard FileAccessQueue.shared.enter(request) else {
      outError?.pointee = CocoaError(.userCancelled) as NSError
      return
    }
    defer { FileAccessQueue.shared.leave(request) }
    accessor(claims.map(\.url))
  }
}

/// An access to a file for ``NSFileCoordinator/coordinate(with:queue:byAccessor:)``.
// Sendable because its state is constant.
open class NSFileAccessIntent: NSObject, @unchecked Sendable {
  let claim: FileClaim

  init(_ claim: FileClaim) {
    self.claim = claim
  }

  /// Returns the intent to read a file.
  public class func readingIntent(with url: URL, options: NSFileCoordinator.ReadingOptions = []) -> NSFileAccessIntent {
    NSFileAccessIntent(FileClaim(reading: url, options))
  }

  /// Returns the intent to write a file.
  public class func writingIntent(with url: URL, options: NSFileCoordinator.WritingOptions = []) -> NSFileAccessIntent {
    NSFileAccessIntent(FileClaim(writing: url))
  }

  /// The URL of the file.
  open var url: URL { claim.url }
}

/// An object that shows a file.
///
/// Coordinators accept presenters but do not notify them.
public protocol NSFilePresenter: NSObjectProtocol {
  /// The URL of the file that the presenter shows.
  var presentedItemURL: URL? { get }
  /// The queue for the notifications of the presenter.
  var presentedItemOperationQueue: OperationQueue { get }
}
