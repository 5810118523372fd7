package compare

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/flaketap/flaketap/exchange"
)

// partsOf lists the parts of an answer, each as its place behind the text and its token, containers left out.
func partsOf(r *exchange.Response) []string {
	var out []string
	Read(r, nil).Parts(func(place exchange.Place, raw string) {
		if _, _, ok := place.Text(); ok && place.Root() == "body" && raw[0] != '{' && raw[0] != '[' {
			out = append(out, string(place)+" "+raw)
		}
	})
	return out
}

func encode(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) }

func jwt(claims string) string {
	return encode(`{"alg":"HS256"}`) + "." + encode(claims) + ".c2lnbmF0dXJl"
}

func TestPartsAreRead(t *testing.T) {
	for _, c := range []struct {
		name, media, body string
		want              []string
	}{
		{"JSON in a string", "application/json", `{"p":"{\"a\":[1,{\"b\":null}]}"}`, []string{"/body/p/@json/a/0 1", "/body/p/@json/a/1/b null"}},
		{"JSON in a string, with white space", "application/json", `{"p":"\n [1]\n"}`, []string{"/body/p/@json/0 1"}},
		{"a bracket is no JSON", "application/json", `{"p":"[object Object]","q":"{}}","r":"{","s":"[]"}`, nil},
		{"JSON under another type", "text/plain", `{"a":1}`, []string{"/body/@json/a 1"}},
		{"lines", "application/x-ndjson", "{\"a\":1}\n\n{\"a\":2}\r\n{\"a\":", []string{"/body/@ndjson/0/a 1", "/body/@ndjson/1/a 2", `/body/@ndjson/2 "{\"a\":"`}},
		{"lines that nobody calls so", "", "{\"a\":1}\n{\"a\":2}", []string{"/body/@ndjson/0/a 1", "/body/@ndjson/1/a 2"}},
		{"lines of which one is none", "text/plain", "{\"a\":1}\nnone", nil},
		{"a sequence", "application/json-seq", "\x1e{\"a\":1}\n\x1e2\n", []string{"/body/@ndjson/0/a 1", "/body/@ndjson/1 2"}},
		{"a JWT", "application/json", fmt.Sprintf(`{"t":%q}`, jwt(`{"exp":7}`)), []string{`/body/t/@jwt/header/alg "HS256"`, "/body/t/@jwt/claims/exp 7", `/body/t/@jwt/signature "c2lnbmF0dXJl"`}},
		{"a JWT behind its scheme", "application/json", fmt.Sprintf(`{"t":"Bearer %s"}`, jwt(`{"exp":7}`)), []string{`/body/t/@jwt/header/alg "HS256"`, "/body/t/@jwt/claims/exp 7", `/body/t/@jwt/signature "c2lnbmF0dXJl"`}},
		{"three words are no JWT", "application/json", `{"t":"eyJhbGciOiJIUzI1NiJ9.notclaims.sig"}`, nil},
		{"base64 of JSON", "application/json", `{"t":"eyJhIjoxfQ=="}`, []string{"/body/t/@base64/a 1"}},
		{"base64 of a text", "application/json", `{"t":"YXJyYXljb25uZWN0aW9uOjEw"}`, []string{`/body/t/@base64 "arrayconnection:10"`}},
		{"what only looks like base64", "application/json", `{"a":"550e8400-e29b-41d4-a716-446655440000","b":"da39a3ee5e6b4b0d3255bfef95601890afd80709","c":"internationalization","d":"VGhpcw","e":"iVBORw0KGgoAAAANSUhEUgAA"}`, nil},
		{"JSON in base64 in a JWT in a form", "application/x-www-form-urlencoded", "t=" + jwt(`{"p":"`+encode(`{"deep":1}`)+`"}`),
			[]string{`/body/@form/t "` + jwt(`{"p":"`+encode(`{"deep":1}`)+`"}`) + `"`, `/body/@form/t/@jwt/header/alg "HS256"`, `/body/@form/t/@jwt/claims/p "` + encode(`{"deep":1}`) + `"`, "/body/@form/t/@jwt/claims/p/@base64/deep 1", `/body/@form/t/@jwt/signature "c2lnbmF0dXJl"`}},
		{"a form", "application/x-www-form-urlencoded; charset=utf-8", "a=1+2&b=%7e&a=3&=x&c&d=%zz", []string{`/body/@form/b "~"`, `/body/@form/a "3"`, `/body/@form/ "x"`, `/body/@form/c ""`, `/body/@form/d "%zz"`}},
		{"XML", "application/xml", `<?xml version="1.0"?><!-- x --><o id="7"> <i>a</i><i k='v'><![CDATA[b<]]></i>t&amp;<z/>u </o>`,
			[]string{`/body/@xml/o/@id "7"`, `/body/@xml/o/#text "t& u"`, `/body/@xml/o/i/0/#text "a"`, `/body/@xml/o/i/1/@k "v"`, `/body/@xml/o/i/1/#text "b<"`}},
		{"XML with names of its own", "application/soap+xml", `<s:E xmlns:s="u"><s:B s:k="v"/></s:E>`, []string{`/body/@xml/s:E/@xmlns:s "u"`, `/body/@xml/s:E/s:B/0/@s:k "v"`}},
		{"an attribute that is there twice", "text/xml", `<a x="1" x="2"/>`, []string{`/body/@xml/a/@x "2"`}},
		{"entities are not expanded", "text/xml", `<!DOCTYPE a [<!ENTITY b "bbbb">]><a>&b;&#65;</a>`, []string{`/body/@xml/a/#text "&b;A"`}},
		{"XML that is cut off", "text/xml", `<a><b>1</b>`, nil},
		{"two roots", "text/xml", `<a/><b/>`, nil},
		{"tags that cross", "text/xml", `<a><b></a></b>`, nil},
		{"XML in Latin-1", "text/xml", "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><a>\xe9</a>", []string{`/body/@xml/a/#text "é"`}},
		{"XML in a string", "application/json", `{"x":"\u003ca\u003e1\u003c/a\u003e","y":"<User id=7>"}`, []string{`/body/x/@xml/a/#text "1"`}},
		{"a password's control", "text/html", `<form><input type=Password name=pw2 value=x><input type=text name=n value=y></form>`,
			[]string{`/body/@html/input/pw2/@type "Password"`, `/body/@html/input/n/@type "text"`, `/body/@html/input/n/@value "y"`}},
		{"HTML", "text/html", `<!doctype html><title>T</title><body class=b><p>one<br>two<p>three<input type=hidden name=csrf value=x><a href="/y">l</a></body>`,
			[]string{`/body/@html/title "T"`, `/body/@html/body/0/@class "b"`, `/body/@html/p/0/#text "one two"`, `/body/@html/p/1/#text "three"`, `/body/@html/input/csrf/@type "hidden"`, `/body/@html/input/csrf/@value "x"`, `/body/@html/a/0/@href "/y"`, `/body/@html/a/0/#text "l"`}},
		{"HTML in a string", "application/json", `{"h":"<p>one<br>two</p>"}`, []string{`/body/h/@html/p/0/#text "one two"`}},
		{"events", "text/event-stream", ": hi\r\nevent: a\r\ndata: {\"n\":1}\r\nid: 3\r\n\r\ndata: x\ndata:y\nretry: 5\n\nid", []string{
			`/body/@sse/0/event "a"`, `/body/@sse/0/id "3"`, `/body/@sse/0/data "{\"n\":1}"`, "/body/@sse/0/data/@json/n 1", `/body/@sse/1/retry "5"`, `/body/@sse/1/data "x\ny"`, `/body/@sse/2/id ""`}},
		{"multipart", `multipart/form-data; boundary="b b"`, "--b b\r\nContent-Disposition: form-data; name=\"f\"; filename=\"x;y.txt\"\r\nContent-Type: text/plain\r\n\r\nhi\r\n--b b\r\n\r\nbare\r\n--b b--\r\n",
			[]string{`/body/@multipart/f/content-type "text/plain"`, `/body/@multipart/f/filename "x;y.txt"`, `/body/@multipart/f/body "hi"`, `/body/@multipart/1/body "bare"`}},
		{"multipart without an end", "multipart/mixed; boundary=b", "pre\n--b\nContent-Transfer-Encoding: quoted-printable\n\na=3Db=\nc\n--b\nContent-Transfer-Encoding: base64\n\naGVs\nbG8=",
			[]string{`/body/@multipart/0/content-transfer-encoding "quoted-printable"`, `/body/@multipart/0/body "a=bc"`, `/body/@multipart/1/content-transfer-encoding "base64"`, `/body/@multipart/1/body "hello"`}},
		{"multipart without a boundary", "multipart/mixed", "--b\n\nx\n--b--", nil},
		{"a picture", "image/png", "\x89PNG\r\n\x1a\n\x00", []string{"/body/@binary/length 9", `/body/@binary/type "png"`}},
		{"bytes of nothing known", "application/octet-stream", "\x00\x01", []string{"/body/@binary/length 2", `/body/@binary/type ""`}},
		{"a text", "text/plain", "hello", nil},
		{"nothing", "text/xml", "", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, partsOf(answer(c.media, c.body))); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

func headed(lines ...string) *exchange.Response {
	return exchange.ParseResponse(exchange.Message{Head: []byte("HTTP/1.1 200 OK\r\n" + strings.Join(lines, "\r\n") + "\r\n\r\n")})
}

func TestPartsThatDiffer(t *testing.T) {
	text := func(media string) func(string) *exchange.Response {
		return func(s string) *exchange.Response { return answer(media, s) }
	}
	head := func(s string) *exchange.Response { return headed(strings.Split(s, "|")...) }
	for _, c := range []struct {
		name string
		of   func(string) *exchange.Response
		a, b string
		want []string // without that of the text itself
	}{
		{"a claim", jsonAnswer, `{"t":"` + jwt(`{"iat":1,"sub":"x"}`) + `"}`, `{"t":"` + jwt(`{"iat":2,"sub":"x"}`) + `"}`, []string{"changed /body/t/@jwt/claims/iat 1 2"}},
		{"within a list of objects", jsonAnswer, `[{"id":1,"p":"{\"a\":1}"}]`, `[{"id":1,"p":"{\"a\":2}"}]`, []string{"changed /body/0/p/@json/a 1 2"}},
		{"written otherwise", jsonAnswer, `{"p":"{\"a\":1,\"b\":2}"}`, `{"p":"{\"a\":1, \"b\":2}"}`, []string{`notation /body/p/@json {"a":1,"b":2} {"a":1, "b":2}`}},
		{"members in another order", jsonAnswer, `{"p":"{\"a\":1,\"b\":2}"}`, `{"p":"{\"b\":2,\"a\":1}"}`, []string{`reordered /body/p/@json {"a":1,"b":2} {"b":2,"a":1}`}},
		{"JSON no more", jsonAnswer, `{"p":"{\"a\":1}"}`, `{"p":"oops"}`, []string{`removed /body/p/@json {"a":1}`}},
		{"JSON at last", jsonAnswer, `{"p":"oops"}`, `{"p":"{\"a\":1}"}`, []string{`added /body/p/@json  {"a":1}`}},
		{"another form", jsonAnswer, `{"p":"{\"a\":1}"}`, `{"p":"<a>1</a>"}`, []string{`removed /body/p/@json {"a":1}`, `added /body/p/@xml  {"a":{"#text":"1"}}`}},
		{"a text as ever", jsonAnswer, `{"p":"a"}`, `{"p":"b"}`, nil},
		{"a line more", text("application/x-ndjson"), "{\"id\":1}\n{\"id\":2}\n", "{\"id\":1}\n{\"id\":2}\n{\"id\":3}\n", []string{"resized /body/@ndjson 2 3"}},
		{"one element, two elements", text("text/xml"), "<o><i>1</i></o>", "<o><i>1</i><i>2</i></o>", []string{"resized /body/@xml/o/i 1 2"}},
		{"elements in another order", text("text/xml"), "<o><i>1</i><i>2</i></o>", "<o><i>2</i><i>1</i></o>", []string{"reordered /body/@xml/o/i 2 2"}},
		{"other elements in another order", text("text/xml"), "<o><i>1</i><k>2</k></o>", "<o><k>2</k><i>1</i></o>", []string{`reordered /body/@xml {"o":{"i":[{"#text":"1"}],"k":[{"#text":"2"}]}} {"o":{"k":[{"#text":"2"}],"i":[{"#text":"1"}]}}`}},
		{"white space between elements", text("text/xml"), "<o><i>1</i></o>", "<o>\n<i>1</i>\n</o>", []string{`notation /body/@xml {"o":{"i":[{"#text":"1"}]}} {"o":{"i":[{"#text":"1"}]}}`}},
		{"an attribute", text("text/xml"), `<o id="1"/>`, `<o id="2"/>`, []string{`changed /body/@xml/o/@id "1" "2"`}},
		{"a CSRF token", text("text/html"), `<form><input name="csrf" value="a"><p>x</p></form>`, `<form><input name="csrf" value="b"><p>x</p></form>`, []string{`changed /body/@html/input/csrf/@value "a" "b"`}},
		{"a paragraph", text("text/html"), `<p>a</p><p>b</p><p>c</p>`, `<p>a</p><p>B</p><p>c</p>`, []string{`changed /body/@html/p/1/#text "b" "B"`}},
		{"a pair", text("application/x-www-form-urlencoded"), "a=1&b=2", "b=3&a=1", []string{`changed /body/@form/b "2" "3"`}},
		{"an event", text("text/event-stream"), "data: {\"n\":1,\"k\":2}\n\n", "data: {\"n\":1,\"k\":3}\n\n", []string{`changed /body/@sse/0/data "{\"n\":1,\"k\":2}" "{\"n\":1,\"k\":3}"`, "changed /body/@sse/0/data/@json/k 2 3"}},
		{"bytes of one length", text("image/png"), "\x00a", "\x00b", nil},
		{"bytes of another length", text("image/png"), "\x00a", "\x00bc", []string{"changed /body/@binary/length 2 3"}},
		{"bytes of another type", text("image/png"), "\x89PNG\r\n\x1a\n\x00", "\xff\xd8\xffxxxx\x00\x00", []string{`changed /body/@binary/type "png" "jpeg"`}},
		{"a cookie's value", head, "Set-Cookie: sid=a; Path=/; Max-Age=60; HttpOnly|Set-Cookie: b=1", "Set-Cookie: b=1|Set-Cookie: sid=b; HttpOnly; path=/; Max-Age=61",
			[]string{`changed /header/set-cookie/@cookie/sid/value "a" "b"`, "changed /header/set-cookie/@cookie/sid/max-age 60 61"}},
		{"a cookie more", head, "Set-Cookie: a=1", "Set-Cookie: a=1|Set-Cookie: b=1", []string{`added /header/set-cookie/@cookie/b  {"value":"1"}`}},
		{"an attribute less", head, "Set-Cookie: a=1; Secure", "Set-Cookie: a=1", []string{"removed /header/set-cookie/@cookie/a/secure true"}},
		{"a charset", head, "Content-Type: text/html; charset=UTF-8", "Content-Type: text/html; charset=latin1", []string{`changed /header/content-type/@media/charset "utf-8" "latin1"`}},
		{"the case of a charset", head, "Content-Type: text/html; charset=UTF-8", "Content-Type: Text/HTML;charset=\"utf-8\"", []string{`notation /header/content-type/@media {"type":"text/html","charset":"utf-8"} {"type":"text/html","charset":"utf-8"}`}},
		{"a boundary", head, `Content-Type: multipart/mixed; boundary="a;b"`, `Content-Type: multipart/mixed; boundary=c`, []string{`changed /header/content-type/@media/boundary "a;b" "c"`}},
		{"a list in another order", head, "Allow: GET, POST", "Allow: POST,GET", []string{"reordered /header/allow/@members 2 2"}},
		{"a list in two fields", head, "Vary: a, b", "Vary: a|Vary: b", []string{`notation /header/vary/@members ["a","b"] ["a","b"]`}},
		{"a list that lost a member", head, "Allow: GET, POST", "Allow: GET", []string{"resized /header/allow/@members 2 1"}},
		{"links have commas", head, `Link: <a,b>; rel="x, y", <c>`, `Link: <c>, <a,b>; rel="x, y"`, []string{"reordered /header/link/@members 2 2"}},
		{"a header of no list", head, "X-A: GET, POST", "X-A: POST, GET", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, line := range lines(Responses(c.of(c.a), c.of(c.b))) {
				if strings.Contains(strings.Fields(line)[1], "/@") {
					got = append(got, line)
				}
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

// TestPartsLeaveWalk: what a client's JSON reader sees is what Walk tells.
func TestPartsLeaveWalk(t *testing.T) {
	r := answer("application/json", `{"p":"{\"a\":1}"}`)
	var got []string
	Walk(r, func(place exchange.Place, _ string) { got = append(got, string(place)) })
	if want := []string{"/status", "/header/content-type", "/body", "/body/p"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// written is a document with the places of its leaves, each of which holds a number of its own.
type written struct {
	places []string
	write  func(values []int) string
}

// drawXML draws an element that stands at a place.
func drawXML(t *rapid.T, place string, depth int) written {
	name := place[strings.LastIndexByte(place, '/')+1:]
	if strings.Trim(name, "0123456789") == "" { // an element of an array: its name is before it
		name = place[:strings.LastIndexByte(place, '/')]
		name = name[strings.LastIndexByte(name, '/')+1:]
	}
	var w written
	attrs := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"k", "l", "m"}), 0, 3, rapid.ID).Draw(t, "attributes")
	for _, a := range attrs {
		w.places = append(w.places, place+"/@"+a)
	}
	hasText := rapid.Bool().Draw(t, "text")
	if hasText {
		w.places = append(w.places, place+"/#text")
	}
	own := len(w.places)
	var kids []written
	if depth > 0 {
		seen := map[string]int{}
		for _, kid := range rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c:d"}), 0, 4).Draw(t, "children") {
			k := drawXML(t, fmt.Sprintf("%s/%s/%d", place, kid, seen[kid]), depth-1)
			seen[kid]++
			kids = append(kids, k)
			w.places = append(w.places, k.places...)
		}
	}
	w.write = func(values []int) string {
		var b strings.Builder
		b.WriteString("<" + name)
		for i, a := range attrs {
			fmt.Fprintf(&b, " %s=\"v%d\"", a, values[i])
		}
		b.WriteString(">")
		if hasText {
			fmt.Fprintf(&b, "t%d", values[own-1])
		}
		from := own
		for _, k := range kids {
			b.WriteString(k.write(values[from : from+len(k.places)]))
			from += len(k.places)
		}
		return b.String() + "</" + name + ">"
	}
	return w
}

// drawLines draws lines of JSON, a form or the claims of a token.
func drawLines(t *rapid.T) written {
	var w written
	n := rapid.IntRange(1, 5).Draw(t, "lines")
	for i := range n {
		w.places = append(w.places, fmt.Sprintf("/body/@ndjson/%d/id", i), fmt.Sprintf("/body/@ndjson/%d/v/0", i))
	}
	w.write = func(values []int) (s string) {
		for i := range n {
			s += fmt.Sprintf(`{"id":%d,"v":[%d]}`+"\n", values[2*i], values[2*i+1])
		}
		return s
	}
	return w
}

func drawForm(t *rapid.T) written {
	var w written
	for _, name := range rapid.SliceOfNDistinct(rapid.StringMatching(`[a-z/~*]{1,3}`), 1, 5, rapid.ID).Draw(t, "names") {
		w.places = append(w.places, string(exchange.Place("/body/@form").Key(name)))
	}
	w.write = func(values []int) string {
		var pairs []string
		for i, p := range w.places {
			segments := exchange.Place(p).Segments()
			pairs = append(pairs, fmt.Sprintf("%s=v%d", segments[len(segments)-1], values[i]))
		}
		return strings.Join(pairs, "&")
	}
	return w
}

// TestOneLeafDiffers changes one leaf of a document that was drawn, and wants that place and no other.
func TestOneLeafDiffers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		media := rapid.SampledFrom([]string{"text/xml", "application/x-ndjson", "application/x-www-form-urlencoded"}).Draw(t, "media")
		var w written
		switch media {
		case "text/xml":
			w = drawXML(t, "/body/@xml/root", 3)
		case "application/x-ndjson":
			w = drawLines(t)
		default:
			w = drawForm(t)
		}
		values := make([]int, len(w.places))
		for i := range values {
			values[i] = i
		}
		before := w.write(values)
		if ds := Responses(answer(media, before), answer(media, before)); len(ds) != 0 {
			t.Fatalf("an answer differs from itself: %q", lines(ds))
		}
		if len(w.places) == 0 {
			return
		}
		changed := rapid.IntRange(0, len(values)-1).Draw(t, "changed")
		values[changed] += 1000
		ds := Responses(answer(media, before), answer(media, w.write(values)))
		if len(ds) != 2 || ds[0].Place != exchange.PlaceBody || string(ds[1].Place) != w.places[changed] || ds[1].Kind != Changed {
			t.Fatalf("%s\nwant %s\ngot %q", before, w.places[changed], lines(ds))
		}
	})
}

// TestHostileParts: what is deep, wide or never ends is read in no more than its time, and what is too much has no parts.
func TestHostileParts(t *testing.T) {
	nested := `"x"`
	for range 12 {
		nested = quote(nested)
	}
	deep := `{"a":1}`
	for range 3 * MaxNested {
		deep = "[" + quote(deep) + "]"
	}
	n := 10_000
	for name, c := range map[string]struct{ media, a, b string }{
		"deep XML":          {"text/xml", strings.Repeat("<a>", n) + strings.Repeat("</a>", n), strings.Repeat("<a>", n) + "1" + strings.Repeat("</a>", n)},
		"wide XML":          {"text/xml", "<a>" + strings.Repeat("<b/>", 30*n) + "</a>", "<a>" + strings.Repeat("<c/>", 30*n) + "</a>"},
		"deep HTML":         {"text/html", strings.Repeat("<div>", n), strings.Repeat("<div>", n) + "x"},
		"HTML that crosses": {"text/html", strings.Repeat("<b><i>", n) + strings.Repeat("</b>x", n), strings.Repeat("<b><i>", n)},
		"nested texts":      {"application/json", nested, nested[:len(nested)-1] + ` "`},
		"JSON within JSON":  {"application/json", deep, strings.Replace(deep, "1", "2", 1)},
		"quotes":            {"text/plain", strings.Repeat(`"`, 30*n), strings.Repeat(`<`, 30*n)},
		"boundaries":        {"multipart/mixed; boundary=b", strings.Repeat("--b\n", 30*n), strings.Repeat("--b\n\n", 30*n)},
		"pairs":             {"application/x-www-form-urlencoded", strings.Repeat("a=1&", 30*n), strings.Repeat("a=2&", 30*n)},
		"events":            {"text/event-stream", strings.Repeat("data\n", 30*n), strings.Repeat("data\n\n", 30*n)},
		"long":              {"text/plain", "[" + strings.Repeat(" ", MaxText) + "]", "[" + strings.Repeat(" ", MaxText) + "1]"},
		"many differences":  {"application/x-ndjson", strings.Repeat("{\"a\":1}\n", 4*n), strings.Repeat("{\"a\":2}\n", 4*n)},
		"texts that differ": {"application/json", `["` + strings.Repeat(`[1]","`, 2*n) + `"]`, `["` + strings.Repeat(`[2]","`, 2*n) + `"]`},
	} {
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			ds := Responses(answer(c.media, c.a), answer(c.media, c.b))
			if len(ds) == 0 || len(ds) > MaxDifferences+1 {
				t.Errorf("%d differences", len(ds))
			}
			for _, d := range ds {
				if d.Kind == More && d.Place != exchange.PlaceBody {
					t.Errorf("more at %s", d.Place)
				}
				if d.Kind == More && !strings.Contains(c.a+quote(c.a), d.Before[1:len(d.Before)-1]) {
					t.Errorf("more than %.40q", d.Before)
				}
			}
			if strings.Count(string(ds[len(ds)-1].Place), "/@") > MaxNested {
				t.Errorf("too deep: %s", ds[len(ds)-1].Place)
			}
			Read(answer(c.media, c.a), nil).Parts(func(exchange.Place, string) {})
			if d := time.Since(start); d > 20*time.Second {
				t.Errorf("took %v", d)
			}
		})
	}
	header := strings.Repeat(`"\",<`, maxHeader/6)
	start := time.Now()
	for _, name := range []string{"Link", "Content-Type", "Set-Cookie", "X"} {
		if len(Responses(headed(name+": "+header), headed(name+": "+header+"x"))) == 0 {
			t.Error("no difference")
		}
	}
	if d := time.Since(start); d > 20*time.Second {
		t.Errorf("headers took %v", d)
	}
}

