package settle

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/flaketap/flaketap/exchange"
)

var begin = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// answer is "200 {body}".
func answer(text string) *exchange.Response {
	status, body, _ := strings.Cut(text, " ")
	head := fmt.Sprintf("HTTP/1.1 %s X\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n", status, len(body))
	return exchange.ParseResponse(exchange.Message{Head: []byte(head), Body: []byte(body)})
}

func request(line string) exchange.Request {
	return exchange.ParseRequest(exchange.Message{Head: []byte(line + " HTTP/1.1\r\nHost: a\r\n\r\n")})
}

// said is "+120 200 {body}": when it came, in milliseconds since its execution began, and what it was.
func said(t *testing.T, text string) (time.Time, *exchange.Response) {
	t.Helper()
	ms, rest, _ := strings.Cut(strings.TrimPrefix(text, "+"), " ")
	n, err := strconv.Atoi(ms)
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return begin.Add(time.Duration(n) * time.Millisecond), answer(rest)
}

// steps are a recording, a line each: "GET /jobs/7 > +5 200 {}" ("GET /jobs/7 in a" in a test case), then what each
// run answered, behind further " > "; "~" is a run without it. "+5 200 {} settled 240" is a read that was answered as
// recorded when it was asked again, after so many ms; "vain 900" one that was not.
func steps(t *testing.T, lines ...string) (*Learner, []exchange.Step) {
	t.Helper()
	ops := map[uint64]exchange.Operation{}
	var all []exchange.Step
	for i, text := range lines {
		parts := strings.Split(text, " > ")
		seq := uint64(i + 1)
		at, r := said(t, parts[1])
		line, sequence, _ := strings.Cut(parts[0], " in ")
		e := &exchange.Exchange{Seq: seq, Pass: 1, Sequence: sequence, Start: at, Request: request(line), Response: r}
		s := exchange.Step{Exchange: e}
		for n, text := range parts[2:] {
			if text == "~" {
				continue
			}
			var settling *exchange.Settling
			for _, kind := range []string{"settled", "vain", "early"} {
				if before, ms, ok := strings.Cut(text, " "+kind+" "); ok {
					text = before
					after, err := strconv.Atoi(ms)
					if err != nil {
						t.Fatal(err)
					}
					settling = &exchange.Settling{Settled: kind == "settled", Early: kind == "early", After: time.Duration(after) * time.Millisecond, Looks: 3}
				}
			}
			at, r := said(t, text)
			s.Observations = append(s.Observations, &exchange.Observation{Run: n + 1, Seq: seq, Start: at, Sent: e.Request, Response: r, Settling: settling})
		}
		method, path, _ := strings.Cut(line, " ")
		segments := strings.Split(strings.Split(path, "?")[0], "/")
		for i, s := range segments {
			if strings.ContainsAny(s, "0123456789") {
				segments[i] = "{id}"
			}
		}
		ops[seq] = exchange.Operation{Method: method, Template: strings.Join(segments, "/")}
		all = append(all, s)
	}
	return New(ops), all
}

// shown writes what is known of an exchange.
func shown(o *Oracle) string {
	if o == nil {
		return "none"
	}
	out := strconv.Itoa(o.Status)
	value := func(v Value) string {
		text := string(v.Place) + "=" + v.JSON
		if v.JSON == "" {
			text += string(v.Type)
		}
		if v.Type == Array {
			text += fmt.Sprintf(">=%d", v.Least)
		}
		return text
	}
	for _, v := range o.Values {
		out += " " + value(v)
	}
	for _, v := range o.InVain {
		out += " not " + value(v)
	}
	return out + fmt.Sprintf(" %d/%d/%d", o.Times.Median.Milliseconds(), o.Times.Longest.Milliseconds(), o.Times.N)
}

