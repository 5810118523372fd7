package inspect

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/testbed/recorded"
	"github.com/flaketap/flaketap/report"
	"github.com/flaketap/flaketap/volatility/analysis"
)

// asked is an exchange with a body of a type.
func asked(line, media, body, answer string) *exchange.Exchange {
	head := fmt.Sprintf("%s HTTP/1.1\r\nHost: a\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n", line, media, len(body))
	return &exchange.Exchange{Request: exchange.ParseRequest(exchange.Message{Head: []byte(head), Body: []byte(body)}),
		Response: exchange.ParseResponse(exchange.Message{Head: fmt.Appendf(nil, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n", len(answer)), Body: []byte(answer)})}
}

// A pact of a recording has the queries and bodies of its requests, matched by type; what answers gave, and secrets, are
// for the provider's state.
func TestPactAsks(t *testing.T) {
	const id = "0a1b2c3d-4e5f-4a6b-8c7d-000000730041"
	db := recorded.Exchanges(t, []*exchange.Exchange{
		asked("POST /orders?dry=no&tag=a&tag=b%2Fc", "application/json", `{"lines":[{"sku":"pen","n":2}],"password":"correct-horse-battery"}`, `{"id":"`+id+`"}`),
		asked("PUT /state?order="+id, "application/json", `{"orders":["`+id+`"],"state":"paid"}`, `{}`),
		asked("POST /form", "application/x-www-form-urlencoded", "a=1+2", `{}`),
		asked("POST /bytes", "application/octet-stream", "\xff\x00", `{}`),
		asked("POST /broken", "application/json", `{"a":`, `{}`),
		asked("GET /plain", "text/plain", "", `{}`),
	})
	j, err := analysis.Judge(db, analysis.Options{})
	if err != nil {
		t.Fatal(err)
	}
	all, err := Asked(db, j)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := report.WriteMap(&b, report.PactForm, j.Map, report.FormOptions{Asked: all}); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(b.String(), "correct-horse") {
		t.Errorf("the secret is in %s", b.String())
	}
	var doc struct {
		Interactions []struct {
			Description string
			Request     json.RawMessage
		}
	}
	if err := json.Unmarshal(b.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, i := range doc.Interactions {
		var r map[string]any
		if err := json.Unmarshal(i.Request, &r); err != nil {
			t.Fatal(err)
		}
		if body, ok := r["body"].(map[string]any); ok {
			if content, ok := body["content"].(map[string]any); ok && content["password"] != nil {
				content["password"] = "…"
			}
		}
		var one strings.Builder
		for _, key := range []string{"query", "headers", "body", "matchingRules", "generators"} {
			if r[key] != nil {
				text, _ := json.Marshal(r[key])
				fmt.Fprintf(&one, "%s %s\n", key, text)
			}
		}
		got[i.Description] = one.String()
	}
	const byType = `{"combine":"AND","matchers":[{"match":"type"}]}`
	given := func(name string) string {
		return `{"dataType":"STRING","expression":"${` + name + `}","type":"ProviderState"}`
	}
	want := map[string]string{
		"POST /orders 200": `query {"dry":["no"],"tag":["a","b/c"]}` + "\n" +
			`headers {"Content-Type":"application/json"}` + "\n" +
			`body {"content":{"lines":[{"n":2,"sku":"pen"}],"password":"…"},"contentType":"application/json","encoded":false}` + "\n" +
			`matchingRules {"body":{"$":` + byType + `},"query":{"dry":` + byType + `,"tag":` + byType + `}}` + "\n" +
			`generators {"body":{"$.password":` + given("password") + `}}` + "\n",
		"PUT /state 200": `query {"order":["` + id + `"]}` + "\n" +
			`headers {"Content-Type":"application/json"}` + "\n" +
			`body {"content":{"orders":["` + id + `"],"state":"paid"},"contentType":"application/json","encoded":false}` + "\n" +
			`matchingRules {"body":{"$":` + byType + `},"query":{"order":` + byType + `}}` + "\n" +
			`generators {"body":{"$.orders[0]":` + given("orders") + `},"query":{"order":` + given("order") + `}}` + "\n",
		"POST /form 200":   `headers {"Content-Type":"application/x-www-form-urlencoded"}` + "\n" + `body {"content":"a=1+2","contentType":"application/x-www-form-urlencoded","encoded":false}` + "\n",
		"POST /bytes 200":  "",
		"POST /broken 200": "",
		"GET /plain 200":   "",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}
