/** The style sheet of a published site. */
export const siteStyle = `:root {
  color-scheme: light dark;
  --paper: #faf9f6; --card: #ffffff; --ink: #1c2230; --soft: #5b6575; --line: #e4e0d8; --link: #1d5bb8; --mark: #fff1b8;
  --strong: #1a7f4b; --rough: #2b7a8c; --contested: #b25a00; --against: #b3322c; --none: #6f7580; --undecided: #6a6f7a;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #14171d; --card: #1b1f27; --ink: #e7e9ed; --soft: #9ca6b5; --line: #2d333e; --link: #86b4ff; --mark: #5c4a12;
    --strong: #5fc78f; --rough: #6cc3d5; --contested: #f0a35c; --against: #f08a83; --none: #8d95a2; --undecided: #a4abb8;
  }
}
* { box-sizing: border-box; }
html { scroll-behavior: smooth; scroll-padding-top: 4.5rem; -webkit-text-size-adjust: 100%; }
body {
  margin: 0; background: var(--paper); color: var(--ink); overflow-wrap: break-word;
  font: 16px/1.6 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
}
a { color: var(--link); text-decoration: none; }
a:hover, a:focus-visible { text-decoration: underline; }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; border-radius: .2rem; }
.bar { position: sticky; top: 0; z-index: 1; background: var(--card); border-bottom: 1px solid var(--line); }
.bar > div { max-width: 60rem; margin: 0 auto; padding: .6rem 1.25rem; display: flex; gap: 1rem; align-items: center; }
.bar .home { font-weight: 700; color: var(--ink); letter-spacing: -.01em; white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }
.bar form { margin-left: auto; flex: 0 1 18rem; }
input[type=search] {
  width: 100%; font: inherit; font-size: .95rem; color: inherit; background: var(--paper);
  border: 1px solid var(--line); border-radius: 1.2rem; padding: .35rem .9rem;
}
main { max-width: 60rem; margin: 0 auto; padding: 2rem 1.25rem 4rem; }
footer { max-width: 60rem; margin: 0 auto; padding: 1rem 1.25rem 3rem; color: var(--soft); font-size: .85rem; border-top: 1px solid var(--line); }
.crumbs { font-size: .9rem; color: var(--soft); margin: 0 0 .75rem; }
h1 { font-size: 1.9rem; line-height: 1.2; margin: 0 0 .4rem; letter-spacing: -.02em; }
h2 { font-size: 1.1rem; margin: 2.5rem 0 .75rem; padding-bottom: .3rem; border-bottom: 1px solid var(--line); }
h3 { font-size: 1.05rem; margin: 0 0 .2rem; }
p { margin: .4rem 0; }
ul, ol { padding-left: 1.2rem; margin: .4rem 0; }
.meta, .by, .earlier { color: var(--soft); font-size: .9rem; }
time, .stance, .vote { white-space: nowrap; }
.stance, .vote { font-weight: 600; }
.grid { list-style: none; padding: 0; display: grid; gap: 1rem; grid-template-columns: repeat(auto-fill, minmax(15rem, 1fr)); }
.grid li, .row, .card {
  background: var(--card); border: 1px solid var(--line); border-radius: .7rem; padding: 1rem 1.2rem;
}
.grid a { font-weight: 650; font-size: 1.1rem; }
.rows { list-style: none; padding: 0; margin: 1.25rem 0; display: grid; gap: .7rem; grid-template-columns: minmax(0, 1fr); }
.row { border-left: .3rem solid var(--undecided); }
.row h3 { line-height: 1.35; } .row h3, .row p, h1, main > p { overflow-wrap: anywhere; }
.badge { font-size: .78rem; font-weight: 650; padding: .05rem .55rem; border: 1px solid currentColor; border-radius: 1rem; white-space: nowrap; color: var(--undecided); }
.card { margin: 1.25rem 0; border-left: .3rem solid var(--undecided); }
.level { font-weight: 700; font-size: 1.1rem; }
.strong { border-left-color: var(--strong); } .strong .level, .badge.strong { color: var(--strong); }
.rough { border-left-color: var(--rough); } .rough .level, .badge.rough { color: var(--rough); }
.contested { border-left-color: var(--contested); } .contested .level, .badge.contested { color: var(--contested); }
.none { border-left-color: var(--none); } .none .level, .badge.none { color: var(--none); }
.support, .for { color: var(--strong); } .object, .against { color: var(--against); }
.bars { display: flex; height: .55rem; border-radius: .3rem; overflow: hidden; margin: .7rem 0 .3rem; background: var(--line); max-width: 30rem; }
meter { width: 7rem; height: .8rem; vertical-align: middle; }
.summary, .quotes, .tree { list-style: none; padding: 0; }
.summary > li, .quotes > li { margin: 0 0 1rem; }
blockquote { margin: .35rem 0; padding: .1rem 0 .1rem .8rem; border-left: 2px solid var(--line); color: var(--soft); }
blockquote q { color: var(--ink); }
.jump { font-size: .8rem; padding: 0 .4em; border: 1px solid var(--line); border-radius: .8em; white-space: nowrap; }
.table { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .95rem; }
th { text-align: left; color: var(--soft); font-weight: 600; font-size: .85rem; }
th, td { padding: .5rem .6rem .5rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
td:first-child { min-width: 7rem; }
q, code { overflow-wrap: anywhere; }
code { font-size: .85em; }
mark { background: var(--mark); color: inherit; border-radius: .15rem; }
.message { background: var(--card); border: 1px solid var(--line); border-radius: .7rem; margin: .7rem 0; }
.message summary { cursor: pointer; padding: .6rem 1rem; }
.message .number { color: var(--soft); font-variant-numeric: tabular-nums; margin-right: .4rem; }
.message .excerpt { color: var(--soft); font-size: .92rem; }
.message[open] .excerpt { display: none; }
.words { margin: 0; padding: .2rem 1rem 1rem; white-space: pre-wrap; overflow-wrap: anywhere; font: inherit; scroll-margin-top: 7rem; }
.words:target { box-shadow: inset .2rem 0 0 var(--link); }
.depth-1 { margin-left: .8rem; } .depth-2 { margin-left: 1.6rem; } .depth-3 { margin-left: 2.4rem; }
.depth-4 { margin-left: 3.2rem; } .depth-5 { margin-left: 4rem; } .depth-6 { margin-left: 4.8rem; }
.pages { display: flex; gap: .5rem; flex-wrap: wrap; margin: 1.5rem 0; }
.pages > * { padding: .15rem .7rem; border: 1px solid var(--line); border-radius: .5rem; background: var(--card); }
.pages > [aria-current] { font-weight: 700; }
.big { max-width: 36rem; margin: 1rem 0; } .big input { font-size: 1.1rem; padding: .6rem 1.2rem; border-radius: 2rem; }
@media (max-width: 40rem) {
  main { padding: 1.25rem 1rem 3rem; }
  .bar > div { padding: .55rem 1rem; gap: .75rem; }
  .bar form { flex: 1 1 8rem; }
  h1 { font-size: 1.45rem; }
  table, thead, tbody, tr, td { display: block; }
  thead { display: none; }
  tr { border-bottom: 1px solid var(--line); padding: .5rem 0; }
  td { border: 0; padding: .1rem 0; }
  .depth-1 { margin-left: .3rem; } .depth-2 { margin-left: .6rem; }
  .depth-3, .depth-4, .depth-5, .depth-6 { margin-left: .9rem; }
}
@media print {
  :root { --paper: #fff; --card: #fff; --ink: #000; --soft: #444; --line: #bbb; --link: #000; }
  .bar, .pages { display: none; } main { max-width: none; padding: 0; }
  .card, .row, tr { break-inside: avoid; }
}
`;
