package snapshot

import "github.com/flaketap/flaketap/suite/expr"

// Comparison is an assertion that compares a text with an approved one, which a file of its own has.
type Comparison struct {
	Path  string    // of that file
	Value expr.Expr // what the text is JSON of
	// Sparse is that the text lacks what is null, so that the value may have more members than the text
	Sparse bool

	text string
	root *Node
}

// Approvals are the files of approved texts that the assertions of one file of tests compare with, by their paths.
type Approvals map[string]bool

// Text is the approved text of one more comparison; the reason is why that cannot be read, "" where it can. beside
// gives the text of a file.
func (a Approvals) Text(c *Comparison, beside func(path string) (text string, ok bool)) (text, reason string) {
	twice := a[c.Path]
	a[c.Path] = true
	text, ok := beside(c.Path)
	switch {
	case !ok:
		return "", "there is no approved text in " + c.Path
	case twice:
		return "", "several assertions compare with " + c.Path
	case !expr.FromAnswer(c.Value):
		return "", "it compares nothing that an answer has"
	}
	return text, ""
}

// Read reads what is approved, from which scrubs take out what moves, and returns what the comparison says of the
// value; the reason is why that is not known, "" where it is.
func (c *Comparison) Read(text string, scrubs []Scrub) (says expr.Expr, reason string) {
	root, err := JSON(text)
	if err != nil {
		return nil, "what is approved is no JSON: scrub what moves, by a pattern"
	}
	if !ReadScrubbed(root, scrubs) {
		return nil, "its scrubbers are not those of what is approved"
	}
	if c.Sparse {
		root.Walk(func(n *Node) { n.Open = n.Kind == Object })
	}
	all, ok := Says(c.Value, root)
	if !ok || len(all) == 0 {
		return nil, "what is approved is of another form than what is compared with it"
	}
	c.text, c.root = text, root
	return expr.AllOf(all...), ""
}

// Scrubbed is what is approved, and what has to be taken out of both texts, so that the comparison says x; false where
// no scrubs do.
func (c *Comparison) Scrubbed(x expr.Expr) (text string, scrubs []Scrub, ok bool) {
	if x == nil || c.root == nil {
		return "", nil, false
	}
	fit, ok := Form{Can: Can}.Fit(c.Value, c.root, x)
	if !ok || len(fit.More)+len(fit.Left) > 0 {
		return "", nil, false
	}
	if scrubs, ok = Scrubs(c.text, c.root, fit.Said); !ok || len(scrubs) == 0 {
		return "", nil, false
	}
	return Scrubbed(c.text, fit.Said, c.root), scrubs, true
}
