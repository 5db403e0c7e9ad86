// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import TestSupport
import Testing

/// Photos that are shown in a document, in their own windows, and in an inspector.
@Suite(.limited, .timeLimit(minutes: 5), .serialized) struct PhotoGalleryTests {
  private let program = SampleProgram(name: "PhotoGallery")

  @Test func samePhotoIsPictureAndWindow() async throws {
    let lines = try await program.run(
      """
      :wait Gallery 71 photos
      drag 3 to document
      :say document
      :show document
      drag 3 to desktop
      :wait 3 arjuna
      :key gallery
      drag 3 to desktop
      :wait 3 arjuna, opened 2 times
      :key gallery
      drag 4 to desktop
      :wait 4 atalanta
      :key gallery
      drag 3 to desktop
      :wait 3 arjuna, opened 3 times
      """)
    #expect(lines.after("document").prefix(2) == ["1 picture", "arjuna.png: PNG image, 4 kB"])
  }

  @Test func commandErrorsNameWhatIsExpected() async throws {
    let lines = try await program.run(
      """
      :wait Gallery 71 photos
      drag 3 document
      :wait Gallery ! expected drag N to WINDOW
      inspect 72
      :wait Gallery ! expected the number of a photo from 1 to 71, found 72
      drag 3 to nowhere
      :wait Gallery ! no window matches nowhere; the windows are 1 Document, 2 Gallery
      show
      :wait Gallery ! unknown command show; type help for the commands
      drag 3 to desktop
      :wait 3 arjuna
      :key gallery
      drag 4 to desktop
      :wait 4 atalanta
      :key A
      :nonsense
      """)
    #expect(
      lines.all == [
        "error: 2 windows match A: 3 arjuna, 4 atalanta",
        "error: unknown command :nonsense; type help for the commands",
      ])
  }

  @Test func eachPhotoHasOneInspector() async throws {
    let lines = try await program.run(
      """
      :wait Gallery 71 photos
      inspect 4
      :wait 3 atalanta
      :key gallery
      inspect 5
      :wait 4 beowulf
      :kill 3
      :wait 3 signal 9
      :key gallery
      inspect 4
      :wait 3 atalanta
      :key gallery
      drag 5 to desktop
      :wait 5 beowulf
      inspect
      :say end
      :show 4
      close
      :wait 4 closed
      :say activities
      :activities
      """)
    #expect(lines.after("end", before: "activities") == ["beowulf", "PNG image", "5 kB"])
    #expect(
      lines.after("activities") == [
        "org.dragpipe.sample.show-photo", "  5 beowulf", "org.dragpipe.sample.inspect-photo", "  3 About atalanta",
      ])
  }

  @Test func windowsAreRestored() async throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let program = SampleProgram(name: "PhotoGallery", arguments: ["--state", directory.url.path])
    _ = try await program.run(
      """
      :wait Gallery 71 photos
      inspect 4
      :wait 3 atalanta
      :key gallery
      drag 5 to desktop
      :wait 4 beowulf
      :close 3
      :quit
      """)
    let second = try await program.run(":wait 1 drop pictures\n:wait 2 71 photos\n:wait 3 beowulf\n:show 4\n")
    #expect(
      second.all == ["error: no window matches 4; the windows are 1 Document, 2 Gallery, 3 beowulf"])
  }
}
