// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

// Foundation includes item providers on Apple's systems. On Linux, the sources in this directory need only this import.
#if os(Linux)
  @_exported import ItemProviderCompat
#endif
