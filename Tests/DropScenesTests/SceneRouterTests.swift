// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropScenes
import Foundation
import ItemTransfer
import TestSupport
import Testing

@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct SceneRouterTests {
  private static let board = SceneConfiguration(name: "Board")
  private static let card = SceneConfiguration(name: "Card")
  private static let router = SceneRouter(
    manifest: SceneManifest(
      configurations: [board, card], activityTypes: ["org.example.open-card", "org.example.show-board"]),
    configurationNames: ["org.example.open-card": "Card"])

  private func session(_ configuration: SceneConfiguration, prefers identifier: String? = nil) -> SceneSession {
    var session = SceneSession(configuration)
    if let identifier {
      session.activationConditions = SceneActivationConditions(
        canActivate: .never, prefersToActivate: .equal(to: identifier))
    }
    return session
  }

  private func activity(_ identifier: String?) -> UserActivity {
    UserActivity(activityType: "org.example.open-card", targetContentIdentifier: identifier)
  }

  private func failure(
    _ activity: UserActivity, _ router: SceneRouter = router, _ sessions: [SceneSession] = []
  ) -> SceneRoutingError? {
    #expect(throws: SceneRoutingError.self) { try router.route(activity, among: sessions) }
  }

  @Test func configurationStatesTheConditionsOfNewScenes() throws {
    var router = Self.router
    // The first window is still starting, and has no conditions of its own.
    let starting = SceneSession(router.manifest.configurations[1])
    #expect(try router.route(activity(nil), among: [starting]) == .activate(starting.id))
    router.manifest.configurations[1].activationConditions.canActivate = .never
    let configuration = router.manifest.configurations[1]
    #expect(try router.route(activity(nil), among: [SceneSession(configuration)]) == .open(configuration))
  }

  @Test func opensSceneOfConfiguredKind() throws {
    #expect(try Self.router.route(activity("card/1"), among: [session(Self.board)]) == .open(Self.card))
    let other = UserActivity(activityType: "org.example.show-board")
    #expect(try Self.router.route(other, among: []) == .open(Self.board))
  }

  @Test func activatesSceneWithSameContent() throws {
    let sessions = [session(Self.board), session(Self.card, prefers: "card/1"), session(Self.card, prefers: "card/2")]
    let routes = try ["card/2", "card/3"].map { try Self.router.route(activity($0), among: sessions) }
    #expect(routes == [.activate(sessions[2].id), .open(Self.card)])
  }

  @Test func prefersPreferringThenMostRecentScene() throws {
    var flexible = session(Self.card)
    flexible.activationConditions = SceneActivationConditions(prefersToActivate: .never)
    let picky = session(Self.card, prefers: "card/1")
    let second = session(Self.card)
    for (identifier, sessions, expected) in [
      ("card/1", [flexible, picky], picky), ("card/9", [flexible, second], flexible), (nil, [picky, second], second),
    ] as [(String?, [SceneSession], SceneSession)] {
      #expect(try Self.router.route(activity(identifier), among: sessions) == .activate(expected.id))
    }
  }

  @Test func reportsUnsupportedActivities() throws {
    let unlisted = failure(UserActivity(activityType: "a\u{1B}[2J"))
    #expect(unlisted?.code == .unlistedActivityType && unlisted?.reason.contains("\u{1B}") == false)

    var lacking = activity("card/1")
    lacking.requiredUserInfoKeys = ["cardID", "boardID"]
    lacking.userInfo = ["boardID": 1]
    let missing = try #require(failure(lacking))
    #expect(missing.code == .missingUserInfo)
    #expect(missing.reason.contains("cardID") && !missing.reason.contains("boardID"))

    var late = activity("card/1")
    late.expirationDate = Date(timeIntervalSinceNow: -1)
    #expect(failure(late)?.code == .expired)

    var router = Self.router
    router.configurationNames["org.example.open-card"] = "Nowhere"
    let empty = SceneRouter(manifest: SceneManifest(configurations: [], activityTypes: ["org.example.open-card"]))
    for router in [router, empty] { #expect(failure(activity("card/1"), router)?.code == .missingConfiguration) }
  }

  @Test func singleSceneAppReusesItsScene() throws {
    var router = Self.router
    router.manifest.supportsMultipleScenes = false
    #expect(try router.route(activity("card/1"), among: []) == .open(Self.card))
    #expect(failure(activity("card/1"), router, [session(Self.board)])?.code == .singleScene)
    let card = session(Self.card)
    #expect(try router.route(activity("card/1"), among: [card]) == .activate(card.id))
  }
}
