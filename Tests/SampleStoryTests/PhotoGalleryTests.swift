// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

/// Photos that are shown in a document, in their own windows, and in an inspector.
@Suite(.limited, .timeLimit(.minutes(10)), .serialized) struct PhotoGalleryTests {
  private let program = SampleProgram(name: "PhotoGallery")

  @Test func samePhotoIsPictureAndWindow() async throws {
    let outcome = try await program.run(
      """
      :wait Gallery 71 photos
      drag 3 to document
      :say document
      :show document
      drag 3 to desktop
      :wait 3 photo arjuna, 1 times
      :key gallery
      drag 3 to desktop
      :wait 3 photo arjuna, 2 times
      :key gallery
      drag 4 to desktop
      :wait 4 photo atalanta, 1 times
      """)
    #expect(outcome.exitCode == 0)
    #expect(outcome.lines(after: "document").prefix(2) == ["1 picture", "arjuna.png: 4327 bytes of public.png"])
  }

  @Test func oneInspectorShowsAllPhotos() async throws {
    let outcome = try await program.run(
      """
      :wait Gallery 71 photos
      inspect 4
      :wait 3 atalanta
      :key gallery
      inspect 5
      :wait 3 beowulf
      :say end
      :show 3
      :show 4
      """)
    #expect(outcome.exitCode == 0)
    #expect(outcome.lines(after: "end") == ["beowulf", "type public.png", "4755 bytes", "error: no window matches 4"])
  }
}
