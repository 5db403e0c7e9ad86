// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DisplayWire
import DropSystem
import Foundation
import TestSupport
import Testing

/// Stories of heroes, cards and photos that a simulated pointer drags on a display.
@Suite(.serialized, .limited, .timeLimit(minutes: 10), .peers("Xvfb")) struct DesktopStoryTests {
  // MARK: Heroes

  /// A location on the first hero of the list.
  private static let firstHero: (Int16, Int16) = (150, 130)
  private static let favourites: (Int16, Int16) = (590, 300)

  /// Runs the heroes with the list beside the favourites, and returns the lines that the commands print.
  private func heroes(
    _ body: (WindowStage, ScriptInput, (list: X11Identifier, favourites: X11Identifier)) async throws -> Void
  ) async throws -> SampleProgram.Lines {
    try await DesktopStory(name: "HeroesApp").run { stage, input in
      let favourites = try await stage.window(named: "Favourites", x: 470)
      let list = try await stage.window(named: "Heroes", x: 0)
      try await body(stage, input, (list, favourites))
    }
  }

  @Test func heroIsDraggedToTheFavouritesOfAnotherProcess() async throws {
    let lines = try await heroes { stage, input, _ in
      try await stage.drag(from: Self.firstHero, to: Self.favourites)
      try input.send(":wait Favourites 1 hero added\n:show Favourites")
    }
    // The picture was loaded by the drop.
    #expect(lines.contains(prefix: "1  Anansi") && lines.contains(prefix: "   picture, "), "\(lines)")
  }

  /// A colour of the portrait of Anansi, which the windows do not have.
  private static let purple: UInt32 = 0x814D8C

  @Test func selectedHeroesAreDraggedWithPortraitsAndBadge() async throws {
    let badge: UInt32 = 0x177338
    let lines = try await DesktopStory(name: "HeroesApp", screen: (1280, 600)).run { stage, input in
      _ = try await stage.window(named: "Favourites", x: 470)
      _ = try await stage.window(named: "Heroes", x: 0)
      try await stage.wait(forMoreThan: 40, of: Self.purple, in: X11Rectangle(x: 0, y: 0, width: 460, height: 520))
      // The keys Down and Space select the second hero too.
      try await stage.click(at: Self.firstHero)
      for symbol: UInt32 in [0xFF54, 0x20] { try await stage.pointer.type(keySymbol: symbol) }
      try await stage.beginDrag(at: Self.firstHero)
      // The list does not accept heroes, and the favourites do.
      let (own, other) = ((200, 300), (600, 300)) as ((Int16, Int16), (Int16, Int16))
      func area(at location: (Int16, Int16)) -> X11Rectangle {
        X11Rectangle(x: location.0, y: location.1, width: 250, height: 80)
      }
      try await stage.carry(from: Self.firstHero, to: own)
      try await stage.wait(forMoreThan: 40, of: Self.purple, in: area(at: own))
      #expect(try await stage.counts(of: badge, in: area(at: own)).allSatisfy { $0 == 0 })
      try await stage.carry(from: own, to: other)
      try await stage.wait(forMoreThan: 40, of: Self.purple, in: area(at: other))
      try await stage.wait(forMoreThan: 150, of: badge, in: area(at: other))
      try await stage.pointer.release()
      try input.send(":wait Favourites 2 heroes added\n:show Favourites")
    }
    #expect(lines.contains(prefix: "1  Anansi") && lines.contains(prefix: "2  Antigone"), "\(lines)")
  }

  @Test func heroIsThereAtOnceAndItsSlowPictureCanBeCancelled() async throws {
    // The picture takes longer than another program may be silent.
    let story = DesktopStory(name: "HeroesApp", arguments: ["--slow", "50"])
    let lines = try await story.run { stage, input in
      _ = try await stage.window(named: "Favourites", x: 470)
      _ = try await stage.window(named: "Heroes", x: 0)
      try await stage.drag(from: Self.firstHero, to: Self.favourites)
      try input.send(":wait Favourites 1 %\n:show Favourites\n:key Favourites\ncancel 1")
      try input.send(":wait Favourites 1 hero added\n:say end\n:show Favourites")
    }
    #expect(lines.all.contains { $0.hasPrefix("1  Anansi") && $0.hasSuffix(" %") }, "\(lines)")
    // The cancelled picture is missing.
    #expect(lines.after("end").count == 2, "\(lines)")
  }

  @Test func cardOverTheFavouritesIsRefused() async throws {
    let board = DesktopStory(name: "BoardApp", screen: (1400, 600))
    try await board.run { stage, _ in
      let heroes = SampleProgram(
        name: "HeroesApp", arguments: ["--desktop"], environment: ["DISPLAY": "\(stage.display.address)"])
      let input = try ScriptInput()
      async let run = heroes.outcome(input: input.reader.raw)
      _ = try await stage.window(named: "Favourites", x: 930)
      // The list opens last, and would cover the board.
      _ = try await stage.window(named: "Heroes", x: 1300)
      _ = try await stage.window(named: "Board", x: 0)
      try await stage.drag(from: Self.firstCard, to: (1100, 300))
      try input.send(":wait Favourites drop heroes here\n:quit")
      let outcome = try await run
      #expect(outcome.exitCode == 0, "\(outcome)")
    }
  }

  @Test func wideListShowsTheDetailsOfAHeroBesideIt() async throws {
    let story = DesktopStory(name: "HeroesApp", screen: (1400, 600))
    let lines = try await story.run { stage, input in
      let list = try await stage.window(named: "Heroes", x: 0)
      try stage.connection.send(.configureWindow(list, width: 900, height: 500))
      try input.send(":key Heroes\n:wait Heroes open a hero\nshow 1\n:wait Heroes Anansi is shown\n:show Heroes")
    }
    #expect(lines.all.contains("[2 comics]"), "\(lines)")
  }

  @Test func enterOpensASelectedHero() async throws {
    let story = DesktopStory(name: "HeroesApp")
    _ = try await story.run(":wait Heroes 72 heroes\n:wait Heroes Anansi is shown") { stage in
      _ = try await stage.window(named: "Heroes", x: 0)
      try await stage.click(at: Self.firstHero)
      try await stage.pointer.type(keySymbol: 0xFF0D)
    }
  }

  @Test func listGoesOnAfterTheFavouritesAreKilledDuringADrag() async throws {
    _ = try await heroes { stage, input, windows in
      try await stage.beginDrag(at: Self.firstHero)
      try await stage.carry(from: Self.firstHero, to: Self.favourites)
      try input.send(":kill Favourites\n:wait Favourites signal 9")
      try await stage.waitForEnd(of: windows.favourites)
      // The drag goes on: where the favourites were, it opens a window.
      try await stage.pointer.release()
      _ = try await stage.window(named: "Anansi", x: 0)
      try input.send(":wait Anansi comics")
    }
  }

  @Test func favouritesGoOnAfterTheListIsKilledDuringADrag() async throws {
    let lines = try await heroes { stage, input, windows in
      try await stage.beginDrag(at: Self.firstHero)
      try await stage.carry(from: Self.firstHero, to: Self.favourites)
      try input.send(":kill Heroes\n:wait Heroes signal 9\n:heroes")
      try await stage.waitForEnd(of: windows.list)
      try await stage.pointer.release()
      _ = try await stage.window(named: "Heroes", x: 0)
      try await stage.drag(from: Self.firstHero, to: Self.favourites)
      try input.send(":wait Favourites 1 hero added\n:show Favourites")
    }
    #expect(lines.contains(prefix: "1  Anansi"), "\(lines)")
  }

  // MARK: Cards and photos

  private static let board = DesktopStory(name: "BoardApp", screen: (1280, 800))
  private static let gallery = DesktopStory(name: "PhotoGallery", screen: (1280, 800))
  /// A location on the first line of the first card, before and after its text is divided into lines.
  private static let firstCard: (Int16, Int16) = (80, 104)

  @Test func cardOutsideOfAllWindowsOpensItsWindow() async throws {
    let lines = try await Self.board.run { stage, input in
      _ = try await stage.window(named: "Board", x: 0)
      try await stage.drag(from: Self.firstCard, to: (1100, 600))
      _ = try await stage.window(named: "Card", x: 900)
      try input.send(":wait 2 in To do\n:show 2")
    }
    #expect(lines.contains(prefix: "Ask Circe"), "\(lines)")
  }

  @Test func cardIsMovedToAnotherColumn() async throws {
    let lines = try await Self.board.run { stage, input in
      _ = try await stage.window(named: "Board", x: 0)
      // The drop is above the first card in the second of five columns.
      try await stage.drag(from: Self.firstCard, to: (280, 96))
      try input.send(":wait board 6 Ask Circe\n:wait board 7 Caulk\n:show board")
    }
    #expect(lines.after("[In progress]", before: "[Review]").first?.contains("Ask Circe") == true, "\(lines)")
    #expect(lines.all.count { $0.contains("Ask Circe") } == 1, "\(lines)")
  }

  /// Runs the gallery at the right of the document, and drags the first photo.
  private func dragPhoto(
    to end: (Int16, Int16), _ body: (WindowStage, ScriptInput) async throws -> Void
  ) async throws -> SampleProgram.Lines {
    try await Self.gallery.run { stage, input in
      _ = try await stage.window(named: "Document", x: 0)
      _ = try await stage.window(named: "Gallery", x: 500)
      try await stage.drag(from: (650, 110), to: end)
      try await body(stage, input)
    }
  }

  @Test func photoIsDraggedIntoADocument() async throws {
    let lines = try await dragPhoto(to: (200, 300)) { _, input in
      try input.send(":wait Document 1 picture\n:show Document")
    }
    #expect(lines.all.contains { $0.hasPrefix("anansi.png: ") && $0.hasSuffix("PNG image, 4 kB") }, "\(lines)")
  }

  @Test func photoOutsideOfAllWindowsOpensItsWindow() async throws {
    _ = try await dragPhoto(to: (1200, 700)) { stage, input in
      _ = try await stage.window(named: "anansi", x: 0)
      try input.send(":wait 3 anansi")
    }
  }

  @Test func openedPhotoIsInTheMiddleAndStaysWhereItIsMoved() async throws {
    try await Self.gallery.run { stage, input in
      _ = try await stage.window(named: "Gallery", x: 500)
      try await stage.wait(forMoreThan: 100, of: Self.purple, in: X11Rectangle(x: 500, y: 0, width: 460, height: 520))
      try input.send(":key Gallery\nopen 1\n:wait 3 anansi")
      let frame = X11Rectangle(x: 470, y: 185, width: 340, height: 430)
      try await stage.wait(for: "the photo in the middle of the screen, in front of the gallery") {
        try await stage.frameOnTop(at: (640, 400)) == frame
      }
      // The photo is much larger than its thumbnail.
      try await stage.wait(forMoreThan: 2000, of: Self.purple, in: frame)
      let photo = try await stage.window(named: "anansi", x: 0)
      try input.send(":key Gallery\nopen 1\n:wait 3 anansi, opened 2 times\n:key Gallery\ninspect 1")
      // The inspector opens after the photo was opened again.
      _ = try await stage.window(named: "About anansi", x: 900)
      let moved = try await stage.connection.response(to: .getGeometry(photo)).frame
      #expect(moved == X11Rectangle(x: 0, y: 0, width: 340, height: 430))
    }
  }

  @Test(.peers("python3"), .enabled(if: DragPeer.Toolkit.gtk3.isInstalled, "GTK 3 is not installed"))
  func photoIsDraggedIntoATextFieldOfGTKAsAPicture() async throws {
    _ = try await Self.gallery.run { stage, _ in
      _ = try await stage.window(named: "Document", x: 800)
      _ = try await stage.window(named: "Gallery", x: 300)
      let field = try await DragPeer(.gtk3, ["target", "picture"], on: stage.display.address)
      try await stage.drag(from: (450, 110), to: (100, 100))
      #expect(try await field.next() == "picture 240 240")
    }
  }

  // MARK: Other programs

  /// Drags the file to the favourites, and stays there until the windows had some time to agree on an effect.
  ///
  /// The file manager shows the file some time after its window has opened.
  private static func dragFile(on stage: WindowStage, pauses: Int) async throws {
    let (start, end) = ((222, 150) as (Int16, Int16), (950, 300) as (Int16, Int16))
    try await stage.point(at: start)
    try await stage.pointer.press()
    // The file manager begins a drag only with a small motion.
    try await stage.point(at: (start.0 + 8, start.1 + 8))
    try await stage.carry(from: start, to: end)
    for pause in 0..<pauses { try await stage.point(at: (end.0 + Int16(pause % 8), end.1)) }
    try await stage.pointer.release()
  }

  @Test(.peers("thunar", "dbus-run-session"))
  func fileOfAHeroIsDraggedFromThunarToTheFavourites() async throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let folder = directory.file("in")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    try Data(#"{"id": 9, "name": "Camilla", "description": "She outran the wind."}"#.utf8)
      .write(to: folder.appendingPathComponent("Camilla.json"))
    let attempts = Collector<Void>()
    let lines = try await DesktopStory(name: "HeroesApp", screen: (1280, 800)).run(
      ":wait Heroes 72 heroes\n:wait Favourites Camilla\n:show Favourites",
      after: { stage in
        for window in ["Heroes", "Favourites"] { _ = try await stage.window(named: window, x: 820) }
        try openThunar(folder, on: stage.display.address)
      },
      repeating: { stage in
        attempts.add(())
        try await Self.dragFile(on: stage, pauses: 10 * attempts.values.count)
      })
    #expect(lines.contains(prefix: "1  Camilla"), "\(lines)")
  }
}

