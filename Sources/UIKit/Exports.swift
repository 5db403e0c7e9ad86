// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

// For files that import UIKit and use only its items of drags and pictures.
@_exported public import CoreTransferable
@_exported public import UniformTypeIdentifiers
