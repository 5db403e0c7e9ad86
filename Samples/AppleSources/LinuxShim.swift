// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

// On Apple's systems Foundation itself has item providers. This is all that the sources beside it need on Linux.
#if os(Linux)
  @_exported import ItemProviderCompat
#endif