func TestOracles(t *testing.T) {
	const made = `POST /jobs > +0 202 {"id":7}`
	const madeOften = made + ` > +0 202 {"id":7} > +0 202 {"id":7} > +0 202 {"id":7} > +0 202 {"id":7}`
	done := func(ms, total string) string { return `+` + ms + ` 200 {"status":"done","total":` + total + `}` }
	const pending = `200 {"status":"pending","total":null}`
	for _, tt := range []struct {
		name  string
		lines []string
		want  map[uint64]string // by exchange
	}{
		{"nothing was written before", []string{`GET /jobs/7 > +1 ` + pending, `GET /jobs/7 > +90 200 {"status":"done","total":42}`}, nil},
		{"a write that was refused", []string{`POST /jobs > +0 400 {}`, `GET /jobs/7 > +1 ` + pending, `GET /jobs/7 > +90 200 {"status":"done","total":42}`}, nil},
		{"the same at once", []string{made, `GET /jobs/7 > +1 200 {"status":"done","at":1} > +1 200 {"status":"done","at":2}`}, nil},
		{"a client that polls", []string{made, `GET /jobs/7 > +2 ` + pending, `GET /jobs/7 > +50 ` + pending, `GET /jobs/7 > ` + done("250", "42")},
			map[uint64]string{4: `200 /body/status="done" /body/total=number 250/250/1`}},
		{"runs that settle, of which the number was not seen", []string{madeOften,
			`GET /jobs/7 > ` + done("900", "42") + ` > +2 ` + pending + ` settled 100 > +2 ` + pending + ` settled 300 > +2 ` + pending + ` settled 200`},
			map[uint64]string{2: `200 /body/status="done" /body/total=number 202/302/3`}},
		{"what was ready at once counts where it was quick", []string{madeOften,
			`GET /jobs/7 > ` + done("900", "42") + ` > ` + done("2", "42") + ` > +2 ` + pending + ` settled 298`},
			map[uint64]string{2: `200 /body/status="done" /body/total=number 2/300/2`}},
		{"a number that all ends have", []string{made + ` > +0 202 {} > +0 202 {}`, `GET /jobs/7 > +1 ` + pending + ` > +1 ` + pending + ` > +1 ` + pending,
			`GET /jobs/7 > ` + done("10", "42") + ` > ` + done("20", "42") + ` > ` + done("30", "42")},
			map[uint64]string{3: `200 /body/status="done" /body/total=42 20/30/3`}},
		{"numbers that differ", []string{made + ` > +0 202 {} > +0 202 {}`, `GET /jobs/7 > +1 ` + pending + ` > +1 ` + pending + ` > +1 ` + pending,
			`GET /jobs/7 > ` + done("10", "42") + ` > ` + done("20", "41") + ` > ` + done("30", "40")},
			map[uint64]string{3: `200 /body/status="done" /body/total=number 20/30/3`}},
		{"a progress says nothing at its end", []string{made, `GET /jobs/7 > +1 200 {"status":"running","progress":1}`, `GET /jobs/7 > +9 200 {"status":"done","progress":100}`},
			map[uint64]string{3: `200 /body/status="done" 9/9/1`}},
		{"not found until it is indexed", []string{made + ` > +0 202 {}`, `GET /search?q=tea > +700 200 {"hits":1} > +3 404 {"error":"none"} settled 60`},
			map[uint64]string{2: `200 /body/hits=number 63/63/1`}},
		{"not found, then what no replay has kept, then done", []string{made + ` > +0 202 {}`, `GET /jobs/7 > +700 200 {"id":"a1","status":"done","total":42,"tags":["x"]} > +3 404 {"error":"none"} settled 60`},
			map[uint64]string{2: `200 /body/status="done" /body/id=string /body/total=number 63/63/1`}},
		{"a list that fills", []string{made + ` > +0 202 {}`, `GET /hits > +700 200 {"items":["a"]} > +3 200 {"items":[]} settled 60`},
			map[uint64]string{2: `200 /body/items=array>=1 63/63/1`}},
		{"a straggler that stopped on the way", []string{madeOften, `GET /jobs/7 > ` + done("900", "1") + ` > +2 ` + pending + ` settled 100 > +2 ` + pending + ` settled 100 > +2 ` + pending + ` settled 100 > +66 ` + pending},
			map[uint64]string{2: `200 /body/status="done" /body/total=number 102/102/3`}},
		{"stragglers that stopped on the way", []string{madeOften + ` > +0 202 {"id":7}`, `GET /jobs/7 > ` + done("900", "1") + ` > +2 ` + pending + ` settled 100 > +2 ` + pending +
			` settled 100 > +2 ` + pending + ` settled 100 > +66 ` + pending + ` > +66 ` + pending},
			map[uint64]string{2: `200 /body/status="done" /body/total=number 102/102/3`}},
		{"asked in vain too often", []string{madeOften, `GET /jobs/7 > ` + done("900", "1") + ` > +2 ` + pending + ` settled 100 > +2 ` + pending + ` vain 900`}, nil},
		{"ends that do not agree", []string{made + ` > +0 202 {}`, `GET /jobs/7 > +1 ` + pending + ` > +1 ` + pending,
			`GET /jobs/7 > +9 200 {"status":"done","total":1} > +9 200 {"status":"gone","total":1}`},
			map[uint64]string{3: `200 /body/total=number 9/9/2`}},
		{"another write ends the trail", []string{made, `GET /jobs/7 > +2 ` + pending, `PUT /jobs/7 > +5 200 {}`, `GET /jobs/7 > ` + done("9", "1")}, nil},
		{"a write to something else does not", []string{made, `GET /jobs/7 > +2 ` + pending, `POST /jobsters > +5 200 {}`, `GET /jobs/7 > ` + done("9", "1")},
			map[uint64]string{4: `200 /body/status="done" /body/total=number 9/9/1`}},
		{"two test cases at once", []string{`POST /jobs in a > +0 202 {}`, `GET /jobs/7 in a > +2 ` + pending, `PUT /jobs/7 in b > +5 200 {}`, `GET /jobs/7 in a > ` + done("9", "1")},
			map[uint64]string{4: `200 /body/status="done" /body/total=number 9/9/1`}},
		{"a test case for each request", []string{`POST /jobs in a > +0 202 {}`, `GET /jobs/7 in b > +2 ` + pending, `GET /jobs/7 in c > ` + done("9", "1")},
			map[uint64]string{3: `200 /body/status="done" /body/total=number 9/9/1`}},
		{"back to what it said", []string{made, `GET /jobs/7 > +1 200 {"status":"red"}`, `GET /jobs/7 > +2 200 {"status":"green"}`, `GET /jobs/7 > +3 200 {"status":"red"}`}, nil},
		{"back to what it said, and on", []string{made, `GET /jobs/7 > +1 200 {"status":"red"}`, `GET /jobs/7 > +2 200 {"status":"green"}`,
			`GET /jobs/7 > +3 200 {"status":"red"}`, `GET /jobs/7 > +4 200 {"status":"blue"}`}, nil},
		{"a write that a run was refused", []string{made + ` > +0 500 {}`, `GET /jobs/7 > ` + done("900", "42") + ` > +2 ` + pending + ` settled 298`}, nil},
		{"a word in a list", []string{made, `GET /jobs/7 > +1 200 {"of":[{"is":"red"}]}`, `GET /jobs/7 > +2 200 {"of":[{"is":"green"}]}`}, nil},
		{"asked in vain once, of many", []string{madeOften + ` > +0 202 {"id":7}`, `GET /jobs/7 > ` + done("900", "1") + ` > +2 ` + pending + ` settled 100 > +2 ` + pending +
			` settled 100 > +2 ` + pending + ` settled 100 > +2 ` + pending + ` settled 100 > +2 404 {} vain 900`},
			map[uint64]string{2: `200 /body/status="done" /body/total=number 102/102/4`}},
		{"what fails, of another job", []string{made, `GET /jobs/7 > +1 ` + pending, `GET /jobs/7 > ` + done("9", "1"),
			`POST /jobs > +20 202 {"id":8}`, `GET /jobs/8 > +21 ` + pending, `GET /jobs/8 > +25 200 {"status":"failed","total":null}`},
			map[uint64]string{3: `200 /body/status="done" /body/total=number not /body/status="failed" 9/9/1`, 6: `200 /body/status="failed" 5/5/1`}},
		{"a word that nothing says to be the end", []string{made, `GET /jobs/7 > +1 ` + pending, `GET /jobs/7 > ` + done("9", "1"),
			`POST /jobs > +20 202 {"id":8}`, `GET /jobs/8 > +21 ` + pending, `GET /jobs/8 > +25 200 {"status":"running","total":null}`},
			map[uint64]string{3: `200 /body/status="done" /body/total=number 9/9/1`, 6: `200 /body/status="running" 5/5/1`}},
		{"a word that stayed", []string{made, `GET /jobs/7 > +1 ` + pending, `GET /jobs/7 > ` + done("9", "1"),
			`POST /jobs > +20 202 {"id":8}`, `GET /jobs/8 > +21 ` + pending, `GET /jobs/8 > +25 200 {"status":"void","total":null}`, `GET /jobs/8 > +90 200 {"status":"void","total":null}`},
			map[uint64]string{3: `200 /body/status="done" /body/total=number not /body/status="void" 9/9/1`, 6: `200 /body/status="void" 5/5/1`, 7: `200 /body/status="void" 5/5/1`}},
		{"a word that stayed, for no longer than it takes to be done", []string{made, `GET /jobs/7 > +1 ` + pending, `GET /jobs/7 > ` + done("9", "1"),
			`POST /jobs > +20 202 {"id":8}`, `GET /jobs/8 > +21 ` + pending, `GET /jobs/8 > +25 200 {"status":"void","total":null}`, `GET /jobs/8 > +27 200 {"status":"void","total":null}`},
			map[uint64]string{3: `200 /body/status="done" /body/total=number 9/9/1`, 6: `200 /body/status="void" 5/5/1`, 7: `200 /body/status="void" 5/5/1`}},
		{"a failure with another status", []string{made, `GET /jobs/7 > +1 ` + pending, `GET /jobs/7 > ` + done("9", "1"),
			`POST /jobs > +20 202 {"id":8}`, `GET /jobs/8 > +21 ` + pending, `GET /jobs/8 > +25 404 {"status":"failed","total":null}`},
			map[uint64]string{3: `200 /body/status="done" /body/total=number 9/9/1`, 6: `404 5/5/1`}},
		{"a failure behind which nobody looked", []string{made + ` > +0 202 {"id":7}`, `GET /jobs/7 > +1 ` + pending, `GET /jobs/7 > ` + done("9", "1"),
			`POST /jobs > +20 202 {"id":8} > +20 202 {"id":8}`, `GET /jobs/8 > ` + done("25", "1") + ` > +25 200 {"status":"failed","total":null} vain 900`},
			map[uint64]string{3: `200 /body/status="done" /body/total=number 9/9/1`}},
		{"a failure that is tried again", []string{made, `GET /jobs/7 > +1 200 {"status":"failed"}`, `GET /jobs/7 > +9 200 {"status":"done"}`,
			`POST /jobs > +20 202 {"id":8}`, `GET /jobs/8 > +25 200 {"status":"failed"}`},
			map[uint64]string{3: `200 /body/status="done" 9/9/1`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l, all := steps(t, tt.lines...)
			for _, s := range all {
				l.Add(s)
			}
			got := l.Oracles()
			for _, s := range all {
				want := tt.want[s.Exchange.Seq]
				if want == "" {
					want = "none"
				}
				if text := shown(got[s.Exchange.Seq]); text != want {
					t.Errorf("exchange %d: %s\nwant %s", s.Exchange.Seq, text, want)
				}
			}
		})
	}
}

