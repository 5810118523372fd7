package suite

import (
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
)

// TestFollow holds assertions against what a client was led to by redirects that it followed.
func TestFollow(t *testing.T) {
	const html = "Content-Type: text/html\r\n"
	to := func(location string) *exchange.Response { return reply(302, "Location: "+location+"\r\n", "") }
	page := reply(200, html, "")
	tests := []struct {
		name  string
		steps []exchange.Step
		want  string // of the status that the first call asserts to be 302
	}{
		{"followed", []exchange.Step{
			stepOf(1, "/x0", []*exchange.Response{to("/y?a=1"), to("/y?a=1"), to("/y?a=1")}),
			stepOf(2, "/y?a=1", []*exchange.Response{page, page, page}),
			stepOf(3, "/x1", []*exchange.Response{page, page, page})}, "in (200, 302)"},
		{"twice", []exchange.Step{
			stepOf(1, "/x0", []*exchange.Response{to("http://localhost:1/y"), to("y"), to("y")}),
			stepOf(2, "/y", []*exchange.Response{to("/z"), to("/z"), to("/z")}),
			stepOf(3, "/z", []*exchange.Response{reply(404, html, ""), reply(404, html, ""), reply(404, html, "")}),
			stepOf(4, "/x1", []*exchange.Response{page, page, page})}, "in (302, 404)"},
		{"not followed", []exchange.Step{
			stepOf(1, "/x0", []*exchange.Response{to("/y"), to("/y")}),
			stepOf(2, "/x1", []*exchange.Response{page, page})}, "== 302"},
		{"the suite asks for it itself", []exchange.Step{
			stepOf(1, "/x0", []*exchange.Response{to("/x1"), to("/x1")}),
			stepOf(2, "/x1", []*exchange.Response{page, page})}, "== 302"},
		{"followed to what the next test asks for", []exchange.Step{
			stepOf(1, "/x0", []*exchange.Response{to("/x1"), to("/x1")}),
			stepOf(2, "/x1", []*exchange.Response{page, page}),
			stepOf(3, "/x1", []*exchange.Response{page, page})}, "in (200, 302)"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			text := suiteOf([]string{"assert res_0.status_code == 302"}, []string{"assert res_1.status_code == 200"})
			if strings.Contains(tt.name, "next test") {
				i := strings.LastIndex(text, "        headers = {}")
				text = text[:i] + "    def test_1(self):\n" + text[i:]
			}
			p, err := Patch("t.py", []byte(text), Source{Steps: tt.steps}, PatchOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(string(p.Data), "assert res_0.status_code "+tt.want+"\n") {
				t.Errorf("want %s:\n%s", tt.want, p.Data)
			}
		})
	}
}
