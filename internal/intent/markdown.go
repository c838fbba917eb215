package intent

import (
	"sort"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// This file is the one door that decides where in a Markdown text a command
// may start (page 6.1): only where a reader sees the words as the author's
// own plain text. It lists what is allowed, so that whatever Markdown hides
// or quotes (code, HTML, comments, quotes, link titles, alternative texts,
// reference definitions) is out without being named.

// markdown parses plain CommonMark. Extensions are left out, since none of
// them hides text; so is emphasis, which a hostile text can make slow.
var markdown = parser.NewParser(
	parser.WithBlockParsers(parser.DefaultBlockParsers()...),
	parser.WithInlineParsers(
		util.Prioritized(parser.NewCodeSpanParser(), 100),
		util.Prioritized(parser.NewLinkParser(), 200),
		util.Prioritized(parser.NewAutoLinkParser(), 300),
		util.Prioritized(parser.NewRawHTMLParser(), 400),
	),
	parser.WithParagraphTransformers(util.Prioritized(parser.LinkReferenceParagraphTransformer, 100)),
)

// places tells of byte offsets what stands there.
type places struct {
	plain map[int]bool // plain text of the author
	code  map[int]bool // a line of a code block
}

// placesOf looks up the offsets in body.
func placesOf(body []byte, offsets []int) places {
	p := places{plain: map[int]bool{}, code: map[int]bool{}}
	if len(offsets) == 0 {
		return p
	}
	root := markdown.Parse(text.NewReader(body))
	// The error of Walk is that of the visitor, which has none.
	_ = ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n.Kind() {
		case ast.KindCodeBlock, ast.KindFencedCodeBlock:
			for _, s := range n.Lines().Sliced(0, n.Lines().Len()) {
				mark(p.code, offsets, s)
			}
			return ast.WalkSkipChildren, nil
		case ast.KindBlockquote, ast.KindHTMLBlock, ast.KindCodeSpan, ast.KindRawHTML, ast.KindImage, ast.KindAutoLink:
			return ast.WalkSkipChildren, nil
		}
		if t, ok := n.(*ast.Text); ok {
			mark(p.plain, offsets, t.Segment)
		}
		return ast.WalkContinue, nil
	})
	return p
}

// mark sets those of the sorted offsets that lie in s.
func mark(set map[int]bool, offsets []int, s text.Segment) {
	for i := sort.SearchInts(offsets, s.Start); i < len(offsets) && offsets[i] < s.Stop; i++ {
		set[offsets[i]] = true
	}
}
