// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import UniformTypes

/// What was registered as an object rather than as bytes, by its type, and the preview.
struct ItemHandlers: Sendable {
  var byType: [UTType: NSItemProvider.LoadHandler] = [:]
  var preview: NSItemProvider.LoadHandler?
}
