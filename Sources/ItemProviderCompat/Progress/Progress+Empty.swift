// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

public import Foundation

extension Progress {
  /// Creates a progress without a parent, whose total is 0, so it is indeterminate.
  ///
  /// `Progress()` calls this initializer: Foundation has no initializer without parameters on Linux, and an extension
  /// cannot override the initializer of `NSObject`.
  public convenience init(userInfo: [ProgressUserInfoKey: Any]? = nil) {
    self.init(parent: nil, userInfo: userInfo)
  }
}
