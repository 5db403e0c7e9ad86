// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

public import Foundation
internal import ItemTransfer

/// Told what becomes of an activity; what is optional in Apple's protocol has a default here.
public protocol NSUserActivityDelegate: AnyObject {
  /// The activity is about to travel: the time to bring it up to date.
  func userActivityWillSave(_ userActivity: NSUserActivity)
  /// Another process goes on with it. Never called here: nobody says so.
  func userActivityWasContinued(_ userActivity: NSUserActivity)
  /// Streams to the other process are there. Never called here: there are none.
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

/// What Apple's systems do with an activity beyond handing it over, and what of it has a meaning here.
extension NSUserActivity {
  /// Whether it wants streams to the process that goes on; kept, and without effect here.
  public var supportsContinuationStreams: Bool {
    get { read(\.supportsContinuationStreams) }
    set { exchange(\.supportsContinuationStreams, newValue) }
  }

  /// There are no streams here: a session (`DropStream.withSession`) is the way to talk to the other process.
  ///
  /// - Parameter completionHandler: Called with the error `featureUnsupported`.
  @preconcurrency
  public func getContinuationStreams(
    completionHandler: @escaping @Sendable (InputStream?, OutputStream?, (any Error)?) -> Void
  ) {
    completionHandler(nil, nil, CocoaError(.featureUnsupported))
  }

  /// There are no streams here.
  ///
  /// - Throws: `featureUnsupported`.
  public func continuationStreams() async throws -> (InputStream, OutputStream) {
    throw CocoaError(.featureUnsupported)
  }

  /// Whether it may go on on another machine; kept, and without effect here.
  public var isEligibleForHandoff: Bool {
    get { isEligible(for: .handoff) }
    set { setEligible(newValue, for: .handoff) }
  }

  /// Whether it may be found on this machine; kept, and without effect here.
  public var isEligibleForSearch: Bool {
    get { isEligible(for: .search) }
    set { setEligible(newValue, for: .search) }
  }

  /// Whether everybody may find it; kept, and without effect here.
  public var isEligibleForPublicIndexing: Bool {
    get { isEligible(for: .publicIndexing) }
    set { setEligible(newValue, for: .publicIndexing) }
  }

  /// Whether it may be foretold; kept, and without effect here.
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

  /// Nothing is saved here, so nothing is left to delete.
  @preconcurrency
  public class func deleteSavedUserActivities(
    withPersistentIdentifiers persistentIdentifiers: [NSUserActivityPersistentIdentifier],
    completionHandler handler: @escaping @Sendable () -> Void
  ) {
    handler()
  }

  /// Nothing is saved here, so nothing is left to delete.
  @preconcurrency
  public class func deleteAllSavedUserActivities(completionHandler handler: @escaping @Sendable () -> Void) {
    handler()
  }

  /// Nothing is saved here, so nothing is left to delete.
  public class func deleteSavedUserActivities(
    withPersistentIdentifiers persistentIdentifiers: [NSUserActivityPersistentIdentifier]
  ) async {}

  /// Nothing is saved here, so nothing is left to delete.
  public class func deleteAllSavedUserActivities() async {}
}
