// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

public import Foundation
internal import ItemTransfer

/// The delegate of an activity.
///
/// Apple's optional members have default implementations here.
public protocol NSUserActivityDelegate: AnyObject {
  /// Called before the activity is sent if its `needsSave` is set, so that the delegate can update it.
  func userActivityWillSave(_ userActivity: NSUserActivity)
  /// Called when another process continues the activity. On Linux it is never called, since no process reports this.
  func userActivityWasContinued(_ userActivity: NSUserActivity)
  /// Called when streams to the other process are open. On Linux it is never called, since there are no such streams.
  func userActivity(
    _ userActivity: NSUserActivity, didReceive inputStream: InputStream, outputStream: OutputStream)
}

extension NSUserActivityDelegate {
  /// Does nothing.
  public func userActivityWillSave(_ userActivity: NSUserActivity) {}
  /// Does nothing.
  public func userActivityWasContinued(_ userActivity: NSUserActivity) {}
  /// Does nothing.
  public func userActivity(
    _ userActivity: NSUserActivity, didReceive inputStream: InputStream, outputStream: OutputStream
  ) {}
}

/// Members that control Apple's system services. Most have no effect on Linux.
extension NSUserActivity {
  /// Whether the activity requests streams to the continuing process; stored without effect on Linux.
  public var supportsContinuationStreams: Bool {
    get { read(\.supportsContinuationStreams) }
    set { exchange(\.supportsContinuationStreams, newValue) }
  }

  /// Reports that streams are not supported; use a session (`DropStream.withSession`) to communicate with the other
  /// process.
  ///
  /// - Parameter completionHandler: Called with the error `featureUnsupported`.
  @preconcurrency
  public func getContinuationStreams(
    completionHandler: @escaping @Sendable (InputStream?, OutputStream?, (any Error)?) -> Void
  ) {
    completionHandler(nil, nil, CocoaError(.featureUnsupported))
  }

  /// Reports that streams are not supported.
  ///
  /// - Throws: `featureUnsupported`.
  public func continuationStreams() async throws -> (InputStream, OutputStream) {
    throw CocoaError(.featureUnsupported)
  }

  /// Whether the activity can be handed off to another machine; stored without effect on Linux.
  public var isEligibleForHandoff: Bool {
    get { isEligible(for: .handoff) }
    set { setEligible(newValue, for: .handoff) }
  }

  /// Whether the activity can be found on this machine; stored without effect on Linux.
  public var isEligibleForSearch: Bool {
    get { isEligible(for: .search) }
    set { setEligible(newValue, for: .search) }
  }

  /// Whether the activity can be found publicly; stored without effect on Linux.
  public var isEligibleForPublicIndexing: Bool {
    get { isEligible(for: .publicIndexing) }
    set { setEligible(newValue, for: .publicIndexing) }
  }

  /// Whether the activity can be predicted; stored without effect on Linux.
  public var isEligibleForPrediction: Bool {
    get { isEligible(for: .prediction) }
    set { setEligible(newValue, for: .prediction) }
  }

  private func isEligible(for purpose: Eligibility) -> Bool {
    read(\.eligibility).contains(purpose)
  }

  private func setEligible(_ isEligible: Bool, for purpose: Eligibility) {
    var eligibility = read(\.eligibility)
    if isEligible { eligibility.insert(purpose) } else { eligibility.remove(purpose) }
    exchange(\.eligibility, eligibility)
  }

  /// Calls the handler; there are no saved activities to delete on Linux.
  @preconcurrency
  public class func deleteSavedUserActivities(
    withPersistentIdentifiers persistentIdentifiers: [NSUserActivityPersistentIdentifier],
    completionHandler handler: @escaping @Sendable () -> Void
  ) {
    handler()
  }

  /// Calls the handler; there are no saved activities to delete on Linux.
  @preconcurrency
  public class func deleteAllSavedUserActivities(completionHandler handler: @escaping @Sendable () -> Void) {
    handler()
  }

  /// Returns at once; there are no saved activities to delete on Linux.
  public class func deleteSavedUserActivities(
    withPersistentIdentifiers persistentIdentifiers: [NSUserActivityPersistentIdentifier]
  ) async {}

  /// Returns at once; there are no saved activities to delete on Linux.
  public class func deleteAllSavedUserActivities() async {}
}
