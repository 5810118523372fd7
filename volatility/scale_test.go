package volatility

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
)

// trafficOperations is how many operations the made-up traffic has.
const trafficOperations = 30

// traffic answers about 1 kB of JSON as real APIs do: a third of the operations lists, every sixth of them shuffled, in
// most answers a clock, in some an id made anew or a counter, and much that never moves.
func traffic(c call) answer {
	op := c.step % trafficOperations
	date := "Date: " + c.at.Format("Mon, 02 Jan 2006 15:04:05 GMT") + "\r\n"
	head := date + "Server: uvicorn\r\nVary: Accept-Encoding\r\nCache-Control: no-store\r\nX-Request-Id: " + uuid(c) + "\r\n"
	owner := fmt.Sprintf(`{"id":%d,"name":"Ada Lovelace","email":"user%d@example.org","roles":["admin","editor"],"active":true,"born":"1985-12-10"}`, c.step%500, c.step%500)
	switch {
	case op%3 == 0:
		items := make([]string, 8)
		for i := range items {
			items[i] = fmt.Sprintf(`{"id":%d,"name":"article number %d","price":%d.99,"tags":["a","b"],"ok":true,"at":"2020-01-29T12:15:09Z"}`, 10*c.step+i, i, 3*i)
		}
		list := "[" + strings.Join(items, ",") + "]"
		if op%6 == 0 {
			list = shuffled(c, items...)
		}
		return answer{head: head, body: fmt.Sprintf(`{"items":%s,"page":1,"total":%d,"took":%.3f}`, list, len(items), c.rng.Float64())}
	case op%3 == 1:
		return answer{head: head, body: fmt.Sprintf(`{"id":%d,"state":"open","createdAt":"2024-05-06T07:08:09Z","updatedAt":"%s","etag":"%s","owner":%s,"lines":[{"sku":"A-1","qty":2},{"sku":"B-7","qty":1}],`+
			`"total":119.97,"currency":"EUR","note":"%s","links":{"self":"http://%s/things/%d","next":null}}`,
			c.step, c.at.Format("2006-01-02T15:04:05.000Z"), sha(fmt.Sprint(c.step, c.run))[:32], owner, strings.Repeat("leave it at the door. ", 12), c.host, c.step)}
	}
	return answer{head: head, body: fmt.Sprintf(`{"id":%d,"version":7,"owner":%s,"settings":{"theme":"dark","limits":{"cpu":2,"memory":4096,"disk":50},"flags":[true,false,true,null]},`+
		`"description":"%s","history":[{"by":1,"what":"made"},{"by":2,"what":"changed"},{"by":1,"what":"closed"}]}`, c.step, owner, strings.Repeat("nothing moves in here; ", 16))}
}

// trafficSteps makes the steps of the first n exchanges and says of which operations they are.
func trafficSteps(n, runs int) (steps []exchange.Step, answers int, size int64) {
	a := &api{runs: runs, steps: n, answer: traffic, request: func(c call) (string, string) {
		return fmt.Sprintf("/op%d/%d?page=1", c.step%trafficOperations, c.step), ""
	}}
	for s := range a.all() {
		steps = append(steps, s)
		size += int64(len(s.Exchange.Response.Body))
		for _, o := range s.Observations {
			size += int64(len(o.Response.Body))
		}
		answers += 1 + len(s.Observations)
	}
	return steps, answers, size
}

// BenchmarkJudgeScale judges recordings of one shape and ten runs each, the second ten times as long as the first: what
// an answer costs must not grow. The longer one has the messages of the shorter ten times over.
func BenchmarkJudgeScale(b *testing.B) {
	const distinct, runs = 1000, 10
	steps, answers, size := trafficSteps(distinct, runs)
	for _, n := range []int{1000, 10_000} {
		operations := make(map[uint64]exchange.Operation, n)
		for i := range n {
			operations[uint64(i+1)] = exchange.Operation{Method: "GET", Template: fmt.Sprintf("/op%d/{id}", i%distinct%trafficOperations)}
		}
		var all []exchange.Run
		for r := range runs {
			all = append(all, exchange.Run{Number: r + 1, Kind: exchange.RunReplay, Conditions: exchange.Conditions{Start: exchange.StartFresh}})
		}
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.SetBytes(size * int64(n/distinct))
			b.ReportAllocs()
			for b.Loop() {
				again := func(yield func(exchange.Step, error) bool) {
					for i := range n {
						s := steps[i%distinct]
						e := *s.Exchange
						e.Seq = uint64(i + 1)
						s.Exchange = &e
						if !yield(s, nil) {
							return
						}
					}
				}
				if _, err := Judge(exchange.Recording{Started: moment0, Count: uint64(n)}, all, again, operations, nil, Options{}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(answers*(n/distinct)*b.N)/b.Elapsed().Seconds(), "answers/s")
		})
	}
}

// TestReadAhead: an error of the steps ends the judgement after those before it, whoever is ahead, and a judgement that
// ends takes no further step.
func TestReadAhead(t *testing.T) {
	steps, _, _ := trafficSteps(100, 2)
	broken, read := errors.New("broken"), 0
	_, err := Judge(exchange.Recording{}, nil, func(yield func(exchange.Step, error) bool) {
		for _, s := range steps {
			read++
			if !yield(s, nil) {
				return
			}
		}
		if !yield(exchange.Step{}, broken) {
			return
		}
		for yield(steps[0], nil) { // ends only where nobody takes more
		}
	}, nil, nil, Options{})
	if !errors.Is(err, broken) || read != len(steps) {
		t.Errorf("%v after %d steps", err, read)
	}
}
