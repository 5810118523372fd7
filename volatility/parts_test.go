package volatility

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

func base64url(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) }

func plainText(format string, args ...any) answer {
	return answer{head: "Content-Type: text/plain\r\n", body: fmt.Sprintf(format, args...)}
}

// TestParts: a text is judged as a whole, and says why where its parts know.
func TestParts(t *testing.T) {
	type want struct {
		judgement mapfile.Judgement
		category  mapfile.Category
	}
	for _, c := range []struct {
		name   string
		answer func(c call) answer
		want   map[exchange.Place]want
		parts  bool // the text, the first of want, has the evidence
		text   exchange.Place
	}{
		{"a token", func(c call) answer {
			return body(`{"t":"%s.%s.%s"}`, base64url(`{"alg":"HS256"}`), base64url(fmt.Sprintf(`{"sub":"ann","iat":%d}`, c.at.Unix())), sha(uuid(c))[:20])
		}, map[exchange.Place]want{"/body/t": {mapfile.Jitter, mapfile.Crypt}, "/body/t/@jwt/claims/iat": {mapfile.Jitter, mapfile.Time}, "/body/t/@jwt/claims/sub": {mapfile.Stable, ""}}, true, "/body/t"},
		{"XML", func(c call) answer {
			return answer{head: "Content-Type: text/xml\r\n", body: fmt.Sprintf(`<order><id>7</id><made>%s</made></order>`, c.at.Format("2006-01-02T15:04:05Z"))}
		}, map[exchange.Place]want{"/body": {mapfile.Jitter, mapfile.Time}, "/body/@xml/order/made/*/#text": {mapfile.Jitter, mapfile.Time}, "/body/@xml/order/id/*/#text": {mapfile.Stable, ""}}, true, "/body"},
		{"elements in another order", func(c call) answer {
			names := []string{"ann smith", "bob", "cat", "dan"}
			c.rng.Shuffle(4, func(i, j int) { names[i], names[j] = names[j], names[i] })
			return answer{head: "Content-Type: text/xml\r\n", body: "<l><i>" + strings.Join(names, "</i>\n<i>") + "</i></l>"}
		}, map[exchange.Place]want{"/body": {mapfile.Jitter, mapfile.Unord}, "/body/@xml/l/i": {mapfile.Jitter, mapfile.Unord}}, true, "/body"},
		{"what is neither here nor there", func(c call) answer {
			return answer{head: "Content-Type: text/html\r\n", body: fmt.Sprintf(`<p>stays</p><!-- %s -->`, uuid(c))}
		}, map[exchange.Place]want{"/body": {mapfile.Jitter, mapfile.Rand}, "/body/@html/p/*/#text": {mapfile.Stable, ""}}, false, "/body"},
		{"a list of methods", func(c call) answer {
			methods := []string{"GET", "HEAD", "OPTIONS", "POST"}
			c.rng.Shuffle(4, func(i, j int) { methods[i], methods[j] = methods[j], methods[i] })
			return answer{head: "Allow: " + strings.Join(methods, ", ") + "\r\n", body: "{}"}
		}, map[exchange.Place]want{"/header/allow": {mapfile.Jitter, mapfile.Unord}, "/header/allow/@members": {mapfile.Jitter, mapfile.Unord}}, true, "/header/allow"},
		{"a page with a token of its form", func(c call) answer {
			return answer{head: "Content-Type: text/html\r\n", body: fmt.Sprintf(`<form><input name="csrf" value="%s"><input name="q" value="x"></form>`, sha(uuid(c)))}
		}, map[exchange.Place]want{"/body": {mapfile.Jitter, mapfile.Crypt}, "/body/@html/input/csrf/@value": {mapfile.Jitter, mapfile.Crypt}, "/body/@html/input/q/@value": {mapfile.Stable, ""}}, true, "/body"},
		{"bytes", func(c call) answer {
			return answer{head: "Content-Type: image/png\r\n", body: "\x89PNG\r\n\x1a\n\x00" + sha(uuid(c))}
		}, map[exchange.Place]want{"/body/@binary/length": {mapfile.Stable, ""}, "/body/@binary/type": {mapfile.Stable, ""}}, false, "/body"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := (&api{runs: 6, steps: 4, start: exchange.StartReset, answer: c.answer}).judge(t)
			for place, want := range c.want {
				if f := field(t, m, place); f.Judgement != want.judgement || f.Category != want.category {
					t.Errorf("%s: %s %s, want %v; %q", place, f.Judgement, f.Category, want, f.Evidence)
				}
			}
			f := field(t, m, c.text)
			if got := slices.Contains(f.Evidence, "parts"); got != c.parts || !f.Volatile() {
				t.Errorf("%s: %s, evidence %q", c.text, f.Judgement, f.Evidence)
			}
			weight := 0.0
			for _, e := range f.Explanations {
				weight += e.Weight
			}
			if f.Explanations[0].Category != f.Category || weight < 0.97 || weight > 1.03 {
				t.Errorf("explanations %+v of %s", f.Explanations, f.Category)
			}
			for _, o := range m.Operations {
				for _, f := range o.Fields {
					if strings.Contains(string(f.Place), "/@") && !f.Apart() {
						t.Errorf("%s is counted", f.Place)
					}
				}
			}
		})
	}
}