/// Stories of fields, buttons, frames and screens.
@Suite(.serialized, .limited, .timeLimit(minutes: 10), .peers("Xvfb")) struct DesktopFormStoryTests {
  /// Runs a sample with a script, and repeats actions once some windows exist until the script ends.
  private func run(
    _ name: String, _ script: String, arguments: [String] = [], windows: [String],
    _ actions: @escaping @Sendable (WindowStage) async throws -> Void
  ) async throws -> SampleProgram.Lines {
    try await DesktopStory(name: name, arguments: arguments).run(
      script, after: { stage in for window in windows { _ = try? await stage.window(named: window, x: 0) } },
      repeating: actions)
  }

  /// Types a word and Enter in the newest window, which is under the pointer.
  @Sendable private static func typeWord(on stage: WindowStage) async throws {
    try await stage.point(at: (100, 100))
    for scalar in "oar".unicodeScalars { try await stage.pointer.type(keySymbol: scalar.value) }
    try await stage.pointer.type(keySymbol: 0xFF0D)
  }

  @Test func typedTitleAddsAColumn() async throws {
    let script = "add column\n:wait board [oar]\n:wait 2 closed"
    _ = try await run("BoardApp", script, windows: ["Add Column"], Self.typeWord)
  }

  @Test func editedTextOfACardIsOnTheBoard() async throws {
    let script = ":wait board Pack\ndrag 4 to desktop\n:wait board quxqux"
    _ = try await run("BoardApp", script, windows: ["Card"]) { stage in
      let control: UInt32 = 0xFFE3
      func type(_ keys: String, holding modifier: UInt32? = nil) async throws {
        for key in keys.unicodeScalars { try await stage.pointer.type(keySymbol: key.value, holding: modifier) }
      }
      try await stage.click(at: (100, 100))
      try await type("a", holding: control)
      try await type("qux")
      try await type("ac", holding: control)
      try await stage.pointer.type(keySymbol: 0xFF57)
      try await type("v", holding: control)
      // The text comes from the clipboard.
      try await Task.sleep(for: .milliseconds(300))
      try await stage.pointer.type(keySymbol: 0xFF0D, holding: control)
    }
  }

  @Test func buttonClosesACard() async throws {
    let script = ":wait board Pack\ndrag 4 to desktop\n:wait 2 closed\n:show 2"
    let lines = try await run("BoardApp", script, windows: ["Card"]) { stage in
      // The buttons Close and Save are at the lower edge of a window of 380 by 340 points.
      try await stage.click(at: (230, 307))
    }
    #expect(lines.all.last?.hasPrefix("error: no window matches 2") == true, "\(lines)")
  }

  @Test func selectedDateStaysSelectedWhenAnotherIsInserted() async throws {
    try await DesktopStory(name: "SharedDates").run { stage, input in
      // The third window has the date from the start, so it does not mark the date as new.
      try input.send("insert alpha\n:wait 1 1 date\n:window")
      try await stage.wait(for: "the third window") { try await stage.windows(named: "Dates").count == 3 }
      _ = try await stage.window(named: "Dates", x: 0)
      try await stage.point(at: (230, 20))
      func tinted() async throws -> [Int] {
        let counts = try await stage.counts(of: 0xE1ECFD, in: X11Rectangle(x: 0, y: 0, width: 460, height: 480))
        return counts.indices.filter { counts[$0] > 100 }
      }
      // The keys Control and A select all rows, once there is a row.
      var selected: [Int] = []
      try await stage.wait(for: "the selected date") {
        try await stage.pointer.type(keySymbol: 0x61, holding: 0xFFE3)
        selected = try await tinted()
        return !selected.isEmpty
      }
      try input.send("insert beta")
      try await stage.wait(for: "the selected date below another") {
        try await tinted().first.map { $0 > selected[0] + 10 } ?? false
      }
    }
  }

  @Test func crossDeletesADateInEditMode() async throws {
    let script = """
      insert alpha
      :key 1
      edit
      :key 2
      edit
      :wait 1 no dates yet
      :wait 2 no dates yet
      """
    _ = try await run("SharedDates", script, windows: ["Dates"]) { try await $0.click(at: (418, 88)) }
  }

  @Test func crossRemovesAFavourite() async throws {
    let script = """
      :wait Heroes 72 heroes
      drag 1 to Favourites
      :wait Heroes 1 hero dropped
      :wait Favourites drop heroes here
      """
    _ = try await run("HeroesApp", script, windows: ["Heroes", "Favourites"]) { stage in
      // The row of the first favourite is below the title, and the result of the drop.
      for y in [90, 110] as [Int16] { try await stage.click(at: (418, y)) }
    }
  }

  // MARK: Frames, transitions and screens

  /// Runs a script of windows.
  ///
  /// The first two windows state what they show before they have content.
  private func runExtraWindows(
    on stage: WindowStage, _ script: String, theme: String = ""
  ) async throws -> SampleProgram.Lines {
    try await SampleProgram(
      name: "ExtraWindows", arguments: ["--desktop"],
      environment: ["DISPLAY": "\(stage.display.address)", "GTK_THEME": theme]
    ).run(":wait 1 not key\n:wait 2 type here\n" + script)
  }

  /// Waits for the window with a frame.
  private func window(
    with frame: X11Rectangle, on root: X11Identifier, of stage: WindowStage
  ) async throws -> X11Identifier {
    var found = X11Identifier.none
    try await stage.wait(for: "the window with the frame \(frame)") {
      for child in try await stage.connection.response(to: .queryTree(root)).children {
        // The connection of a desktop window has an invisible window too.
        let geometry = try? await stage.connection.response(to: .getGeometry(child))
        if geometry?.frame == frame { found = child }
      }
      return found != .none
    }
    return found
  }

  @Test func windowGrowsToItsFrameAndShrinksBeforeItCloses() async throws {
    let stage = try await WindowStage()
    let viewer = try await X11Connection.open(stage.display.address)
    try viewer.send(
      .changeWindowAttributes(viewer.screen.root, X11WindowAttributes(events: [.substructureNotify])))
    try await viewer.synchronize()
    let lines = try await runExtraWindows(on: stage, ":window 40 60 300 400\n:wait 3 300 by 400\n:close 3\n")
    #expect(lines.all == ["window 3 is closed, its process gone"])
    var heights: [UInt16] = []
    while let event = try await viewer.nextEvent() {
      if case .configureNotify(let change) = event.kind, change.frame.x == 40, change.frame.y == 60 {
        heights.append(change.frame.height)
      }
      if heights.count > 1, heights.last == 160 { break }
    }
    let steps: [UInt16] = (0...10).map { 160 + 24 * $0 }
    #expect(heights == steps.dropFirst() + steps.dropLast().reversed())
    await stage.display.stop()
  }

  @Test func handleChangesTheFrameOfAWindow() async throws {
    // The first two windows, which may be mapped later, do not cover the third.
    let story = DesktopStory(name: "ExtraWindows", screen: (1280, 800))
    let lines = try await story.run(":window 600 60 300 200\n:wait 3 360 by\n:show 3") { stage in
      // The handle is there once the window has grown.
      let (start, end) = ((894, 254), (954, 354)) as ((Int16, Int16), (Int16, Int16))
      try await stage.point(at: start)
      try await stage.pointer.press()
      try await stage.carry(from: start, to: (end.0 + 4, end.1 + 4))
      try await stage.point(at: end)
      try await stage.pointer.release()
    }
    #expect(lines.contains(prefix: "360 by "), "\(lines)")
  }

  @Test func windowIsOnTheChosenScreen() async throws {
    let stage = try await WindowStage(screenCount: 2)
    let second = stage.connection.setup.screens[1].root
    async let lines = runExtraWindows(on: stage, ":window 40 60 300 200 1\n:wait 3 closed\n")
    let frame = X11Rectangle(x: 40, y: 60, width: 300, height: 200)
    try await stage.close(try await window(with: frame, on: second, of: stage))
    _ = try await lines
    await stage.display.stop()
  }

  @Test func windowHasTheScaleAndTheColoursOfTheDesktop() async throws {
    let stage = try await WindowStage()
    let (connection, root) = (stage.connection, stage.connection.screen.root)
    try connection.send(
      .changeProperty(root, .resourceManager, type: .string, .bytes(ArraySlice("Xft.dpi:\t144\n".utf8))))
    try await connection.synchronize()
    async let lines = runExtraWindows(on: stage, ":window 40 60 240 200\n:wait 3 closed\n", theme: "Adwaita:dark")
    let frame = X11Rectangle(x: 60, y: 90, width: 360, height: 300)
    let window = try await window(with: frame, on: root, of: stage)
    // The background of the dark theme.
    try await stage.wait(forMoreThan: 1000, of: 0x1C1D20, in: frame)
    try await stage.close(window)
    _ = try await lines
    await stage.display.stop()
  }

  @Test func screenThatDoesNotExistIsReported() async throws {
    let stage = try await WindowStage()
    _ = try await runExtraWindows(on: stage, ":window 40 60 300 200 1\n:wait 3 screen 1 does not exist\n")
    await stage.display.stop()
  }
}
