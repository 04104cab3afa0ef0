import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { htmlToText } from "./html-to-text.ts";

describe("a page reads like a mail", () => {
  it.each([
    ["<p>one</p><p>two</p>", "one\n\ntwo"],
    ["one<br>two<br/>three", "one\ntwo\nthree"],
    ["<div>one</div><div>two</div><div><br></div><div>three</div>", "one\ntwo\n\nthree"],
    ["<p>one<p>two", "one\n\ntwo"],
    ["  many \n\n blanks\there ", "many blanks here"],
    ["a&nbsp;&amp;&lt;b&gt;&#233;&#x2713;&eacute;", "a &<b>é✓é"],
    ["<b>bold</b><i>er</i> text", "bolder text"],
    ["<h1>Title</h1>text", "Title\n\ntext"],
    ["<ul><li>one</li><li>two<ul><li>inner</li></ul></li></ul>", "- one\n- two\n  - inner"],
    ["<ol><li>one<li>two</ol>", "1. one\n2. two"],
    ["<ul><li><p>one</p></li></ul>", "- one"],
    ["<table><tr><td>a</td><td>b</td></tr><tr><td>c</td><td>d</td></tr></table>", "a\tb\nc\td"],
    ["<pre>  kept\n    as is\n</pre>after", "  kept\n    as is\n\nafter"],
    ["<blockquote>one<br>two</blockquote>three", "> one\n> two\n\nthree"],
    ["<blockquote>one<blockquote>two</blockquote></blockquote>", "> one\n>\n> > two"],
    ["<blockquote><p>a</p><p>b</p></blockquote>", "> a\n>\n> b"],
    ["<p class=MsoNormal>one</p><p class=MsoNormal>two</p>", "one\ntwo"],
    ["<hr>", "-".repeat(40)],
  ])("%j", (html, text) => expect(htmlToText(html)).toBe(text));

  it("with the replies that mailers make", () => {
    const gmail =
      '<div dir="ltr">Yes.</div><br><div class="gmail_quote"><div class="gmail_attr">On Monday Ann wrote:<br></div><blockquote class="gmail_quote" style="margin:0">Shall we?</blockquote></div>';
    expect(htmlToText(gmail)).toBe("Yes.\n\nOn Monday Ann wrote:\n\n> Shall we?");
    const outlook =
      '<p class="MsoNormal">Yes.</p><div style="border:none;border-top:solid 1.0pt"><p class="MsoNormal"><b>From:</b> Ann<br><b>Sent:</b> Monday</p></div><p class="MsoNormal">Shall we?</p>';
    expect(htmlToText(outlook)).toBe("Yes.\nFrom: Ann\nSent: Monday\nShall we?");
  });
});

describe("links", () => {
  it.each([
    ['<a href="https://x.org/y">here</a>', "here (https://x.org/y)"],
    ['<a href="https://x.org/">https://x.org</a>', "https://x.org"],
    ['<a href="http://www.x.org">x.org</a>', "x.org"],
    ['<a href="mailto:a@b">Ann</a>', "Ann"],
    ['<a href="#top">top</a>', "top"],
    ['<a href="javascript:alert(1)">run</a>', "run"],
    ['<a href="https://x.org"><img src="y"></a>', ""],
  ])("%s read %j", (html, text) => expect(htmlToText(html)).toBe(text));
});

describe("what a reader does not see is left out", () => {
  it.each([
    "<style>p { color: red }</style>seen",
    "<script>alert('<p>x</p>')</script>seen",
    "<head><title>t</title></head><body>seen</body>",
    "<head><title>t</title><body>seen",
    '<div style="display:none">no<div>no</div>no</div>seen',
    '<span style="font-size:1px; Display: None">no</span>seen',
    "<p hidden>no</p>seen",
    "<!-- no -->seen",
    "<![if !mso]>seen<![endif]>",
    "se\u200ben",
  ])("%s", (html) => expect(htmlToText(html)).toBe("seen"));

  it("unless nothing else would be left", () => {
    expect(htmlToText('<div style="display:none">all there is')).toBe("all there is");
  });
});

it("any page is read, and deep ones too", () => {
  const pieces = [
    "<",
    ">",
    "p",
    "<div>",
    "</div>",
    "<blockquote>",
    "</blockquote>",
    "<li>",
    "<pre>",
    "&",
    "a",
    " ",
    "\n",
    "<a href='http://x'>",
    "</a>",
    "<td>",
    '"',
    "<!--",
  ];
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 60 }), (parts) => {
      expect(typeof htmlToText(parts.join(""))).toBe("string");
    }),
  );
  expect(htmlToText(`${"<div><b>".repeat(100_000)}deep`)).toBe("deep");
});
