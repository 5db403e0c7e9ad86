// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

// Source files that import UIKit can use this module, and all that it exports, without a further import.
@_exported public import UniformTypeIdentifiers
