// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

// The bridging header of this app also imports CoreServices, and with it each file gets the constants of types. On Linux,
// the sources in this directory need only these imports.
#if os(Linux)
  @_exported import CoreServices
  @_exported import CoreTransferable
  @_exported import FoundationNetworking
  @_exported import ItemProviderCompat
  @_exported import UniformTypeIdentifiers
#endif
