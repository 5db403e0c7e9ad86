// Notes in windows: a list, and a window for each note. A note that is dropped on the list is added, and a note that is
// dragged to the desktop opens in its window.
//
//     swift run NotesApp                          in the list: `new`, `open 1`, `delete 1`; in a note: `text WORDS`
//     swift run NotesApp --desktop                the same in windows of the desktop
//     swift run NotesApp --state DIRECTORY        the windows are kept for the next run

import DragPipe
import DropSceneUI
import DropScenes
import Foundation

struct Note: Codable, Sendable, Identifiable, Equatable {
  var id = UUID()
  var text = "new note"

  /// The activity that opens the window of the note.
  var opening: UserActivity {
    UserActivity(
      activityType: "org.example.open-note", title: text, userInfo: ["id": .string(id.uuidString)],
      targetContentIdentifier: id.uuidString)
  }

  /// The note for a drag: its text for any program, and its window for the desktop.
  var item: ItemProvider {
    let item = ItemProvider(text)
    item.register(opening)
    return item
  }
}

/// The window with the list.
func showList(_ window: SceneWindow, _ notes: SharedList<Note>) async throws {
  async let _: Void = {
    for try await change in notes.changes {
      let rows = change.elements.enumerated().map { index, note in
        var row = SceneRow(note.text, position: index, input: "open \(index + 1)", items: { [note.item] })
        (row.prefix, row.removal) = ("\(index + 1) ", "delete \(index + 1)")
        return row
      }
      let list = rows.isEmpty ? [SceneRow.placeholder("no notes yet")] : rows
      try await window.show(rows: list + [.button("New", input: "new")])
    }
  }()
  async let _: Void = {
    for await drop in window.drops {
      for item in drop.items {
        if let text = try? await item.value(as: String.self) {
          try await notes.insert(Note(text: text), at: drop.position ?? notes.elements.count)
        }
      }
      try await drop.finish(.copy)
    }
  }()
  for await case .input(let line) in window.events {
    let words = line.split(separator: " ")
    let note = Int(words.last ?? "").flatMap { notes.elements.indices.contains($0 - 1) ? notes.elements[$0 - 1] : nil }
    switch (words.first, note) {
    case ("new", _): try await notes.insert(Note())
    case ("open", let note?): try await window.open(note.opening)
    case ("delete", let note?): try await notes.remove(note.id)
    default: break
    }
  }
}

/// The window of a note.
func showNote(_ window: SceneWindow, _ notes: SharedList<Note>) async throws {
  guard let activity = window.activities.first, case .string(let id)? = activity.userInfo["id"] else { return }
  try await window.update { $0.stateRestorationActivity = activity }
  async let _: Void = {
    for try await change in notes.changes {
      let note = change.elements.first { $0.id.uuidString == id }
      let rows = note.map { [SceneRow.field("text", value: $0.text, input: "text", isMultiline: true)] }
      try await window.show(rows: rows ?? [.placeholder("the note is deleted")])
    }
  }()
  for await case .input(let line) in window.events where line.hasPrefix("text ") {
    guard var note = notes.elements.first(where: { $0.id.uuidString == id }) else { continue }
    note.text = String(line.dropFirst(5))
    try await notes.replace(note)
  }
}

let help = SceneAppHelp(
  summary: "NotesApp: notes in a list and in windows.",
  options: ["--state DIRECTORY": "keep the notes and the windows for the next run"],
  commands: [
    "new, open N, delete N": "in the list: add, open or delete a note", "text WORDS": "in a note: change its text",
  ])

await SceneApp.main { window in
  SceneWindowOptions(dropTypes: window.session.configurationName == "List" ? [.plainText] : [], insertsDrops: true)
} window: { window, arguments in
  try await SharedList<Note>.connect(over: .unixSocket(named: arguments[0])) { notes in
    let show = window.session.configurationName == "List" ? showList : showNote
    try await show(window, notes)
  }
} app: { arguments in
  let app = try SceneApp(arguments: arguments, help: help)
  let state = try SceneApp.value(of: "--state", in: arguments).map { try SceneStateDirectory($0) }
  let list = SceneConfiguration(name: "List", activationConditions: SceneActivationConditions(canActivate: .never))
  let manifest = SceneManifest(
    configurations: [list, SceneConfiguration(name: "Note")], activityTypes: ["org.example.open-note"])
  let router = SceneRouter(manifest: manifest, configurationNames: ["org.example.open-note": "Note"])
  let file = state?.url.appendingPathComponent("notes.json")
  let saved = file.flatMap { try? JSONDecoder().decode([Note].self, from: Data(contentsOf: $0)) }
  let store = SharedListStore(saved ?? [Note(text: "Ask Circe about the way home")])
  let name = "notes-\(getpid())"
  return try await DropStream.withListener(at: .unixSocket(named: name)) { listener in
    async let _: Void = listener.serve { session in try await store.serve(session) }
    let isDone = try await app.run(router, state: state, windowArguments: [name]) { host in
      try await host.open(list)
    }
    if let file { try JSONEncoder().encode(store.elements).write(to: file, options: .atomic) }
    return isDone
  }
}