// What tells by the body alone that an answer is ready, and the statuses on the way: nothing where another status has all
// that the answer that is ready has.
func TestBody(t *testing.T) {
	const made, missing = `POST /jobs > +0 202 {"id":7}`, `GET /jobs/7 > +1 404 {"error":"none","id":7}`
	for _, tt := range []struct{ name, then, end, want string }{
		{"not found, then there", missing, `200 {"id":7,"at":null,"total":42}`, "[404] /body/total number"},
		{"not found, and then under way", missing, `200 {"id":7,"state":"done"}`, "[404] /body/state string"},
		{"nothing else in the body", missing, `200 {"id":7}`, "[404]"},
		{"under way", `GET /jobs/7 > +1 200 {"state":"pending"}`, `200 {"state":"done"}`, `[] /body/state "done"`},
	} {
		l, all := steps(t, made, tt.then, "GET /jobs/7 > +50 "+tt.end)
		for _, s := range all {
			l.Add(s)
		}
		o := l.Oracles()[3]
		if o == nil {
			t.Errorf("%s: nothing is waited for", tt.name)
			continue
		}
		got := fmt.Sprint(o.Early)
		for _, v := range o.Body {
			got += fmt.Sprintf(" %s %s", v.Place, cmp.Or(v.JSON, string(v.Type)))
		}
		if got != tt.want {
			t.Errorf("%s: %s, not %s", tt.name, got, tt.want)
		}
	}
}

