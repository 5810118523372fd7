package build

import (
	"fmt"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow"
	"github.com/flaketap/flaketap/suite"
	"github.com/flaketap/flaketap/suite/write"
)

// FuzzBuild: whatever a recording holds, it becomes suites, the same ones each time, whose Go is Go.
func FuzzBuild(f *testing.F) {
	f.Add("/orders/17?q=a%20b", "X-Odd: \t\x80\r\n", `{"a":1,"ref":17}`, `{"id":17,"t":"`+"`${x}\\u0000\u2028"+`","a":[1,{"b":null}]}`, `{"id":18}`)
	f.Add("//x/{y}", "Accept-Encoding: br\r\n", "\xff\x00", `[1e999,1E5,"\ud83d",{"a":1,"a":2}]`, "text")
	f.Add("/a'b\"c", "Cookie: sid=1\r\n", "x=1&y=2", `{"token":"secret:0123456789ab","`+"\n"+`":1}`, ``)
	f.Fuzz(func(t *testing.T, target, header, body, answer, later string) {
		var steps []exchange.Step
		for seq, method := range []string{"POST", "GET", "DELETE", "GET"} {
			e := &exchange.Exchange{Seq: uint64(seq + 1), Pass: 1, Scheme: "http", Addr: "a:1", Request: exchange.ParseRequest(exchange.Message{
				Head: fmt.Appendf(nil, "%s %s HTTP/1.1\r\nHost: a:1\r\nContent-Type: application/json\r\nContent-Length: %d\r\n%s\r\n", method, target, len(body), header), Body: []byte(body),
			})}
			text := answer
			if seq == 3 {
				text = later
			}
			e.Response = reply(200+seq, jsonType+header, text)
			steps = append(steps, exchange.Step{Exchange: e, Observations: []*exchange.Observation{{Run: 1, Seq: e.Seq, Response: reply(200+seq, jsonType, later)}}})
		}
		src := suite.Source{Steps: steps, Redactor: exchange.Redactor{Key: []byte("k")}}
		var all []*exchange.Exchange
		for _, s := range steps {
			all = append(all, s.Exchange)
		}
		src.Bindings = flow.Bindings(all)
		src.Operations = flow.Operations(all, src.Bindings)
		src.Sequences = flow.Sequences(all, src.Bindings, src.Operations)
		for _, mode := range []suite.Mode{suite.Relax, suite.Exact} {
			p, err := Plan(src, Options{Mode: mode})
			if err != nil {
				if !strings.Contains(err.Error(), "can be sent again") {
					t.Fatal(err)
				}
				return
			}
			for _, format := range []string{"go", "pytest"} {
				one, err := write.Write(format, p)
				if err != nil {
					t.Fatal(err)
				}
				two, err := write.Write(format, p)
				if err != nil {
					t.Fatal(err)
				}
				if fmt.Sprint(one) != fmt.Sprint(two) {
					t.Errorf("%s: written twice, it differs", format)
				}
			}
		}
	})
}
