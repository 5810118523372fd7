package suite

import (
	"regexp"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/script"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// earlierRemark is what a patch says above an assertion: what that expected and how it failed, what later rounds found
// of it, and the category.
var earlierRemark = regexp.MustCompile(`^(.*?)(?:; later failed in .*)?; ([A-Z][A-Za-z]+)$`)

// addedMark begins the comment above assertions that the suite lacked.
const addedMark = "added: "

// remark is what is written above an assertion that becomes another.
type remark struct {
	text     string // as a comment
	category mapfile.Category
	instead  script.Span // of the comment that it takes the place of; none: it stands above the assertion
	of       placeOf
}

// remark says why the assertion becomes another. What an earlier round said of it goes on in the same comment, since
// two that tell of one place, each of other executions, contradict each other.
func (w *weakening) remark(about, failed string) remark {
	out := remark{category: w.category(), of: w.site()}
	at, was, ok := w.p.script.CommentAbove(w.a.At)
	earlier := earlierRemark.FindStringSubmatch(was)
	// what stands in a line behind others is spoken of where the comment names its place
	apart := !strings.HasPrefix(was, string(w.a.Place)+": ") && !w.p.script.BeginsLine(w.a.At)
	if !ok || !w.a.Ours || earlier == nil || strings.HasPrefix(was, addedMark) || apart {
		w.know(out)
		if about != "" {
			about += "; "
		}
		out.text = w.p.script.Comment(about + failed + "; " + string(out.category))
		return out
	}
	if out.category == mapfile.Unk {
		out.category = mapfile.Category(earlier[2])
	}
	w.know(out)
	mark := w.p.script.Comment("") // what was said before has its escapes
	later := w.p.script.Comment("; later " + failed + "; " + string(out.category))
	out.text, out.instead = mark+earlier[1]+strings.TrimPrefix(later, mark), at
	return out
}

// know notes the category of a place that a remark is about. That nothing is known of it takes nothing back.
func (w *weakening) know(r remark) {
	if r.of != (placeOf{}) && (w.p.known[r.of] == "" || r.category != mapfile.Unk) {
		w.p.known[r.of] = r.category
	}
}

// madeRemark is a remark, and the edit that writes it.
type madeRemark struct {
	remark
	edit int
}

// placeOf is a place of the answer that a variable stands for.
type placeOf struct{ variable, place string }

// site is the place that the assertion makes a claim about; the zero value where it makes none.
func (w *weakening) site() placeOf {
	if w.a.Relation == "" {
		return placeOf{}
	}
	return placeOf{w.variable(), string(w.a.Place)}
}

// remarked is what an earlier round said above an assertion.
type remarked struct {
	at       script.Span // of the category
	of       placeOf
	category mapfile.Category
}

// remarked lists what earlier rounds said above the assertions of a test.
func (p *patcher) remarked(t *script.Test) (out []remarked) {
	for _, a := range t.Assertions {
		at, was, ok := p.script.CommentAbove(a.At)
		m := earlierRemark.FindStringSubmatch(was)
		place, _, named := strings.Cut(was, ": ")
		looked, _ := expr.Steps((&weakening{a: a}).watched())
		answer, known := looked.(expr.Answer)
		if !ok || !a.Ours || m == nil || !named || !known {
			continue
		}
		at.Start = at.End - len(m[2])
		out = append(out, remarked{at, placeOf{answer.Var, place}, mapfile.Category(m[2])})
	}
	return out
}

// agree has what was said of a place, in this round and in earlier ones, name the category that is known now: one place
// has one category. That of a slip of the generator's is of the assertion alone.
func (p *patcher) agree(t *script.Test) {
	for _, r := range p.remarked(t) {
		now := p.known[r.of]
		if now == "" || now == mapfile.Unk || now == mapfile.GenErr || r.category == mapfile.GenErr || r.category == now ||
			p.edited(r.at) {
			continue
		}
		p.edits = append(p.edits, script.Edit{Start: r.at.Start, End: r.at.End, Text: string(now)})
	}
	for _, r := range p.remarks {
		if now := p.known[r.of]; now != "" && now != r.category && now != mapfile.GenErr && r.category != mapfile.GenErr {
			edit := &p.edits[r.edit]
			before, after, _ := strings.Cut(edit.Text, r.text)
			edit.Text = before + strings.TrimSuffix(r.text, string(r.category)) + string(now) + after
		}
	}
}

// edited reports whether a piece of the file is replaced already.
func (p *patcher) edited(at script.Span) bool {
	return slices.ContainsFunc(p.edits, func(e script.Edit) bool {
		return e.Indent == "" && e.Start < at.End && at.Start < e.End
	})
}

// say writes a remark above the assertion.
func (w *weakening) say(r remark) {
	defer func(from int) {
		for i, e := range w.p.edits[from:] {
			if strings.Contains(e.Text, r.text) {
				w.p.remarks = append(w.p.remarks, madeRemark{r, from + i})
			}
		}
	}(len(w.p.edits))
	if r.instead == (script.Span{}) {
		w.p.before(w.a.At, r.text)
		return
	}
	if w.p.edited(r.instead) { // of another part of the same line
		return
	}
	w.p.edits = append(w.p.edits, script.Edit{Start: r.instead.Start, End: r.instead.End, Text: r.text})
}