// Ready, in vain, or neither.
func TestReadyAndVain(t *testing.T) {
	o := &Oracle{Status: 200, InVain: []Value{{Place: "/body/status", JSON: `"failed"`, Type: String}}, Values: []Value{
		{Place: "/body/status", JSON: `"done"`, Type: String}, {Place: "/body/total", Type: Number}, {Place: "/body/items", Type: Array, Least: 2}}}
	for text, want := range map[string]string{
		`200 {"status":"done","total":1.5,"items":[1,2,3]}`: "ready",
		`200 {"status":"done","total":"1","items":[1,2]}`:   "",
		`200 {"status":"done","total":1,"items":[1]}`:       "",
		`200 {"status":"done","items":[1,2]}`:               "",
		`201 {"status":"done","total":1,"items":[1,2]}`:     "",
		`200 {"status":"failed"}`:                           "vain",
		`500 {"status":"failed"}`:                           "",
		`200 nonsense`:                                      "",
	} {
		got := ""
		if o.Ready(answer(text)) {
			got = "ready"
		}
		if _, vain := o.Vain(answer(text)); vain {
			got += "vain"
		}
		if got != want {
			t.Errorf("%s is %q, want %q", text, got, want)
		}
	}
	if _, vain := o.Vain(nil); vain || o.Ready(nil) {
		t.Error("no answer says something")
	}
}

