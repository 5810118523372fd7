package steady_test

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// What the API says now reaches the client where it is not what was learned of its place, though the place is known to
// move: another type, null, nothing, an empty list, another status or another kind of body.
func TestFaultsAtPlacesThatMovePass(t *testing.T) {
	word := func(run, n int) string { return []string{"red", "green", "blue"}[(run*7+n)%3] }
	list := func(run int) string { // in any order
		all := []string{`{"id":"a","nr":1}`, `{"id":"b","nr":2}`, `{"id":"c","nr":3}`}
		return all[run%3] + "," + all[(run+1)%3] + "," + all[(run+2)%3]
	}
	set := func(run int) string { return strings.Repeat(`{"k":"x"},`, 1+run%3) + `{"k":"x"}` }
	sized := func(run int) string {
		var all []string
		for i := range 2 + run%3 {
			all = append(all, fmt.Sprintf(`{"name":"e%d","of":%d}`, i, run*31%17))
		}
		return strings.Join(all, ",")
	}
	optional := func(run int) string {
		if run%2 == 0 {
			return fmt.Sprintf(`"note":"n%d",`, run)
		}
		return ""
	}
	nullable := func(run int) string {
		if run%2 == 0 {
			return fmt.Sprint(100 + run*37%91)
		}
		return "null"
	}
	body := func(run int) map[string]string {
		return map[string]string{"id": `"` + uuid(run, 1) + `"`, "n": fmt.Sprint(1000 + run*617%809), "at": `"` + stamp(began(run)) + `"`,
			"word": `"` + word(run, 0) + `"`, "list": "[" + list(run) + "]", "set": "[" + set(run) + "]", "sized": "[" + sized(run) + "]", "nullable": nullable(run),
			"on": fmt.Sprint(run%2 == 0), "in": fmt.Sprintf(`{"token":"t%d"}`, run*7919)}
	}
	keys := []string{"id", "n", "at", "word", "list", "set", "sized", "nullable", "on", "in"}
	written := func(run int, change map[string]string) string {
		m := body(run)
		var parts []string
		for _, k := range keys {
			v := m[k]
			if c, ok := change[k]; ok {
				v = c
			}
			if v != "" {
				parts = append(parts, fmt.Sprintf("%q:%s", k, v))
			}
		}
		return "{" + optional(run) + strings.Join(parts, ",") + "}"
	}
	w := world{
		requests: []string{"GET /thing HTTP/1.1\nHost: a"},
		answer: func(run, _ int, _ time.Time) string {
			return "HTTP/1.1 200 OK\nContent-Type: application/json\nX-Trace: " + uuid(run, 2) + "\n\n" + written(run, nil)
		},
	}
	for key, faults := range map[string][]string{
		"id":       {"null", "7", "", "[]", "{}", `""`, "true"},
		"n":        {"null", `"1234"`, "", "[]", "-5", "1e99", "12.5"},
		"at":       {"null", "7", "", `"soon"`, `""`, `"1999-01-01T00:00:00.000Z"`},
		"word":     {"null", "7", "", `""`, "[]"},
		"list":     {"null", "", "[]", "{}", `"a"`, `[{"id":"a","nr":1},{"id":"b","nr":2}]`, `[{"id":"a","nr":1},{"id":"b","nr":9},{"id":"c","nr":3}]`, `[{"id":"a","nr":1},{"id":"b","nr":2},{"id":"c"}]`},
		"set":      {"null", "", "[]", `[{"k":null}]`, `[{}]`, `[{"k":"x"},{"k":"x"},7]`, `[{"k":"y"},{"k":"y"}]`},
		"sized":    {"null", "", "[]", `[{}…`, `[7…`, `[{"name":7…`},
		"nullable": {"", `"150"`, "[]", "true"},
		"on":       {"null", "", `"true"`, "1"},
		"in":       {"null", "", "[]", "{}", `{"token":null}`, `{"token":7}`},
	} {
		for _, fault := range faults {
			t.Run(key+" "+fault, func(t *testing.T) {
				s, raw := w.learned(t)
				whole := strings.NewReplacer("[{}…", "[{}]", "[7…", "[7]", `[{"name":7…`, `[{"name":7,"of":1},{"name":"e1","of":1}]`).Replace(fault)
				_, shown := say(s, w.requests[0], strings.Replace(w.answer(live, 0, began(live)), written(live, nil), written(live, map[string]string{key: whole}), 1))
				_, shown, _ = strings.Cut(shown, "\r\n\r\n")
				member := strings.TrimSuffix(fmt.Sprintf("%q:%s", key, fault), "…") // what comes behind it may be held still
				if fault == "" && strings.Contains(strings.ReplaceAll(shown, `{"name"`, ""), fmt.Sprintf(",%q:", key)) || fault != "" && !strings.Contains(shown, member) || len(*raw) == 0 {
					t.Errorf("the client sees %s\npassed: %q", shown, *raw)
				}
			})
		}
	}
}

// What is another answer as a whole passes, its head included, though its places are known to move.
func TestOtherAnswersPass(t *testing.T) {
	w := world{
		requests: []string{"GET /thing HTTP/1.1\nHost: a"},
		answer: func(run, _ int, _ time.Time) string {
			retry := ""
			if run%2 == 0 {
				retry = fmt.Sprintf("Retry-After: %d\n", 10+run)
			}
			return "HTTP/1.1 200 OK\nContent-Type: application/json\nX-Trace: " + uuid(run, 2) + "\n" + retry + "\n" + fmt.Sprintf(`{"id":%q,"n":%d}`, uuid(run, 1), 1000+run*617%809)
		},
	}
	now := w.answer(live, 0, began(live))
	for name, fault := range map[string]string{
		"another status":      strings.Replace(now, "200 OK", "500 Oops", 1),
		"accepted":            strings.Replace(now, "200 OK", "202 Accepted", 1),
		"no body":             now[:strings.Index(now, "{")],
		"no content":          "HTTP/1.1 204 No Content\n\n",
		"HTML":                strings.Replace(now, "application/json", "text/html", 1),
		"cut short":           now[:len(now)-1],
		"null":                now[:strings.Index(now, "{")] + "null",
		"in an array":         strings.Replace(now, "{", "[{", 1) + "]",
		"a text":              now[:strings.Index(now, "{")] + `"error"`,
		"an error of its own": now[:strings.Index(now, "{")] + `{"error":"no"}`,
	} {
		t.Run(name, func(t *testing.T) {
			s, raw := w.learned(t)
			_, shown := say(s, w.requests[0], fault)
			head, body, _ := strings.Cut(shown, "\r\n\r\n")
			wantHead, wantBody, _ := strings.Cut(onWire(fault), "\r\n\r\n")
			status, _, _ := strings.Cut(wantHead, "\r\n")
			if body != wantBody || !strings.HasPrefix(head, status+"\r\n") && head != status || len(*raw) == 0 ||
				strings.Contains(wantHead, "text/html") && !strings.Contains(head, "text/html") {
				t.Errorf("the client sees %q, want %q\npassed: %q", shown, onWire(fault), *raw)
			}
		})
	}
}
