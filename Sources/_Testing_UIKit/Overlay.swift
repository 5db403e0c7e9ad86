// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

// The compiler imports this module into each file that imports both Testing and UIKit. Apple's declares attachments of
// pictures; this one is empty, so that such files compile.
