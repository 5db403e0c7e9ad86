// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

@_exported public import CoreTransferable
@_exported public import Foundation
@_exported public import ItemProviderCompat
@_exported public import UniformTypes
