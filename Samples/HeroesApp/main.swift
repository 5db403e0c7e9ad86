// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

// Heroes are dragged from a list to the favourites. Each window is a process.
//
//     swift run HeroesApp                             in the list: `drag 3`, `drag 1 5 7 to favourites at 2`,
//                                                     `star 4`, `open 2`, `say Hail to favourites`;
//                                                     in the favourites: `remove 1`; Tab changes windows, and `help`
//                                                     lists the commands and keys
//     swift run HeroesApp --catalogue FILE|URL        heroes from another catalogue, which `curl` loads from a server;
//                                                     its keys are in the environment, HEROES_PUBLIC_KEY and
//                                                     HEROES_PRIVATE_KEY
//     swift run HeroesApp --slow SECONDS              a dropped picture takes that long; `cancel 1` cancels it
//     swift run HeroesApp --script FILE               commands from a file

import DropSceneUI
import DropScenes
import Foundation

await SceneApp.main(options: HeroesApp.options) { window, arguments in
  let loader = CatalogueLoader(arguments[0], delay: Double(arguments[1]) ?? 0)
  switch window.session.configurationName {
  case "Favourites": try await FavouritesWindow(window).run()
  case "Hero": try await HeroWindow(window, loader).run()
  default: try await HeroesWindow(window, loader).run()
  }
} app: { arguments in
  try await HeroesApp(arguments).run()
}