// The cap is five times the slowest and a second at least, the pause a tenth of the middle one within its bounds.
func TestCapAndPause(t *testing.T) {
	for _, tt := range []struct{ median, longest, atMost, every time.Duration }{
		{2 * time.Millisecond, 9 * time.Millisecond, time.Second, 10 * time.Millisecond},
		{240 * time.Millisecond, 400 * time.Millisecond, 2 * time.Second, 24 * time.Millisecond},
		{time.Minute, time.Hour, 5 * time.Hour, time.Second},
	} {
		o := &Oracle{Times: Times{Median: tt.median, Longest: tt.longest}}
		if o.Cap() != tt.atMost || o.Every() != tt.every {
			t.Errorf("%v: %s, every %s", tt, o.Cap(), o.Every())
		}
	}
}

// Whatever the states are: an oracle fits the recorded answers that it is given for, and nothing that tells that it
// is in vain.
func TestOraclesFitWhatWasRecorded(t *testing.T) {
	states := []string{`"new"`, `"running"`, `"done"`, `"failed"`, `null`, `7`, `[]`, `["a"]`, `{}`, `true`}
	rapid.Check(t, func(r *rapid.T) {
		var lines []string
		at := 0
		for range rapid.IntRange(1, 4).Draw(r, "jobs") {
			lines = append(lines, fmt.Sprintf(`POST /jobs > +%d 202 {}`, at))
			id := rapid.IntRange(1, 2).Draw(r, "id")
			for range rapid.IntRange(1, 5).Draw(r, "reads") {
				at += rapid.IntRange(1, 100).Draw(r, "ms")
				lines = append(lines, fmt.Sprintf(`GET /jobs/%d > +%d %d {"state":%s,"n":%d}`, id, at,
					rapid.SampledFrom([]int{200, 404}).Draw(r, "status"), rapid.SampledFrom(states).Draw(r, "state"), rapid.IntRange(0, 2).Draw(r, "n")))
			}
		}
		l, all := steps(t, lines...)
		for _, s := range all {
			l.Add(s)
		}
		for seq, o := range l.Oracles() {
			recorded := all[seq-1].Exchange.Response
			if _, vain := o.Vain(recorded); vain || !o.Ready(recorded) {
				t.Errorf("%s does not fit exchange %d of\n%s", shown(o), seq, strings.Join(lines, "\n"))
			}
			if o.Times.N == 0 || o.Times.Median > o.Times.Longest {
				t.Errorf("times %+v", o.Times)
			}
		}
	})
}