// FuzzParts: whatever is in two bodies of a type, they are read without a panic, equal bodies have no difference, and what
// differs is said of the text itself too.
func FuzzParts(f *testing.F) {
	for _, c := range [][3]string{
		{"text/xml", `<a x="1">b<![CDATA[c]]></a>`, `<a x="2"><b/></a>`},
		{"text/html", `<title>t</title><p>x<input name=n value=v>`, `<html><script>1</script>`},
		{"text/event-stream", "data: {\"a\":1}\n\n", "event: x\rdata: y\r\n"},
		{"multipart/form-data; boundary=b", "--b\r\nContent-Disposition: form-data; name=\"x\"\r\n\r\n1\r\n--b--", "--b\n\n--b"},
		{"application/x-ndjson", "{\"a\":1}\n[2]\n", "\x1e{\n"},
		{"application/x-www-form-urlencoded", "a=1&b=%20", "&&=%"},
		{"application/json", `{"p":"{\"a\":\"<b>1</b>\"}"}`, `{"p":"eyJhIjoxfQ=="}`},
		{"", jwt(`{"exp":1}`), jwt(`{"exp":2,"p":"[1]"}`)},
		{"image/png", "\x89PNG\r\n\x1a\n\x00", "\xff\xd8\xff"},
		{`text/plain; charset="a\"b`, "\xef\xbb\xbf<a>1</a>", "\xff\xfe<\x00"},
	} {
		f.Add(c[0], c[1], c[2])
	}
	f.Fuzz(func(t *testing.T, media, a, b string) {
		media = strings.Map(func(r rune) rune {
			if r < ' ' {
				return -1
			}
			return r
		}, media)
		x, y := answer(media, a), answer(media, b)
		if ds := Responses(x, answer(media, a)); len(ds) != 0 {
			t.Fatalf("an answer differs from itself: %q", lines(ds))
		}
		of := map[exchange.Place]bool{}
		for _, d := range Responses(x, y) {
			of[d.Place] = true
			if text, _, ok := d.Place.Text(); ok && !of[text] {
				t.Errorf("%s differs, and its text does not", d.Place)
			}
		}
		var walked, parts []string
		Walk(x, func(p exchange.Place, raw string) { walked = append(walked, string(p)+" "+raw) })
		Read(x, nil).Parts(func(p exchange.Place, raw string) {
			if _, ok := parse(raw); !ok {
				t.Errorf("%s has the token %q", p, raw)
			}
			parts = append(parts, string(p)+" "+raw)
		})
		for _, one := range walked {
			if !slices.Contains(parts, one) {
				t.Errorf("%s is not among the parts", one)
			}
		}
	})
}
