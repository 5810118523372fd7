package golang

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/expr"
)

// found is a test by its body, and what the API may answer: with which it passes, and with which it fails. An answer is
// a body of JSON, behind lines with a status or a header.
type found struct {
	body          string
	passes, fails []string
}

// replied are the status, the header and the body of an answer.
func replied(answer string) (status int, header http.Header, body string) {
	status, header = 200, http.Header{"Content-Type": {"application/json"}}
	lines := strings.Split(answer, "\n")
	for _, line := range lines[:len(lines)-1] {
		if name, value, ok := strings.Cut(line, ": "); ok {
			header.Set(name, value)
		} else {
			status, _ = strconv.Atoi(line)
		}
	}
	return status, header, lines[len(lines)-1]
}

// message is an answer as it was recorded.
func message(answer string) *exchange.Response {
	status, header, body := replied(answer)
	var head strings.Builder
	fmt.Fprintf(&head, "HTTP/1.1 %d X\r\n", status)
	_ = header.Write(&head)
	return exchange.ParseResponse(exchange.Message{Head: []byte(head.String() + "\r\n"), Body: []byte(body)})
}

// An assertion means of each answer what Go finds: whether the test passes.
func TestMeaningIsWhatGoFinds(t *testing.T) {
	for _, tt := range append(plainly(), byTestify()...) {
		s := wrote(t, header+"func TestIt(t *testing.T) {\n\t"+tt.body+"\n}\n")
		test := s.Tests[0]
		a := test.Assertions[len(test.Assertions)-1]
		if a.Meaning == nil {
			t.Errorf("%s\nis not understood: %s", tt.body, a.Reason)
			continue
		}
		for i, answer := range append(tt.passes, tt.fails...) {
			scope := expr.Scope{}
			for _, c := range test.Calls {
				scope[c.Var] = expr.NewResponse(message(answer), c.Client)
			}
			holds, err := scope.Holds(a.Meaning)
			if passes := i < len(tt.passes); passes != (holds && err == nil) {
				t.Errorf("%s\npasses %t of %s, but the meaning is %v (%v)\n%#v", tt.body, passes, answer, holds, err, a.Meaning)
			}
		}
	}
}

// What the tables say is what go test does.
func TestGoFindsIt(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and runs tests")
	}
	t.Run("plain", func(t *testing.T) { goFinds(t, plainly(), newModule(t, "github.com/google/go-cmp", "v0.7.0")) })
	t.Run("testify", func(t *testing.T) { goFinds(t, byTestify(), newModule(t, "github.com/stretchr/testify", "v1.10.0")) })
}

func goFinds(t *testing.T, table []found, dir string) {
	t.Helper()
	answers, fails := map[string]string{}, map[string]bool{}
	text := ""
	for i, tt := range table {
		for j, answer := range append(tt.passes, tt.fails...) {
			name := fmt.Sprintf("Test%02d_%d", i, j)
			answers["/"+name], fails[name] = answer, j >= len(tt.passes)
			text += "func " + name + "(t *testing.T) {\n\tdefer func() {\n\t\tif x := recover(); x != nil {\n\t\t\tt.Error(x)\n\t\t}\n\t}()\n\t" +
				strings.ReplaceAll(tt.body, `"/a"`, `"/`+name+`"`) + "\n}\n"
		}
	}
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		status, header, body := replied(answers[q.URL.Path])
		for name := range header {
			w.Header().Set(name, header.Get(name))
		}
		w.WriteHeader(status)
		fmt.Fprint(w, body)
	}))
	defer api.Close()
	head := strings.Replace(header, `os.Getenv("BASE")`, `"`+api.URL+`"`, 1)
	for _, pkg := range regexp.MustCompile(`\t"(\S+/)?(\w+)"\n`).FindAllStringSubmatch(head, -1) {
		if !strings.Contains(text, pkg[2]+".") { // it would not compile
			head = strings.Replace(head, pkg[0], "", 1)
		}
	}
	put(t, filepath.Join(dir, "it_test.go"), head+text)
	out := goes(t, dir, api.URL, "test", "-vet=off", "-v", "./...")
	for name, want := range fails {
		if !strings.Contains(out, "--- FAIL: "+name) != !want || !strings.Contains(out, ": "+name+" (") {
			_, own, _ := strings.Cut(text, "func "+name+"(")
			own, _, _ = strings.Cut(own, "\n}\n")
			t.Errorf("%s fails %t of %s\n%s", name, !want, answers["/"+name], own)
		}
	}
	if t.Failed() {
		t.Logf("%s", out[:min(len(out), 3000)])
	}
}
