// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

// The compiler imports this module into each file that imports both Testing and AppKit. Apple's module declares
// attachments of pictures. This module is empty, so that such files compile.
