package suite

import (
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
)

// What cannot be read says nothing: neither that a member is missing nor that it is another.
func TestUnreadAnswersJudgeNothing(t *testing.T) {
	cut := func() *exchange.Response {
		r := reply(200, jsonType, `{"total":7,"items":[{"i":`)
		r.Cut = 5_000_000
		return r
	}
	deep := `{"total":8,"in":` + strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000) + "}"
	packed := reply(200, jsonType+"Content-Encoding: gzip\r\n", "\x1f\x8b no gzip")
	packed.Plain = false
	for name, answers := range map[string][]*exchange.Response{
		"cut":    {cut(), cut(), cut()},
		"deep":   replies(deep, deep),
		"packed": {packed, packed},
	} {
		t.Run(name, func(t *testing.T) {
			source := suiteOf([]string{"assert res_0.status_code == 200", `assert res_0.json()["total"] == 7`})
			p, err := Patch("a_test.py", []byte(source), Source{Steps: []exchange.Step{stepOf(1, "/x0", answers)}}, PatchOptions{})
			if err != nil || string(p.Data) != source {
				t.Fatalf("%v: changed:\n%s", err, p.Data)
			}
			if len(p.Unread) != 1 || p.Unread[0].Line != 11 || !strings.HasPrefix(p.Unread[0].Reason, "the body cannot be read: ") {
				t.Errorf("not judged: %+v", p.Unread)
			}
		})
	}
	t.Run("one of several", func(t *testing.T) {
		source := suiteOf([]string{`assert res_0.json()["total"] == 7`})
		p, err := Patch("a_test.py", []byte(source), Source{Steps: []exchange.Step{stepOf(1, "/x0",
			append(replies(`{"total":8}`, `{"total":9}`), cut()))}}, PatchOptions{})
		if err != nil || len(p.Unread) > 0 || len(p.Changes) != 1 || p.Changes[0].Of != 2 {
			t.Errorf("%v: judged by others than those that can be read: %+v %+v", err, p.Unread, p.Changes)
		}
	})
}

// What was refused for what earlier runs have left judges no assertion of its test: the status stays that of a creation.
func TestRefusedAnswersJudgeNothing(t *testing.T) {
	source := suiteOf([]string{"assert res_0.status_code == 201", `assert res_0.json()["n"] == 7`})
	steps := []exchange.Step{stepOf(1, "/x0", []*exchange.Response{reply(201, jsonType, `{"n":8}`),
		reply(201, jsonType, `{"n":9}`), reply(409, jsonType, `{}`), reply(409, jsonType, `{}`)})}
	for _, tt := range []struct {
		refused []string
		changes int
		of      int
	}{{nil, 2, 4}, {[]string{"GET /x0"}, 1, 2}, {[]string{"GET /x1"}, 2, 4}} {
		p, err := Patch("a_test.py", []byte(source), Source{Steps: steps}, PatchOptions{Refused: tt.refused})
		if err != nil || len(p.Changes) != tt.changes || p.Changes[0].Of != tt.of {
			t.Errorf("refused %v: %v %+v", tt.refused, err, p.Changes)
		}
	}
}
