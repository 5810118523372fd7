package page

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/report"
	"github.com/flaketap/flaketap/report/findings"
	"github.com/flaketap/flaketap/report/inspect"
)

// graph is who asks which service, which places follow that, and where a search found that answers lead: three columns,
// and curves between them. What places and what requests do stands in the last one, below each other.
type graph struct {
	Width, Height int
	Heads         []heatText
	Nodes         []graphNode
	Edges         []graphEdge
	Words         string
	Left          int
}

// graphNode is an operation, a service, a place, or a request with the behaviors that were found of it.
type graphNode struct {
	X, Y, Top   int
	Link        string // the id of what it links to; "" for none
	Name, Words string
}

// graphEdge is a curve; Fails where something that goes along it had no answer, or looks wrong.
type graphEdge struct {
	Path, Words string
	Fails       bool
}

// The sizes of a graph, in pixels, and how many nodes of a column are drawn.
const (
	graphTop  = 24
	graphHigh = 22
	graphWide = 300
	graphGap  = 90
	graphRows = 30
)

// column is the nodes of one kind.
type column struct {
	at     map[string]int
	x, top int
	left   map[string]bool // for which there is no room
}

func newColumn(x, top int) *column {
	return &column{at: map[string]int{}, x: x, top: top, left: map[string]bool{}}
}

// middle is where curves meet a node.
func (c *column) middle(i int) int { return c.top + i*graphHigh + graphHigh/2 }

// node returns where a name stands in its column, from 0, and adds it where it is new; -1 where there is no room.
func (g *graph) node(c *column, key string, n graphNode) int {
	if i, ok := c.at[key]; ok {
		return i
	}
	if len(c.at) >= graphRows {
		c.left[key] = true
		return -1
	}
	i := len(c.at)
	c.at[key] = i
	n.X, n.Top = c.x, c.top+i*graphHigh
	n.Y = n.Top + 15
	g.Nodes = append(g.Nodes, n)
	g.Height = max(g.Height, n.Top+graphHigh+1)
	return i
}

// edge draws a curve from a node of a column to one of the next.
func (g *graph) edge(from *column, i int, to *column, j int, e graphEdge) {
	if i < 0 || j < 0 {
		return
	}
	x, y, end := from.x+graphWide, from.middle(i), to.middle(j)
	e.Path = fmt.Sprintf("M%d %dC%d %d %d %d %d %d", x, y, x+graphGap/2, y, x+graphGap/2, end, x+graphGap, end)
	g.Edges = append(g.Edges, e)
}

// newGraph draws who asks whom, and what comes of it.
func newGraph(f *findings.Findings) *graph {
	columns := [3]*column{}
	g := &graph{Width: 3*graphWide + 2*graphGap + 1}
	for i := range columns {
		columns[i] = newColumn(i*(graphWide+graphGap), graphTop)
	}
	if f.Services != nil {
		for _, s := range f.Services.Services {
			shown := report.ShowEnds(s.Name(), 40)
			g.node(columns[1], s.Name(), graphNode{Name: shown, Words: shown + ": " + report.Count(s.Calls, "call")})
		}
		g.asks(f, columns)
		g.follows(f, columns)
	}
	found := g.behaviors(f, columns)
	all := append(columns[:], found)
	for i, head := range []string{"operations", "services that they ask", "places that follow", "behaviors that a search found"} {
		g.head(all[i], head)
		g.Left += len(all[i].left)
	}
	slices.SortStableFunc(g.Nodes, func(a, b graphNode) int { return cmp.Compare(a.X, b.X) }) // as they are read
	follow := "follow"
	if len(columns[2].at) == 1 {
		follow = "follows"
	}
	searched := ""
	if n := len(found.at); n > 0 {
		searched = "; " + report.Count(n, "request") + " with behaviors that a search found"
	}
	g.Words = fmt.Sprintf("%s and %s; %s that %s them%s. The tables below tell the same", report.Count(len(columns[0].at), "caller"),
		report.Count(len(columns[1].at), "service"), report.Count(len(columns[2].at), "place"), follow, searched)
	return g
}

// head writes what the nodes of a column are, where it has any.
func (g *graph) head(c *column, text string) {
	if len(c.at) == 0 {
		return
	}
	g.Heads = append(g.Heads, heatText{X: c.x + 6, Y: c.top - 8, Text: text})
}

