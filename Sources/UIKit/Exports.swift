// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

// Source files that import UIKit can use these modules without a further import.
@_exported public import CoreTransferable
@_exported public import UniformTypeIdentifiers