// Reads whose answer was not ready are known too, with the times of all reads that wait for the same, and by few values
// that tell an answer that is ready from the others.
func TestAwaited(t *testing.T) {
	const made = ` > +0 202 {} > +0 202 {}`
	for _, tt := range []struct {
		name  string
		lines []string
		want  map[uint64]string // times and what is needed, by exchange
	}{
		{"nobody saw it become ready", []string{`POST /jobs` + made, `GET /jobs/7 > +1 200 {"status":"new","total":null} > +60 200 {"status":"done","total":42}`,
			`GET /jobs/7 > +2 200 {"status":"new","total":null} > +70 200 {"status":"done","total":41}`}, nil},
		{"not found, then done", []string{`POST /jobs` + made, `GET /jobs/7 > +1 404 {} > +1 404 {}`, `GET /jobs/7 > +2 404 {} > +60 200 {"status":"done"}`},
			map[uint64]string{2: "60/60/1", 3: "60/60/1"}},
		{"one word is enough", []string{`POST /jobs` + made, `GET /jobs/7 > +1 200 {"a":"new","b":"new","n":1} > +1 200 {"a":"new","b":"new","n":1}`,
			`GET /jobs/7 > +9 200 {"a":"done","b":"done","n":2} > +9 200 {"a":"done","b":"done","n":2}`},
			map[uint64]string{2: `9/9/2 /body/a="done"`, 3: `9/9/2 /body/a="done"`}},
		{"a word that does not tell all of them apart", []string{`POST /jobs` + made, `GET /jobs/7 > +1 200 {"a":"new","b":"new"} > +1 200 {"a":"new","b":"new"}`,
			`GET /jobs/7 > +5 200 {"a":"done","b":"new"} > +5 200 {"a":"done","b":"new"}`, `GET /jobs/7 > +9 200 {"a":"done","b":"done"} > +9 200 {"a":"done","b":"done"}`},
			map[uint64]string{2: `9/9/2 /body/a="done" /body/b="done"`, 3: `9/9/2 /body/a="done" /body/b="done"`, 4: `9/9/2 /body/a="done" /body/b="done"`}},
		{"the times of all that wait for the same", []string{`POST /jobs` + made, `GET /jobs/7 > +1 404 {} > +1 404 {}`, `GET /jobs/7 > +2 404 {} > +60 200 {"status":"done"}`,
			`POST /jobs > +100 202 {}`, `GET /jobs/8 > +101 404 {}`, `GET /jobs/8 > +140 200 {"status":"done"}`},
			map[uint64]string{2: "40/60/2", 3: "40/60/2", 5: "40/60/2", 6: "40/60/2"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l, all := steps(t, tt.lines...)
			for _, s := range all {
				l.Add(s)
			}
			got := l.Awaited()
			for _, s := range all {
				text := ""
				if o := got[s.Exchange.Seq]; o != nil {
					text = fmt.Sprintf("%d/%d/%d", o.Times.Median.Milliseconds(), o.Times.Longest.Milliseconds(), o.Times.N)
					for _, v := range o.Needed {
						text += " " + string(v.Place) + "=" + v.JSON
					}
				}
				if text != tt.want[s.Exchange.Seq] {
					t.Errorf("exchange %d: %q, want %q", s.Exchange.Seq, text, tt.want[s.Exchange.Seq])
				}
			}
		})
	}
}