// asks draws what asks the services: one curve for all that one of them asks of one service.
func (g *graph) asks(f *findings.Findings, columns [3]*column) {
	ids := map[string]string{}
	for _, op := range f.Operations {
		ids[op.Operation] = cmp.Or(ids[op.Operation], op.ID)
	}
	type pair struct{ from, to string }
	calls, faults := map[pair]int{}, map[pair]int{}
	var order []pair
	for _, c := range f.Services.Calls {
		p := pair{findings.Asks(c), c.Service}
		if calls[p] == 0 {
			order = append(order, p)
		}
		calls[p] += c.Calls
		faults[p] += c.Statuses["0"]
	}
	for _, p := range order {
		shown := report.ShowEnds(p.from, 40)
		i := g.node(columns[0], p.from, graphNode{Name: shown, Link: ids[p.from], Words: shown})
		j, known := columns[1].at[p.to]
		if !known {
			continue // there is no room for it
		}
		words := fmt.Sprintf("%s asks %s: %s", shown, report.ShowEnds(p.to, 60), report.Count(calls[p], "call"))
		if faults[p] > 0 {
			words += fmt.Sprintf(", %d without an answer", faults[p])
		}
		g.edge(columns[0], i, columns[1], j, graphEdge{Words: words, Fails: faults[p] > 0})
	}
}

// follows draws the places that follow answers of services.
func (g *graph) follows(f *findings.Findings, columns [3]*column) {
	for _, p := range f.Following() {
		from := slices.IndexFunc(f.Services.Services, func(s *inspect.Service) bool { return answers(s, p.Value) })
		if from < 0 || from >= graphRows {
			continue // what is not drawn
		}
		shown := report.ShowEnds(string(p.Place.Place), 40)
		words := fmt.Sprintf("%s follows %s", shown, report.ShowEnds(p.Value, 80))
		i := g.node(columns[2], p.ID, graphNode{Name: shown, Link: p.ID, Words: words})
		g.edge(columns[1], from, columns[2], i, graphEdge{Words: words})
	}
}

// searched is what a search found of one request.
type searched struct {
	request string
	all     tally
	by      map[string]tally // by services that it asks
	asked   []string         // these, in their order
}

// tally is how many behaviors there are, and how many of them look wrong.
type tally struct{ all, wrong int }

func (t tally) plus(b findings.Behavior) tally {
	t.all++
	if len(b.Findings) > 0 {
		t.wrong++
	}
	return t
}

func (t tally) words() string {
	switch {
	case t.wrong == 0:
		return report.Count(t.all, "behavior")
	case t.wrong == 1:
		return report.Count(t.all, "behavior") + ", of which 1 looks wrong"
	}
	return fmt.Sprintf("%s, of which %d look wrong", report.Count(t.all, "behavior"), t.wrong)
}

// searchedOf are the requests of behaviors, those first of which some look wrong.
func searchedOf(all []findings.Behavior) (out []*searched) {
	of := map[string]*searched{}
	for _, b := range all {
		r := of[b.Request]
		if r == nil {
			r = &searched{request: b.Request, by: map[string]tally{}}
			of[b.Request] = r
			out = append(out, r)
		}
		r.all = r.all.plus(b)
		for _, s := range b.Services {
			if r.by[s].all == 0 {
				r.asked = append(r.asked, s)
			}
			r.by[s] = r.by[s].plus(b)
		}
	}
	slices.SortStableFunc(out, func(a, b *searched) int { return cmp.Compare(min(b.all.wrong, 1), min(a.all.wrong, 1)) })
	return out
}

// behaviors draws the requests of which a search found behaviors, in a column below that of the places: one curve from
// each service whose answers stand behind some of them. The table, which it links to, has them one by one.
func (g *graph) behaviors(f *findings.Findings, columns [3]*column) *column {
	c := newColumn(columns[2].x, graphTop)
	if n := len(columns[2].at); n > 0 {
		c.top += n*graphHigh + graphTop
	}
	for _, r := range searchedOf(f.Behaviors) {
		shown := report.ShowEnds(r.request, 26)
		i := g.node(c, r.request, graphNode{Name: shown + ": " + report.Count(r.all.all, "behavior"), Link: "behaviors",
			Words: report.ShowEnds(r.request, 80) + ": " + r.all.words()})
		for _, s := range r.asked {
			name := report.ShowEnds(s, 40)
			j := g.node(columns[1], named(f, s), graphNode{Name: name, Words: name + ": asked in a search"})
			g.edge(columns[1], j, c, i, graphEdge{Fails: r.by[s].wrong > 0,
				Words: fmt.Sprintf("answers of %s stand behind %s: %s", name, shown, r.by[s].words())})
		}
	}
	return c
}

// named is the name of a service that the recording has at a host:port; where it has none there, that.
func named(f *findings.Findings, addr string) string {
	if f.Services != nil {
		for _, s := range f.Services.Services {
			if s.Addr() == addr {
				return s.Name()
			}
		}
	}
	return addr
}

// answers reports whether a value (HOST/path#/field) is of a service's answers.
func answers(s *inspect.Service, value string) bool {
	name, _, _ := strings.Cut(value, "/")
	x := exchange.External{}
	x.Scheme, x.Addr = s.Scheme, s.Addr()
	return name == x.Service()
}
