// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

// On Apple's systems, the module consists of AppKit, Foundation and CoreData.
@_exported public import AppKit
@_exported public import Foundation
