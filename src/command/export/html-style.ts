/** The style of an exported page. */
export const pageStyle = `:root { color-scheme: light dark; --text: #1f2328; --dim: #59636e; --back: #fff; --code: #f4f5f7; --line: #d5dae0; --accent: #0550ae; --bad: #b3261e; --added: #dafbe1; --removed: #ffebe9;
  --c0: #1f2328; --c1: #b3261e; --c2: #116329; --c3: #7d4e00; --c4: #0550ae; --c5: #6639ba; --c6: #0b5f66; --c7: #59636e; }
@media (prefers-color-scheme: dark) { :root { --text: #e6edf3; --dim: #9aa4af; --back: #14181d; --code: #1d232a; --line: #363d46; --accent: #79b8ff; --bad: #ff8f87; --added: #173a22; --removed: #4a1f1e;
  --c0: #9aa4af; --c1: #ff8f87; --c2: #7ee787; --c3: #e3b341; --c4: #79b8ff; --c5: #d2a8ff; --c6: #76e3ea; --c7: #e6edf3; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--back); color: var(--text); font: 16px/1.55 system-ui, sans-serif; }
main { max-width: 52rem; margin: 0 auto; padding: 2rem 1rem 4rem; overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; }
h2 { font-size: .8rem; margin: 0 0 .25rem; color: var(--dim); font-weight: 600; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0 1rem; color: var(--dim); font-size: .875rem; }
dd { margin: 0; }
section { margin: 1.5rem 0; unicode-bidi: isolate; }
.user { border-left: 3px solid var(--accent); padding-left: 1rem; }
.typed { white-space: pre-wrap; margin: 0; }
.h { font-weight: 700; }
.h1, .h2 { font-size: 1.15rem; }
details { margin: .5rem 0; border: 1px solid var(--line); border-radius: 6px; padding: .25rem .75rem; font-size: .875rem; }
summary { cursor: pointer; color: var(--dim); font-family: ui-monospace, monospace; unicode-bidi: isolate; }
.failed > summary, .interrupted > summary { color: var(--bad); }
.task { padding-left: 1rem; }
.notice { color: var(--dim); font-style: italic; }
.code { position: relative; margin: .5rem 0; }
.lang { position: absolute; right: .5rem; top: .15rem; font-size: .7rem; color: var(--dim); user-select: none; }
pre { margin: 0; padding: .75rem; background: var(--code); border-radius: 6px; overflow-x: auto; max-height: 40rem; unicode-bidi: isolate; }
code { font: .875em/1.45 ui-monospace, monospace; }
p code, li code, td code { background: var(--code); border-radius: 4px; padding: .1em .3em; }
.diff ins, .diff del { text-decoration: none; display: inline-block; min-width: 100%; }
.diff ins { background: var(--added); }
.diff del { background: var(--removed); }
.bold { font-weight: 700; } .dim { color: var(--dim); } .italic { font-style: italic; } .underline { text-decoration: underline; } .strikethrough { text-decoration: line-through; }
.f0 { color: var(--c0); } .g0 { color: var(--back); background: var(--c0); }
.f1 { color: var(--c1); } .g1 { color: var(--back); background: var(--c1); }
.f2 { color: var(--c2); } .g2 { color: var(--back); background: var(--c2); }
.f3 { color: var(--c3); } .g3 { color: var(--back); background: var(--c3); }
.f4 { color: var(--c4); } .g4 { color: var(--back); background: var(--c4); }
.f5 { color: var(--c5); } .g5 { color: var(--back); background: var(--c5); }
.f6 { color: var(--c6); } .g6 { color: var(--back); background: var(--c6); }
.f7 { color: var(--c7); } .g7 { color: var(--back); background: var(--c7); }
a { color: var(--accent); }
blockquote { margin: .5rem 0; padding-left: 1rem; border-left: 3px solid var(--line); color: var(--dim); }
.wide { overflow-x: auto; }
table { border-collapse: collapse; }
th, td { border: 1px solid var(--line); padding: .25rem .5rem; text-align: left; }
.right { text-align: right; }
.center { text-align: center; }`;
