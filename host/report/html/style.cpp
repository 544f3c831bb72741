#include "report/html/style.h"

namespace judge::html {

// c0 to c5 are the classes of precision, h1 to h7 ratios from far slower to far faster.
const char* const kStyle = R"css(
:root {
  color-scheme: light;
  --page: #ffffff; --card: #f6f8fa; --text: #1f2328; --muted: #57606a; --rule: #d0d7de; --grid: #e4e8ec;
  --link: #0a58ca; --good: #1a7f37; --bad: #c0202f; --warn: #8a5300;
  --c0: #0969da; --c1: #0d7d7d; --c2: #b35900; --c3: #c2255c; --c4: #7048b6; --c5: #6e7781;
  --kept: #b6d4fb; --gained: #0969da; --baseline: #b14700; --limit: #57606a;
  --h1: #f6b3b8; --h2: #fad0d2; --h3: #fce8e8; --h4: #f0f2f4; --h5: #e0f4e4; --h6: #b9e6c3; --h7: #8fd6a0;
  --ins: #dcf5e2; --del: #fde3e4;
}
@media (prefers-color-scheme: dark) {
  :root:not([data-theme=light]) {
    color-scheme: dark;
    --page: #0d1117; --card: #161b22; --text: #e6edf3; --muted: #9ba5b0; --rule: #30363d; --grid: #242a32;
    --link: #6cb1ff; --good: #4ac26b; --bad: #ff8080; --warn: #e3a23c;
    --c0: #58a6ff; --c1: #39c5bb; --c2: #f0883e; --c3: #ff7ba9; --c4: #b796ff; --c5: #8b949e;
    --kept: #1f3f66; --gained: #388bfd; --baseline: #f0883e; --limit: #9ba5b0;
    --h1: #7a2229; --h2: #57212a; --h3: #35202a; --h4: #1c222a; --h5: #14301f; --h6: #14492a; --h7: #156636;
    --ins: #12361f; --del: #4a1d22;
  }
}
:root[data-theme=dark] {
  color-scheme: dark;
  --page: #0d1117; --card: #161b22; --text: #e6edf3; --muted: #9ba5b0; --rule: #30363d; --grid: #242a32;
  --link: #6cb1ff; --good: #4ac26b; --bad: #ff8080; --warn: #e3a23c;
  --c0: #58a6ff; --c1: #39c5bb; --c2: #f0883e; --c3: #ff7ba9; --c4: #b796ff; --c5: #8b949e;
  --kept: #1f3f66; --gained: #388bfd; --baseline: #f0883e; --limit: #9ba5b0;
  --h1: #7a2229; --h2: #57212a; --h3: #35202a; --h4: #1c222a; --h5: #14301f; --h6: #14492a; --h7: #156636;
  --ins: #12361f; --del: #4a1d22;
}
* { box-sizing: border-box; }
html { scroll-padding-top: 3.5rem; }
body {
  margin: 0; background: var(--page); color: var(--text);
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", "Liberation Sans", sans-serif;
}
header, main, footer { max-width: 1140px; margin: 0 auto; padding: 0 1.25rem; }
header { padding-top: 2rem; }
h1 { font-size: 1.75rem; line-height: 1.2; margin: 0 0 .25rem; overflow-wrap: anywhere; }
h2 { font-size: .8rem; letter-spacing: .08em; text-transform: uppercase; color: var(--muted); margin: 0; }
h3 { font-size: 1.2rem; line-height: 1.35; font-weight: 600; margin: .35rem 0 .5rem; overflow-wrap: anywhere; }
a { color: var(--link); }
header p, .note { color: var(--muted); margin: .25rem 0 .9rem; font-size: .92rem; }
.warn { color: var(--warn); } .good { color: var(--good); } .bad { color: var(--bad); }
small { color: var(--muted); font-size: .82em; margin-left: .45em; }
section { border-top: 1px solid var(--rule); padding: 1.6rem 0 1.9rem; }
main > form + section { border-top: 0; }
nav { display: flex; gap: .2rem 1.1rem; flex-wrap: wrap; font-size: .95rem; margin: 1rem 0 1.2rem; }
nav a { text-decoration: none; }
nav a:hover { text-decoration: underline; }
.bar { position: sticky; top: 0; z-index: 2; background: var(--page); border-bottom: 1px solid var(--rule);
  padding: .5rem 0; font-size: .88rem; }
fieldset { border: 0; margin: 0; padding: 0; display: flex; flex-wrap: wrap; gap: .3rem; align-items: center; }
fieldset legend { float: left; padding: 0; margin-right: .5rem; color: var(--muted); }
.shape { position: relative; }
.shape input { position: absolute; inset: 0; opacity: 0; margin: 0; cursor: pointer; }
.shape label { display: block; padding: .08rem .6rem; border: 1px solid var(--rule); border-radius: 1rem; }
.shape input:checked + label { background: var(--text); color: var(--page); border-color: var(--text); }
.shape input:focus-visible + label { outline: 2px solid var(--link); outline-offset: 2px; }
button, .button {
  font: inherit; color: inherit; background: var(--card); border: 1px solid var(--rule); border-radius: .4rem;
  padding: .1rem .7rem; cursor: pointer;
}
.button { display: inline-block; margin-right: .6rem; color: var(--link); text-decoration: none;
  padding: .35rem .9rem; }
#theme { float: right; }
.panel { display: none; }
.panel.first { display: block; }
.scroll { overflow: auto; }
.scroll:has(table) { max-height: 38rem; }
svg { display: block; width: 100%; min-width: 720px; height: auto; font-size: 12.5px; fill: var(--text); }
.maps { display: grid; grid-template-columns: repeat(auto-fill, minmax(15rem, 1fr)); gap: 1rem 1.4rem; }
.maps figure { margin: 0; break-inside: avoid; } .maps figcaption { font-size: .85rem; margin-top: .3rem; }
.maps svg { min-width: 0; max-width: 24rem; } .maps .note { margin: 0; font-size: inherit; }
.seen { fill: var(--card); stroke: var(--grid); } .off { fill: var(--bad); }
.unseen { fill: none; stroke: var(--rule); stroke-dasharray: 2 2; }
.grid { stroke: var(--grid); fill: none; } .tick { fill: var(--muted); font-size: 11.5px; }
.axis { fill: var(--muted); }
.row { font-size: 12px; } .value { font-weight: 600; paint-order: stroke; stroke: var(--page); stroke-width: 3px; }
.gain { fill: var(--good); font-weight: 600; }
.kept { fill: var(--kept); } .gained { fill: var(--gained); }
.lost { fill: none; stroke: var(--bad); stroke-dasharray: 3 3; }
path.baseline { stroke: var(--baseline); stroke-width: 2; } text.baseline { fill: var(--baseline); }
path.limit { stroke: var(--limit); stroke-width: 2; stroke-dasharray: 6 4; } text.limit { fill: var(--limit); }
.ceiling { font-weight: 600; paint-order: stroke; stroke: var(--page); stroke-width: 3px; }
.roof { fill: none; stroke: var(--limit); stroke-width: 2; }
.measured { fill: none; stroke: var(--text); stroke-width: 1.4; }
.to-measured { stroke: var(--text); stroke-width: 1; stroke-dasharray: 2 3; }
use { stroke: var(--page); stroke-width: 1; fill-opacity: .9; }
.forms { position: absolute; }
.best { stroke: var(--text); stroke-width: 1.6; }
.c0 { fill: var(--c0); color: var(--c0); } .c1 { fill: var(--c1); color: var(--c1); }
.c2 { fill: var(--c2); color: var(--c2); }
.c3 { fill: var(--c3); color: var(--c3); } .c4 { fill: var(--c4); color: var(--c4); }
.c5 { fill: var(--c5); color: var(--c5); }
.range { stroke: var(--muted); stroke-width: 5; stroke-opacity: .45; stroke-linecap: round; }
.range.c0 { stroke: var(--c0); } .range.c1 { stroke: var(--c1); } .range.c2 { stroke: var(--c2); }
.range.c3 { stroke: var(--c3); } .range.c4 { stroke: var(--c4); }
.hollow { fill: var(--page); stroke: var(--text); stroke-width: 1.3; }
.better { fill: var(--good); } .worse { fill: var(--bad); } .same { fill: var(--muted); }
.range.better { stroke: var(--good); } .range.worse { stroke: var(--bad); }
.trace { fill: none; stroke-width: 1.5; stroke-linejoin: round; }
.trace.own { stroke: var(--c0); } .trace.other { stroke: var(--c5); stroke-opacity: .6; }
.trace.drifted { stroke: var(--bad); }
[data-tip]:hover { fill-opacity: 1; stroke: var(--text); stroke-width: 1.5; }
ul.legend, ul.chips { list-style: none; display: flex; flex-wrap: wrap; gap: .3rem 1.1rem; padding: 0;
  margin: 0 0 .5rem;
  font-size: .9rem; }
.chip { background: var(--card); border: 1px solid var(--rule); border-radius: .5rem; padding: .3rem .8rem; }
.chip b { font-size: 1.15rem; margin-right: .2rem; }
.s-ok b, b.s-ok, td.s-ok { color: var(--good); }
.s-limited b, b.s-limited, td.s-limited { color: var(--warn); }
.s-wrong b, b.s-wrong, td.s-wrong, .s-not-written b, b.s-not-written, td.s-not-written, .s-out-of-bounds b,
b.s-out-of-bounds, td.s-out-of-bounds, .s-input-modified b, b.s-input-modified, td.s-input-modified, .s-crashed b,
b.s-crashed, td.s-crashed, .s-timed-out b, b.s-timed-out, td.s-timed-out, .s-load-error b, b.s-load-error,
td.s-load-error, .s-suspicious b, b.s-suspicious, td.s-suspicious { color: var(--bad); }
.messages { padding-left: 1.2rem; font-size: .92rem; } .messages li { overflow-wrap: anywhere; margin: .2rem 0; }
table { border-collapse: collapse; width: 100%; font-size: .86rem; font-variant-numeric: tabular-nums; }
caption { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
th, td { text-align: left; padding: .28rem .5rem; border-bottom: 1px solid var(--grid); vertical-align: top;
  overflow-wrap: break-word; max-width: 24rem; unicode-bidi: isolate; }
thead th { position: sticky; top: 0; z-index: 1; background: var(--page); color: var(--muted);
  font-weight: 600; border-bottom: 1px solid var(--rule); white-space: nowrap; }
tbody th { font-weight: 500; }
thead button { all: unset; cursor: pointer; } thead button:focus-visible { outline: 2px solid var(--link); }
[aria-sort=ascending] button::after { content: " ↑"; } [aria-sort=descending] button::after { content: " ↓"; }
.r1 tr > :nth-child(1), .r2 tr > :nth-child(2), .r3 tr > :nth-child(3), .r4 tr > :nth-child(4),
.r5 tr > :nth-child(5), .r6 tr > :nth-child(6), .r7 tr > :nth-child(7), .r8 tr > :nth-child(8),
.r9 tr > :nth-child(9), .r10 tr > :nth-child(10), .r11 tr > :nth-child(11), .r12 tr > :nth-child(12),
.r13 tr > :nth-child(13), .r14 tr > :nth-child(14) { text-align: right; white-space: nowrap; }
td small { display: block; margin: 0; } td > div { white-space: nowrap; }
td > div small { display: inline; margin-left: .3em; }
.h1 { background: var(--h1); } .h2 { background: var(--h2); } .h3 { background: var(--h3); }
.h4 { background: var(--h4); }
.h5 { background: var(--h5); } .h6 { background: var(--h6); } .h7 { background: var(--h7); }
.h1 small, .h2 small, .h3 small, .h4 small, .h5 small, .h6 small, .h7 small { color: inherit; opacity: .85; }
tbody tr:hover { background: var(--card); }
details { margin: .5rem 0; } summary { cursor: pointer; padding: .2rem 0; } summary:hover { color: var(--link); }
details.source { border-bottom: 1px solid var(--grid); margin: 0; }
details.source summary { overflow-wrap: anywhere; }
pre { background: var(--card); border: 1px solid var(--rule); border-radius: .4rem; padding: .8rem 1rem;
  overflow-x: auto;
  font: 12.5px/1.5 ui-monospace, SFMono-Regular, "Liberation Mono", monospace; tab-size: 4; }
ins, del { display: block; text-decoration: none; margin: 0 -1rem;
  padding: 0 1rem 0 calc(1rem - 3px); width: max-content;
  min-width: calc(100% + 2rem); }
ins { background: var(--ins); border-left: 3px solid var(--good); }
del { background: var(--del); border-left: 3px solid var(--bad); }
details:has(.own:checked) del { display: none; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1.2rem; font-size: .92rem; }
dt { color: var(--muted); } dd { margin: 0; overflow-wrap: anywhere; }
input[type=search] { font: inherit; padding: .25rem .6rem; border: 1px solid var(--rule); border-radius: .4rem;
  width: 20rem;
  max-width: 100%; background: var(--page); color: var(--text); }
#tip { position: fixed; z-index: 3; pointer-events: none; background: var(--text); color: var(--page);
  padding: .25rem .6rem;
  border-radius: .35rem; font-size: .85rem; max-width: 24rem; overflow-wrap: anywhere; }
footer { color: var(--muted); font-size: .88rem; padding-bottom: 2.5rem; }
@media print {
  :root { color-scheme: light; }
  nav, .bar, .filter, .button, #tip, #theme { display: none; }
  body { font-size: 11pt; } svg { min-width: 0; } .scroll, .scroll:has(table) { overflow: visible; max-height: none; }
  thead th { position: static; }
  section { padding: .8rem 0; } h3, svg, tr { break-inside: avoid; } h2, h3 { break-after: avoid; }
  * { print-color-adjust: exact; }
}
)css";

}  // namespace judge::html
