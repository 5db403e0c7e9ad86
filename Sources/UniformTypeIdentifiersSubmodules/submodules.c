// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

// SwiftPM requires a source file. The target consists of its module map.
