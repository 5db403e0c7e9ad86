// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

// For files that import SwiftUI and use only Foundation, types and Transferable of it.
@_exported public import CoreTransferable
@_exported public import UniformTypeIdentifiers
