package volatility

import (
	"fmt"
	"testing"

	"github.com/flaketap/flaketap/exchange"
)

// BenchmarkJudge reports the answers judged in a second and the bytes of their bodies: 50 exchanges in 10 runs, 4 kB
// each, in which a list is shuffled and a clock and an id move.
func BenchmarkJudge(b *testing.B) {
	for _, c := range []struct {
		name   string
		answer func(c call) answer
	}{
		{"shuffled", func(c call) answer {
			items := make([]string, 25)
			for i := range items {
				items[i] = fmt.Sprintf(`{"id":%d,"name":"article number %d","price":%d.99,"tags":["a","b"],"ok":true,"at":"2020-01-29T12:15:09Z","stock":{"berlin":3,"paris":17}}`, i, i, 3*i)
			}
			return body(`{"at":%d,"id":"%s","items":%s}`, c.at.UnixMilli(), uuid(c), shuffled(c, items...))
		}},
		{"small", func(c call) answer {
			return answer{body: fmt.Sprintf(`{"id":%d,"name":"article","at":%d,"request":"%s","total":3.5}`, c.step, c.at.UnixMilli(), uuid(c)),
				head: "Date: " + c.at.Format("Mon, 02 Jan 2006 15:04:05 GMT") + "\r\nServer: x\r\nVary: Accept\r\n"}
		}},
	} {
		b.Run(c.name, func(b *testing.B) {
			a := &api{runs: 10, steps: 50, answer: c.answer}
			var steps []exchange.Step
			size, answers := 0, 0
			for s := range a.all() {
				steps = append(steps, s)
				answers += 1 + len(s.Observations)
				size += len(s.Exchange.Response.Body) * (1 + len(s.Observations))
			}
			operations := make(map[uint64]exchange.Operation)
			for _, s := range steps {
				operations[s.Exchange.Seq] = exchange.Operation{Method: "GET", Template: "/things/{id}"}
			}
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				all := func(yield func(exchange.Step, error) bool) {
					for _, s := range steps {
						if !yield(s, nil) {
							return
						}
					}
				}
				if _, err := Judge(exchange.Recording{Started: moment0}, nil, all, operations, nil, Options{}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(answers*b.N)/b.Elapsed().Seconds(), "answers/s")
		})
	}
}