// The way of reads is told with the times of their answers, and so is what of these nobody waits for.
func TestCourses(t *testing.T) {
	l, all := steps(t, `POST /jobs > +0 202 {} > +0 202 {} > +0 202 {}`,
		`GET /jobs/7 > +1 200 {"a":"new","b":"new","n":1} > +1 200 {"a":"new","b":"new","n":1} > ~`,
		`GET /jobs/7 > +9 200 {"a":"done","b":"done","n":2} > +8 200 {"a":"done","b":"done","n":7} > +3 200 {"a":"new","b":"new","n":1} settled 40`,
		`GET /others/1 > +10 200 {}`)
	for _, s := range all {
		l.Add(s)
	}
	courses := l.Courses()
	if len(courses) != 1 {
		t.Fatalf("%d courses", len(courses))
	}
	c := courses[0]
	got := fmt.Sprint(c.Operation.Template, c.Seqs, c.Oracle.Times.N)
	for _, trail := range c.Trails {
		got += fmt.Sprintf(" | run %d:", trail.Run)
		for _, k := range trail.Looks {
			got += fmt.Sprintf(" %d %v %v", k.After.Milliseconds(), c.Oracle.Ready(k.Response), k.Assumed)
		}
	}
	for _, a := range c.Aside {
		got += fmt.Sprintf(" | %s %s", a.Place, a.Why)
	}
	const want = "/jobs/{id}[2 3] 3 | run 0: 1 false false 9 true false | run 1: 1 false false 8 true false | " +
		"run 2: 3 false false 43 true true | /body/b needless | /body/n differs"
	if got != want {
		t.Errorf("got\n%s, want\n%s", got, want)
	}
}

// What many reads of one job say is learned in time linear in their number: quadratic work would take many minutes for these.
func TestLearningIsLinear(t *testing.T) {
	const reads = 2000
	lines := []string{"POST /jobs" + strings.Repeat(" > +0 202 {}", 4)}
	for i := range reads {
		state := "pending"
		if i == reads-1 {
			state = "done"
		}
		lines = append(lines, "GET /jobs/7"+strings.Repeat(fmt.Sprintf(` > +%d 200 {"state":%q,"progress":%d}`, i+1, state, i), 4))
	}
	l, all := steps(t, lines...)
	for _, s := range all {
		l.Add(s)
	}
	stages, last := l.Stages(), all[reads].Exchange
	if n := len(l.Awaited()); len(stages) != reads || n != reads {
		t.Errorf("the stages of %d reads are known, and what %d wait for, of %d", len(stages), n, reads)
	}
	if apart := stages[last.Seq].Apart(all[1].Exchange.Response); len(apart) == 0 {
		t.Error("a job that is pending is taken for one that is done")
	}
}
