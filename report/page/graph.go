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

// graph is who asks which service, and which places follow that: three columns, and curves between them.
type graph struct {
	Width, Height int
	Heads         []heatText
	Nodes         []graphNode
	Edges         []graphEdge
	Words         string
	Left          int
}

// graphNode is an operation, a service or a place.
type graphNode struct {
	X, Y, Top   int
	Link        string // the id of what it links to; "" for none
	Name, Words string
}

// graphEdge is a curve; Fails where something that goes along it had no answer.
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
	at   map[string]int
	x    int
	left int
}

// node returns where a name stands in its column, from 0, and adds it where it is new; -1 where there is no room.
func (g *graph) node(c *column, key string, n graphNode) int {
	if i, ok := c.at[key]; ok {
		return i
	}
	if len(c.at) >= graphRows {
		c.left++
		return -1
	}
	i := len(c.at)
	c.at[key] = i
	n.X, n.Top = c.x, graphTop+i*graphHigh
	n.Y = n.Top + 15
	g.Nodes = append(g.Nodes, n)
	g.Height = max(g.Height, n.Top+graphHigh+1)
	return i
}

// edge draws a curve from a node of a column to one of the next.
func (g *graph) edge(from *column, i, j int, e graphEdge) {
	if i < 0 || j < 0 {
		return
	}
	x, y, to := from.x+graphWide, graphTop+i*graphHigh+graphHigh/2, graphTop+j*graphHigh+graphHigh/2
	e.Path = fmt.Sprintf("M%d %dC%d %d %d %d %d %d", x, y, x+graphGap/2, y, x+graphGap/2, to, x+graphGap, to)
	g.Edges = append(g.Edges, e)
}

// newGraph draws who asks whom.
func newGraph(f *findings.Findings) *graph {
	columns := [3]*column{}
	g := &graph{Width: 3*graphWide + 2*graphGap + 1}
	for i, head := range []string{"operations", "services that they ask", "places that follow"} {
		columns[i] = &column{at: map[string]int{}, x: i * (graphWide + graphGap)}
		g.Heads = append(g.Heads, heatText{X: columns[i].x + 6, Y: graphTop - 8, Text: head})
	}
	for _, s := range f.Services.Services {
		shown := report.ShowEnds(s.Name(), 40)
		g.node(columns[1], s.Name(), graphNode{Name: shown, Words: shown + ": " + report.Count(s.Calls, "call")})
	}
	g.asks(f, columns)
	g.follows(f, columns)
	for _, c := range columns {
		g.Left += c.left
	}
	slices.SortStableFunc(g.Nodes, func(a, b graphNode) int { return cmp.Compare(a.X, b.X) }) // as they are read
	follow := "follow"
	if len(columns[2].at) == 1 {
		follow = "follows"
	}
	g.Words = fmt.Sprintf("%s and %s; %s. The tables below tell the same",
		report.Count(len(columns[0].at), "caller"), report.Count(len(columns[1].at), "service"),
		report.Count(len(columns[2].at), "place")+" that "+follow+" them")
	return g
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
		g.edge(columns[0], i, j, graphEdge{Words: words, Fails: faults[p] > 0})
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
		g.edge(columns[1], from, i, graphEdge{Words: words})
	}
}

// answers reports whether a value (HOST/path#/field) is of a service's answers.
func answers(s *inspect.Service, value string) bool {
	name, _, _ := strings.Cut(value, "/")
	x := exchange.External{}
	x.Scheme, x.Addr = s.Scheme, s.Addr()
	return name == x.Service()
}
