// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import DropTransport
import Foundation
import HeroCards
import TestSupport
import Testing

@testable import DropScenes
@testable import HeroesApp

/// Heroes dragged between windows, each of which is a process.
@Suite(.limited, .timeLimit(minutes: 5), .serialized) struct HeroesAppTests {
  private let program = SampleProgram(name: "HeroesApp")

  @Test func addsEachDroppedHeroOnceWithPicture() async throws {
    let lines = try await program.run(
      """
      :wait Heroes 72 heroes
      drag 5 2 2 to favourites
      :say first
      :show favourites
      drag empty 2 1 to favourites at 1
      :say second
      :show favourites
      """)
    let first = lines.after("first", before: "second")
    for line in ["1  Antigone ", "   picture, "] { #expect(first.contains { $0.hasPrefix(line) }) }
    let second = lines.after("second")
    #expect([first.first, second.first] == ["2 of 3 heroes added", "2 of 3 heroes added"])
    let names = second.dropFirst().filter { !$0.hasPrefix(" ") }.map { $0.dropFirst(3).prefix { $0 != " " } }
    #expect(names == ["Anansi", "Antigone", "Beowulf", "(empty)"])
  }

  @Test(arguments: [1, 99])
  func acceptsDropAtAnyRow(place: Int) async throws {
    let lines = try await program.run(
      """
      :wait Heroes 72 heroes
      :say empty
      :show favourites
      drag 3 to favourites at \(place)
      drag 1 to favourites at \(place)
      drag 2 to favourites
      :say end
      :show favourites
      """)
    #expect(lines.after("empty", before: "end") == ["drop heroes here"])
    let rows = lines.after("end").dropFirst().filter { !$0.hasPrefix(" ") }
    #expect(rows.map { $0.dropFirst(3).prefix { $0 != " " } } == ["Anansi", "Antigone", "Arjuna"])
  }

  /// Returns the program with another catalogue.
  private func program(
    catalogue: String, environment: [String: String] = ["no_proxy": "127.0.0.1"]
  ) -> SampleProgram {
    SampleProgram(name: "HeroesApp", arguments: ["--catalogue", catalogue], environment: environment)
  }

  @Test(.peers("python3"))
  func loadsHeroesAndPicturesFromServer() async throws {
    let server = try await LocalServer(samples.appending(path: "Data"))
    let program = program(
      catalogue: server.address + "/heroes.json",
      environment: ["no_proxy": "127.0.0.1", "HEROES_PUBLIC_KEY": "lyre", "HEROES_PRIVATE_KEY": "kithara"])
    let lines = try await program.run(
      """
      :wait Heroes 72 heroes
      star 2
      :say end
      :show favourites
      """)
    let hero = lines.after("end").joined(separator: " ")
    #expect(hero.contains("Antigone") && hero.contains("comics 3  series 1  stories 3    picture, "), "\(hero)")
    let asked = try server.log()
    let request = try #require(asked.firstMatch(of: #/GET /heroes\.json\?ts=(\d+)&apikey=lyre&hash=([0-9a-f]{32}) /#))
    #expect(String(request.output.2) == MD5.hexadecimalDigest(of: "\(request.output.1)kitharalyre".utf8))
    #expect(asked.contains("GET /images/antigone.png") && !asked.contains("kithara"))
  }

  @Test(.peers("python3"))
  func reportsServerError() async throws {
    let server = try await LocalServer(samples.appending(path: "Data"))
    _ = try await program(catalogue: server.address + "/villains.json")
      .run(":wait Heroes The requested URL returned error: 404")
  }

  @Test(arguments: [
    ("http://127.0.0.1:9/x", "127.0.0.1:9: Failed to connect to 127.0.0.1"),
    ("missing.json", "missing.json: No such file or directory"), ("/", "/: Is a directory"),
  ])
  func reportsCatalogueErrorAsSentence(catalogue: String, reason: String) async throws {
    let lines = try await program(catalogue: catalogue)
      .run(":wait Heroes ! cannot load the heroes from \(reason)\n:show Heroes")
    #expect(!lines.all.contains { $0.contains("Domain") })
  }

  @Test func reportsInvalidCatalogueAsSentence() async throws {
    let directory = try TemporaryDirectory()
    let file = try directory.write(Data("[{\"name\": 3}]".utf8), to: "bad.json").path
    let reason = "[0].name: expected a string, found a number (element at byte 1)"
    _ = try await program(catalogue: file).run(":wait Heroes ! cannot load the heroes from \(file): \(reason)")
  }

  @Test func addressThatIsTooLongIsRefused() async throws {
    let address = "http://127.0.0.1:9/" + String(repeating: "a", count: 8 << 10)
    let error = await #expect(throws: SampleError.self) { try await CatalogueLoader(address, delay: 0).heroes() }
    #expect(error?.reason.hasSuffix(": the address is too long") == true)
  }

  @Test(.peers("python3", "curl")) func loadsLeaveNoDescriptors() async throws {
    let server = try await LocalServer(samples.appending(path: "Data"))
    let loader = CatalogueLoader(server.address + "/heroes.json", delay: 0)
    func descriptors() throws -> Int { try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count }
    _ = try await loader.heroes()
    let before = try descriptors()
    for _ in 0..<20 { _ = try await loader.heroes() }
    // Other tests may open some.
    #expect(try descriptors() < before + 20)
  }

  @Test(.peers("curl")) func loadFromASilentServerIsCancelled() async throws {
    // The listener accepts the connection, and never responds.
    let listener = try LoopbackListener()
    let (place, socket) = ("http://127.0.0.1:\(listener.port)/heroes.json", listener.socket.raw)
    let load = Task { try await CatalogueLoader(place, delay: 0).heroes() }
    let connection = try await onThread { try SystemCalls.accept(socket) }
    defer { close(connection) }
    load.cancel()
    // Without the cancellation, the load would take a minute.
    let result = try await finishing("the cancelled load") { await load.result }
    #expect(throws: SampleError.self) { try result.get() }
    // The end of curl closes its connection.
    try await wait(for: "the end of curl") {
      var byte: UInt8 = 0
      while recv(connection, &byte, 1, CInt(MSG_DONTWAIT)) > 0 {}
      return recv(connection, &byte, 1, CInt(MSG_DONTWAIT)) == 0 || errno == ECONNRESET
    }
  }

  @Test func refusesOtherItemsWithReason() async throws {
    let lines = try await program.run(
      """
      :wait Heroes 72 heroes
      star 2
      say Hail to favourites
      :wait heroes ! only heroes can be favourites
      drag 1 to nowhere
      :wait heroes ! no window matches nowhere
      drag 3 document
      :wait heroes ! expected numbers of heroes from 1 to 72 after drag, found document
      open 73
      :wait heroes ! expected numbers of heroes from 1 to 72 after open, found 73
      star
      :wait heroes ! expected star N… [to WINDOW] [at ROW]
      :say end
      :show favourites
      :key favourites
      remove 2
      :wait favourites ! expected remove N, with a number from 1 to 1
      remove 1
      remove 1
      :wait favourites ! expected remove N, with a number from 1 to 0
      """)
    #expect((lines.after("end").first, lines.after("end").count) == ("not a hero", 3))
  }

  @Test func usesTwoLinesInNarrowWindows() {
    let hero = Hero(id: 1, name: "Antigone", description: "")
    let rows = [59, 60].map { HeroRow(number: 1, hero: hero).row(width: $0) }
    #expect(
      rows.map(\.lines) == [
        ["1  Antigone", "   comics 0  series 0  stories 0"],
        ["1  Antigone" + String(repeating: " ", count: 60 - 11 - 29) + "comics 0  series 0  stories 0"],
      ])
  }

  @Test func heroWindowIsReusedAndReopened() async throws {
    let lines = try await program.run(
      """
      :wait Heroes 72 heroes
      open 3
      :wait 3 6 comics
      :key heroes
      drag 3 to desktop
      :wait 3 open already
      :key heroes
      open 4
      :wait 4 comics
      :kill 3
      :wait 3 signal 9
      :key heroes
      open 3
      :wait 3 6 comics
      :say end
      :show 3
      """)
    #expect(lines.after("end").contains("[6 comics]"))
  }
}

