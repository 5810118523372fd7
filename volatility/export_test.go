package volatility

import (
	"fmt"
	"strings"
	"time"

	"github.com/flaketap/flaketap/exchange"
)

// Material is what a judgement is made of.
type Material struct {
	Case
	Steps []exchange.Step
}

func (a *api) material() Material {
	m := Material{Case: Case{Operations: make(map[uint64]exchange.Operation), Options: a.options, Bindings: a.bound}}
	for s, err := range a.all() {
		if err != nil {
			panic(err) // it has none
		}
		m.Steps = append(m.Steps, s)
		m.Operations[s.Exchange.Seq] = exchange.Operation{Method: s.Exchange.Request.Method, Template: "/things/{id}"}
	}
	for r := 1; r <= a.runs; r++ {
		at := moment0.Add(time.Duration(r) * 90 * time.Second)
		m.Runs = append(m.Runs, exchange.Run{Number: r, Kind: exchange.RunReplay, Started: at, Ended: at.Add(time.Minute),
			Conditions: exchange.Conditions{Start: exchange.StartFresh}})
	}
	m.Recording = exchange.Recording{Started: moment0, Count: uint64(a.steps), Passes: []exchange.Pass{{Number: 1, Started: moment0, Start: exchange.StartFresh}}}
	return m
}

// EveryKind is an API with one member of everything that tests hold to move, and of much that does not, in one object.
func EveryKind() Material {
	return (&api{runs: 6, steps: 4, answer: func(c call) answer {
		members := []string{`"stays":"bob@example.com"`, `"born":"1984-02-11"`, `"nested":{"b":{"n":null},"a":[{"id":2,"x":1},{"id":1,"x":[]}]}`}
		for i, m := range movedCases {
			members = append(members, fmt.Sprintf(`"m%d":%s`, i, m.value(c)))
		}
		members = append(members, fmt.Sprintf(`"self":"http://%s/things/%d","today":"%s"`, c.host, c.step, c.at.Format(time.DateOnly)))
		return answer{body: "{" + strings.Join(members, ",") + "}", head: fmt.Sprintf("Location: http://%s/things/%d\r\nDate: %s\r\n", c.host, c.step, c.at.Format("Mon, 02 Jan 2006 15:04:05 GMT"))}
	}}).material()
}
