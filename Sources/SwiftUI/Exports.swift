// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

// On Apple's systems, SwiftUI exports UIKit or AppKit. Here, it is UIKit: code that is shared with macOS tests
// `canImport(UIKit)` first, and AppKit of this package adds no names of its own.
@_exported public import UIKit