@Suite(.serialized, .limited, .timeLimit(minutes: 5))
struct HeroCatalogueRequestTests {
  @Test func digestsMatchRFC1321AndBlockBoundaries() {
    let digests: KeyValuePairs = [
      "": "d41d8cd98f00b204e9800998ecf8427e", "a": "0cc175b9c0f1b6a831c399e269772661",
      "abc": "900150983cd24fb0d6963f7d28e17f72", "message digest": "f96b697d7cb7938d525a2f31aaf161d0",
      "abcdefghijklmnopqrstuvwxyz": "c3fcd3d76192e4007dfb496cca67e13b",
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789": "d174ab98d277d9f5a5611c2c9f419d9f",
      String(repeating: "1234567890", count: 8): "57edf4a22be3c955ac49da2e2107b67a",
      String(repeating: "x", count: 55): "04364420e25c512fd958a70738aa8f72",
      String(repeating: "x", count: 56): "668a72d5ba17f08e62dabcafad6db14b",
      String(repeating: "x", count: 64): "c1bb4f81d892b2d57947682aeb252456",
    ]
    for (text, digest) in digests { #expect(MD5.hexadecimalDigest(of: text.utf8) == digest, "\(text)") }
  }

  @Test func signsRequestWithoutSendingPrivateKey() throws {
    let base = try #require(URL(string: "https://heroes.example/v1/characters?orderBy=name"))
    let request = HeroCatalogueRequest(baseURL: base, publicKey: "1234", privateKey: "abcd")
    let url = request.url(timestamp: "1")
    #expect(
      url.absoluteString
        == "https://heroes.example/v1/characters?orderBy=name&ts=1&apikey=1234&hash=ffd275c5130566a2916217b101f26150"
    )
    #expect(!url.absoluteString.contains("abcd"))
    let now = try #require(URLComponents(url: request.url(), resolvingAgainstBaseURL: true)?.queryItems)
    #expect(now.map(\.name) == ["orderBy", "ts", "apikey", "hash"])
  }

  @Test func leavesAddressUnchangedWithoutKeysOrForFiles() throws {
    let base = try #require(URL(string: "https://heroes.example/v1/characters"))
    #expect(HeroCatalogueRequest(baseURL: base).url() == base)
    let file = URL(fileURLWithPath: "/heroes.json")
    #expect(HeroCatalogueRequest(baseURL: file, publicKey: "1", privateKey: "2").url() == file)
  }
}
