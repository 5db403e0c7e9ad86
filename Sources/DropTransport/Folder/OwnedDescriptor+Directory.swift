// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import CDropShims
internal import Glibc

extension OwnedDescriptor {
  /// Opens a directory as a place where names are, listed or not; never through a link at the end of the path.
  package static func place(_ path: String, in directory: CInt) throws(SystemError) -> OwnedDescriptor {
    try openAt(directory, path, CInt(dragpipe_open_path) | O_DIRECTORY | O_NOFOLLOW)
  }

  /// Opens a directory as a place where names are, listed or not.
  package static func place(_ path: String) throws(SystemError) -> OwnedDescriptor {
    try open(path, CInt(dragpipe_open_path) | O_DIRECTORY)
  }
}
