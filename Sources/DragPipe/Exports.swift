// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

@_exported public import DropTransport
@_exported public import ItemCoding
@_exported public import ItemTransfer
@_exported public import UniformTypes