// TestPartsWouldMove: what a part's value says will move it moves the text as well, though no run did.
func TestPartsWouldMove(t *testing.T) {
	a := &api{steps: 4, answer: func(c call) answer {
		return body(`{"p":"{\"made\":%d,\"n\":1}","t":"%s.%s.c2lnbmF0dXJl","q":"{\"n\":1}"}`, c.at.Unix(), base64url(`{"alg":"HS256"}`),
			base64url(fmt.Sprintf(`{"sub":"ann","iat":%d}`, c.at.Unix())))
	}}
	m := a.judge(t)
	for place, want := range map[exchange.Place]mapfile.Category{"/body/p": mapfile.Time, "/body/t": mapfile.Crypt} {
		if f := field(t, m, place); f.Judgement != mapfile.WouldMove || f.Category != want || !slices.Contains(f.Evidence, "parts") || f.Holds.Equal != nil {
			t.Errorf("%+v", f)
		}
	}
	if f := field(t, m, "/body/q"); f.Volatile() || f.Holds.Equal == nil {
		t.Errorf("%+v", f)
	}
	if m.Summary.WouldMove != 2 {
		t.Errorf("summary %+v", m.Summary)
	}
}

// TestReason: the reason phrase is judged, and counted in no figure.
func TestReason(t *testing.T) {
	a := &api{runs: 3, steps: 2, answer: func(c call) answer { return plainText("ok") }}
	m := a.judge(t)
	if f := field(t, m, exchange.PlaceReason); f.Judgement != mapfile.Stable || !f.Apart() {
		t.Errorf("%+v", f)
	}
}

// TestPartsOfSecrets: no part of a secret is in a map, nor is a secret that a text holds in another coding; names are.
func TestPartsOfSecrets(t *testing.T) {
	const secret = "hunter2-of-ann"
	var known exchange.Secrets
	known.Note("kn0wn-elsewhere")
	told := []string{secret, base64url(secret)[:8], "kn0wn-elsewhere", "ann@example.com", "c1aims", "s3ss10n", "v4lue"}
	a := &api{runs: 4, steps: 4, start: exchange.StartReset, answer: func(c call) answer {
		nonce := sha(uuid(c))[:12]
		return answer{
			head: "Set-Cookie: sid=s3ss10n" + nonce + "; Path=/app; Expires=" + c.at.Format("Mon, 02 Jan 2006 15:04:05 GMT") + "\r\n",
			body: fmt.Sprintf(`{"data":"%s.%s.c2ln%s","blob":%q,"note":%q,"credentials":"{\"user\":\"v4lue%s\"}","form":"<f><login session=\"s3ss10n%s\" sid=\"v4lue\" name=\"open\"/></f>","harmless":%q}`,
				base64url(`{"alg":"HS256"}`), base64url(`{"email":"ann@example.com","n":"c1aims`+nonce+`"}`), nonce,
				base64url(`{"password":"`+secret+`","n":"`+nonce+`"}`), base64url("it is kn0wn-elsewhere and "+nonce), nonce, nonce, base64url(`{"page":"`+nonce+`"}`)),
		}
	}}
	a.options.Redactor = exchange.Redactor{Known: known.Known()}
	m := a.judge(t)
	var out bytes.Buffer
	if err := m.Encode(&out, mapfile.EncodeOptions{All: true}); err != nil {
		t.Fatal(err)
	}
	for _, s := range told {
		for _, spelled := range []string{s, base64url(s)[:len(s)*4/3-1]} {
			if strings.Contains(out.String(), spelled) {
				t.Errorf("the map tells %q", spelled)
			}
		}
	}
	for place, shown := range map[exchange.Place]string{
		"/header/set-cookie/@cookie/sid/path":    `"/app"`,
		"/header/set-cookie/@cookie/sid/expires": `"Thu, 29 Jan 2026 05:15:09 GMT"`,
		"/body/form/@xml/f/login/*/@name":        `"open"`,
	} {
		if f := field(t, m, place); len(f.Samples) == 0 || string(f.Samples[0]) != shown {
			t.Errorf("%s: %s", place, f.Samples)
		}
	}
	for _, place := range []exchange.Place{"/body/data", "/body/data/@jwt/claims/email", "/body/data/@jwt/signature", "/body/blob", "/body/blob/@base64/password",
		"/body/credentials/@json/user", "/body/form/@xml/f/login/*/@session", "/body/form/@xml/f/login/*/@sid", "/header/set-cookie/@cookie/sid/value"} {
		for _, s := range field(t, m, place).Samples {
			if !strings.HasPrefix(string(s), `"secret:`) {
				t.Errorf("%s shows %s", place, s)
			}
		}
	}
	if f := field(t, m, "/body/harmless"); strings.HasPrefix(string(f.Samples[0]), `"secret:`) {
		t.Error("what is no secret is not shown")
	}
}

// TestListsInMessages: a list within a message that comes in another order is order, whatever quotes its members; with
// something else that varies, it is that.
func TestListsInMessages(t *testing.T) {
	names := []string{"name", "e-mail", "zip_code", "country"}
	for _, quote := range []string{"", `\"`, "'"} {
		a := &api{runs: 6, steps: 4, start: exchange.StartReset, answer: func(c call) answer {
			list := slices.Clone(names)
			c.rng.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
			known := quote + strings.Join(list, quote+", "+quote) + quote
			return body(`{"order":"Unrecognized field (4 known properties: %s])","more":"Unrecognized field (4 known properties: %s]) at Reader@%s"}`,
				known, known, sha(uuid(c))[:8])
		}}
		m := a.judge(t)
		if f := field(t, m, "/body/order"); f.Category != mapfile.Unord {
			t.Errorf("quoted by %q: %s %q", quote, f.Category, f.Evidence)
		}
		if f := field(t, m, "/body/more"); f.Category != mapfile.RunMsg {
			t.Errorf("quoted by %q: %s %q", quote, f.Category, f.Evidence)
		}
	}
}
