// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

// On Apple's systems, macOS has the names of `MobileCoreServices` in this module.
@_exported public import MobileCoreServices
