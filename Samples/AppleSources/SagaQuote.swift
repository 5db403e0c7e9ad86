// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import SwiftUI

/// A quotation that views drag.
///
/// The file imports SwiftUI only for `Transferable`.
struct SagaQuote: Codable, Equatable, Transferable {
  var words: String
  var speaker: String

  static var transferRepresentation: some TransferRepresentation {
    CodableRepresentation(contentType: .json)
    ProxyRepresentation(exporting: \.words)
  }
}
