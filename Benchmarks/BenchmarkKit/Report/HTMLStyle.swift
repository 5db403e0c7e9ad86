// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// How the page looks, by day and by night.
enum HTMLStyle {
  static let text = """
    :root { color-scheme: light dark; --paper: #fff; --ink: #1b1f24; --faint: #59636e; --grid: #dfe3e8;
      --faster: #2f7d4f; --slower: #c2571a; --limit: #8a93a0; --missed: #b3261e;
      --s0: #1f6feb; --s1: #c2571a; --s2: #2f7d4f; --s3: #8250df; --s4: #b3261e; --s5: #59636e; }
    @media (prefers-color-scheme: dark) {
      :root { --paper: #14171b; --ink: #e6e9ed; --faint: #9aa4af; --grid: #2c333b;
        --faster: #56b27c; --slower: #f0883e; --limit: #7d8794; --missed: #ff8a80;
        --s0: #58a6ff; --s1: #f0883e; --s2: #56b27c; --s3: #bc8cff; --s4: #ff8a80; --s5: #9aa4af; } }
    * { box-sizing: border-box; }
    body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, "DejaVu Sans", sans-serif; }
    main { max-width: 1112px; margin: 0 auto; padding: 16px; }
    h1 { font-size: 1.7rem; line-height: 1.2; } h2 { margin-top: 2.5rem; border-bottom: 1px solid var(--grid); }
    dl { display: grid; grid-template-columns: max-content 1fr; gap: 0 16px; font-size: .9rem; }
    dt { color: var(--faint); } dd { margin: 0; overflow-wrap: anywhere; }
    svg { display: block; max-width: 100%; height: auto; font-family: inherit; }
    svg.narrow { display: none; }
    @media (max-width: 700px) { svg.narrow { display: block; width: 100%; } svg.wide { display: none; } }
    .text { fill: var(--ink); } .strong { font-weight: 600; } .faint { fill: var(--faint); }
    .grid { stroke: var(--grid); } .axis { stroke: var(--ink); stroke-width: 1.5; }
    .whisker { stroke: var(--ink); stroke-width: 1.2; }
    .faster { fill: var(--faster); } .slower { fill: var(--slower); } .limit { fill: var(--limit); }
    .line { fill: none; stroke-width: 2; } .dot { stroke: none; } .spread { stroke-width: 5; opacity: 0.3; }
    .spread.series0 { stroke: var(--s0); }
    .line.series0 { stroke: var(--s0); } .dot.series0 { fill: var(--s0); }
    .spread.series1 { stroke: var(--s1); }
    .line.series1 { stroke: var(--s1); stroke-dasharray: 7 3; } .dot.series1 { fill: var(--s1); }
    .spread.series2 { stroke: var(--s2); }
    .line.series2 { stroke: var(--s2); stroke-dasharray: 2 3; } .dot.series2 { fill: var(--s2); }
    .spread.series3 { stroke: var(--s3); }
    .line.series3 { stroke: var(--s3); stroke-dasharray: 9 3 2 3; } .dot.series3 { fill: var(--s3); }
    .spread.series4 { stroke: var(--s4); }
    .line.series4 { stroke: var(--s4); stroke-dasharray: 4 4; } .dot.series4 { fill: var(--s4); }
    .spread.series5 { stroke: var(--s5); }
    .line.series5 { stroke: var(--s5); stroke-dasharray: 1 2; } .dot.series5 { fill: var(--s5); }
    .scroll { overflow-x: auto; } summary { cursor: pointer; color: var(--faint); margin: 8px 0; }
    table { border-collapse: collapse; font-size: .85rem; font-variant-numeric: tabular-nums; }
    th, td { padding: 3px 10px 3px 0; text-align: right; white-space: nowrap; }
    th { color: var(--faint); font-weight: 500; } th:first-child, td:first-child { text-align: left; }
    th.case { color: var(--ink); font-weight: 600; padding-top: 14px; border-bottom: 1px solid var(--grid); }
    td.met, td.missed { white-space: normal; color: var(--faint); } .missed, td.missed { color: var(--missed); font-weight: 600; }
    """
}
