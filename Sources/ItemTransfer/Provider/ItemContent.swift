// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials

/// What a loader hands over.
package enum ItemContent: Sendable {
  case data(Data)
  /// A file, or a folder for a type that is a directory's.
  case file(SentTransferredFile)
  /// Chunks of any length, made as they are asked for, once.
  case stream(any AsyncSequence<Data, any Error> & Sendable)
}
