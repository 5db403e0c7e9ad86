// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

// For files that import AppKit and use only Foundation, types and item providers of it.
@_exported public import UniformTypeIdentifiers
