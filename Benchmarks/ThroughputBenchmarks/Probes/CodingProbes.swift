// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DragPipe
import HeroCards

/// Probes of the CBOR coders, with one message for each item, or one array of all numbers.
enum CodingProbes {
  static let all = [
    encoding("coding/hero encoded") { HeroFixtures.heroes(20).map(PlainHero.init) },
    decoding("coding/hero decoded") { HeroFixtures.heroes(20).map(PlainHero.init) },
    encoding("coding/hero encoded, by fields") { HeroFixtures.heroes(20) },
    decoding("coding/hero decoded, by fields") { HeroFixtures.heroes(20) },
    encoding("coding/card encoded") { HeroFixtures.cards(20).map(PlainCard.init) },
    decoding("coding/card decoded") { HeroFixtures.cards(20).map(PlainCard.init) },
    Probe("coding/number in an array encoded", 20_000, 120_000) { count, most in
      let numbers = Array(NumberFixtures.doubles(most).prefix(count))
      return Probe.Work { burden in
        for _ in numbers { burden.carry() }
        keep(try CBOREncoder().encode(numbers))
      }
    },
  ]

  private static func encoding<Value: Codable & Sendable>(
    _ name: String, _ values: @escaping @Sendable () -> [Value]
  ) -> Probe {
    Probe(name) { count, _ in
      let (values, encoder) = (values(), CBOREncoder())
      return Probe.Work { burden in
        for number in 0..<count {
          keep(try encoder.encode(values[number % values.count]))
          burden.carry()
        }
      }
    }
  }

  private static func decoding<Value: Codable & Sendable>(
    _ name: String, _ values: @escaping @Sendable () -> [Value]
  ) -> Probe {
    Probe(name) { count, _ in
      let decoder = CBORDecoder()
      let messages = try values().map { try CBOREncoder().encode($0) }
      return Probe.Work { burden in
        for number in 0..<count {
          keep(try decoder.decode(Value.self, from: messages[number % messages.count]))
          burden.carry()
        }
      }
    }
  }
}
