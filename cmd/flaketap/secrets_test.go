package main

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// plant is one secret, the only one of its text, by the way in which it gets into a recording.
type plant struct{ name, value string }

// planted are sent by the client below, but for those that the API makes up.
var planted = []plant{
	{"bearer", "zq01bearer-4f9d02"},
	{"key", "zq02/key+8c4e=="},
	{"cookie", "zq03cookie5d"},
	{"basic", "zq04 basic:pw"},
	{"multipart", "zq05multipart&pw"},
	{"xml", "zq06<xml>pw"},
	{"graphql", "zq07graphql\"pw"},
	{"text", "zq08text\\pw"},
	{"sig", "zq09/sig=="},
	{"amz", "zq10amz55aa"},
	{"userinfo", "zq11@userinfo/pw"},
	{"path", "zq12path4f9d02c7aa81"},
	{"form", "zq13form pw&é"},
	{"set-cookie", "zq14setcookie"},
	{"json", "zq15jsonpässword"},
	{"binary", "zq16binary"},
	{"named", "zq17tenant"},
	{"number", "9171717171718"},
	{"short", "zq19"},
	{"room", "zqroom-open-sesame"},
}

func secretOf(name string) string {
	for _, p := range planted {
		if p.name == name {
			return p.value
		}
	}
	panic("no secret is planted as " + name)
}

// gossip is an API that repeats whatever it is told, under harmless names, in headers, redirects, messages and keys.
func gossip() http.Handler {
	mux := http.NewServeMux()
	var asked atomic.Int64
	answer := func(w http.ResponseWriter, v any) {
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(v) //nolint:errcheck // the client is the test's own
	}
	mux.HandleFunc("/whoami", func(w http.ResponseWriter, r *http.Request) {
		key := r.Header.Get("X-Api-Key")
		w.Header().Set("X-Request-Echo", "you are "+key)
		w.Header().Set("Set-Cookie", "srv="+secretOf("set-cookie")+"; Path=/")
		answer(w, map[string]any{
			"seen": r.Header.Get("Authorization"), "id": key, "nonce": rand.Text(), "message": "hello " + key + " at " + rand.Text(),
			"list": []string{"a", key}, "by": map[string]int{key: 1}, "crumbs": r.Header.Get("Cookie"), "tenant": r.Header.Get("X-Tenant"),
			"sometimes": []any{key, nil}[asked.Add(1)%2],
		})
	})
	mux.HandleFunc("/login", func(w http.ResponseWriter, r *http.Request) {
		user, password, _ := r.BasicAuth()
		w.Header().Set("Content-Type", "text/plain")
		w.WriteHeader(http.StatusUnauthorized)
		fmt.Fprintf(w, "nobody is called %s with %s", user, password)
	})
	mux.HandleFunc("/echo", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		answer(w, map[string]any{"type": strings.Split(r.Header.Get("Content-Type"), ";")[0], "note": "got " + string(body)})
	})
	mux.HandleFunc("/parsed", func(w http.ResponseWriter, r *http.Request) {
		var in map[string]any
		dec := json.NewDecoder(r.Body)
		dec.UseNumber()
		dec.Decode(&in) //nolint:errcheck // the client is the test's own
		answer(w, map[string]any{"a": in["password"], "b": in["pin_token"], "c": fmt.Sprint("no such user: ", in["password"])})
	})
	mux.HandleFunc("/form", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, "<p>%s is no good</p>", html.EscapeString(r.PostFormValue("password")))
	})
	mux.HandleFunc("/signed", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Location", "/next?from="+url.QueryEscape(r.FormValue("sig"))+"&trace="+rand.Text())
		w.WriteHeader(http.StatusFound)
		fmt.Fprint(w, r.FormValue("X-Amz-Signature"))
	})
	mux.HandleFunc("/reset-password/", func(w http.ResponseWriter, r *http.Request) {
		answer(w, map[string]any{"message": "no " + strings.TrimPrefix(r.URL.Path, "/reset-password/"), "at": rand.Text(), "id": "r" + rand.Text()})
	})
	mux.HandleFunc("/room/", func(w http.ResponseWriter, r *http.Request) {
		answer(w, map[string]any{"id": "r" + rand.Text(), "link": r.URL.Path})
	})
	return mux
}

// gossipClient sends the secrets, which the file secrets.txt lists as JSON.
const gossipClient = `
import base64, gzip, http.client, json, os, urllib.parse
s = json.load(open("planted.json"))
url = urllib.parse.urlsplit(os.environ["FLAKETAP_URL"])
q = lambda v: urllib.parse.quote(v, safe="")

def send(method, target, body=None, **headers):
    c = http.client.HTTPConnection(url.hostname, url.port)
    c.request(method, target, body, {k.replace("_", "-"): v for k, v in headers.items()})
    body = c.getresponse().read()
    c.close()
    return body

send("GET", "/whoami", Authorization="Bearer " + s["bearer"], X_Api_Key=s["key"], Cookie="sid=" + s["cookie"] + "; theme=dark", X_Tenant=s["named"])
send("GET", "/login", Authorization="Basic " + base64.b64encode(("ann:" + s["basic"]).encode()).decode())
part = '--b\r\nContent-Disposition: form-data; name="%s"\r\n\r\n%s\r\n'
send("POST", "/echo", part % ("password", s["multipart"]) + part % ("user", "ann") + part % ("passphrase", s["short"]) + "--b--\r\n", Content_Type="multipart/form-data; boundary=b")
send("POST", "/echo", (part % ("password", s["binary"])).encode() + b"\xff\xfe\x00--b--\r\n", Content_Type="multipart/form-data; boundary=b")
send("POST", "/echo", gzip.compress(json.dumps({"password": s["binary"]}).encode()), Content_Type="application/json", Content_Encoding="gzip")
send("POST", "/echo", "<login><user>ann</user><password>" + s["xml"].replace("<", "&lt;").replace(">", "&gt;") + "</password></login>", Content_Type="application/xml")
send("POST", "/echo", json.dumps({"query": "mutation { login(user: \"ann\", password: " + json.dumps(s["graphql"]) + ") { id } }"}), Content_Type="application/json")
send("POST", "/echo", json.dumps({"password": s["text"]}), Content_Type="text/plain")
send("POST", "/echo", json.dumps({"webhook": "https://bob:" + q(s["userinfo"]) + "@example.com/x"}), Content_Type="application/json")
send("POST", "/parsed", json.dumps({"password": s["json"], "pin_token": int(s["number"])}), Content_Type="application/json")
send("POST", "/form", "user=ann&password=" + q(s["form"]), Content_Type="application/x-www-form-urlencoded")
send("GET", "/signed?sig=" + q(s["sig"]) + "&X-Amz-Signature=" + s["amz"])
answer = json.loads(send("GET", "/reset-password/" + s["path"]))
send("GET", "/echo?id=" + answer["id"])
answer = json.loads(send("POST", "/room/" + s["room"], X_Auth_Token=s["room"]))
send("GET", "/echo?id=" + answer["id"])
send("GET", "/echo?again=" + q(s["sig"]))
`

// gossipSuite is what a fuzzer would have written, and what did not come true.
const gossipSuite = `import unittest
import requests
class T(unittest.TestCase):
    def test_0(self):
        headers = {}
        res_0 = requests.get(self.baseUrlOfSut + "/whoami", headers=headers)
        assert res_0.status_code == 200
        assert res_0.json()["message"] == "hello"
        assert res_0.json()["seen"] == "nothing"
        assert res_0.json()["id"] == "7"
`

// newGossipBench returns a bench with the client of gossip and further files, and the URL of a gossip that it talks to.
func newGossipBench(t *testing.T, files map[string]string) (b *bench, api string) {
	t.Helper()
	s := httptest.NewServer(gossip())
	t.Cleanup(s.Close)
	b = newFuzzBench(t)
	values := map[string]string{}
	for _, p := range planted {
		values[p.name] = p.value
	}
	list, err := json.Marshal(values)
	if err != nil {
		t.Fatal(err)
	}
	files["planted.json"], files["client.py"] = string(list), gossipClient
	for name, text := range files {
		path := filepath.Join(b.dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return b, s.URL
}

// TestSecretsStayIn plants secrets in every way in which an API is told one, has the API repeat them, and wants to find
// none of them in anything that flaketap writes but secrets.json; and the suite that it writes to pass all the same.
func TestSecretsStayIn(t *testing.T) {
	b, api := newGossipBench(t, map[string]string{
		"fuzz/EvoMaster_Test.py": gossipSuite, "flaketap.yaml": "log-level: debug\nsecrets: [X-Tenant, /body/tenant]\n",
		"revealed.xml": gossipResults(),
	})
	said := b.must("flaketap record --listen 127.0.0.1:0 --target " + api + " -- python client.py")
	said += b.must("flaketap replay --runs 4")
	for _, line := range []string{
		"flaketap map --all --out map.json", "flaketap report --out report.html", "flaketap report --format text",
		"flaketap export --out out.har", "flaketap suite --out relax", "flaketap suite --mode comment --out comment",
		"flaketap suite --mode exact --out exact", "flaketap patch --out patched fuzz", "flaketap patch --mode comment --out patched2 fuzz",
		"flaketap patch --diff fuzz", "flaketap export --reveal --out revealed.har", "flaketap map --all --reveal --out revealed.json",
		"flaketap why test_0 --suite fuzz", "flaketap why test_0 --results revealed.xml --suite fuzz --format json", "flaketap why --results revealed.xml",
	} {
		said += b.must(line)
	}
	noSecret(t, "what was printed", said)
	wrote := 0
	err := filepath.WalkDir(b.dir, func(path string, d fs.DirEntry, err error) error {
		name := d.Name()
		if err != nil || !d.Type().IsRegular() || name == "planted.json" || strings.HasPrefix(name, "flaketap.") || strings.HasPrefix(name, "revealed.") {
			return err
		}
		data, err := os.ReadFile(path)
		if name == "secrets.json" {
			if info, err := d.Info(); err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("%s: %v, %v", path, info.Mode(), err)
			}
			return err
		}
		wrote++
		noSecret(t, path, string(data))
		return err
	})
	if err != nil || wrote < 20 {
		t.Errorf("%d files: %v", wrote, err)
	}
	revealed := b.must("cat revealed.har revealed.json")
	for _, name := range []string{"bearer", "cookie", "amz", "path", "binary", "named"} {
		if !strings.Contains(revealed, secretOf(name)) {
			t.Errorf("--reveal hides %q", secretOf(name))
		}
	}
	for _, dir := range []string{"relax", "comment"} {
		// With all plugins that are there, as its users run it.
		b.must("python -m pytest -q --assert=plain -p no:cacheprovider "+dir, "FLAKETAP_URL="+api, "PYTEST_DISABLE_PLUGIN_AUTOLOAD=")
	}
	asserts := b.must("cat relax/test_*.py")
	if n := len(regexp.MustCompile(`(assert |like\().*secret\(`).FindAllString(asserts, -1)); n < 8 {
		t.Errorf("%d assertions on what the API repeats", n)
	}
}

// gossipResults are those of a runner that shows whatever a test has seen, but for a secret that is too short to be known
// where nothing says that it is one.
func gossipResults() string {
	out := `<testsuite name="EvoMaster_Test" timestamp="` + time.Now().UTC().Format(time.RFC3339) + `" time="600">`
	for i, p := range planted {
		if p.name == "short" {
			continue
		}
		text := html.EscapeString("assert " + p.value + " == '" + p.value + "'")
		out += fmt.Sprintf(`<testcase classname="EvoMaster_Test.T" name="test_%d" time="1"><failure message="%s">%s</failure></testcase>`, i, text, text)
	}
	return out + "</testsuite>"
}

// noSecret wants none of the secrets in a text, in none of the ways in which it may be written.
func noSecret(t *testing.T, where, text string) {
	t.Helper()
	for _, p := range planted {
		quoted, err := json.Marshal(p.value)
		if err != nil {
			t.Fatal(err)
		}
		for _, as := range []string{p.value, url.QueryEscape(p.value), url.PathEscape(p.value), html.EscapeString(p.value),
			strings.Trim(string(quoted), `"`), base64.StdEncoding.EncodeToString([]byte(p.value)), base64.StdEncoding.EncodeToString([]byte("ann:" + p.value))} {
			if i := strings.Index(text, as); i >= 0 {
				t.Errorf("%s has the secret of %s, as %s:\n%.200s", where, p.name, as, text[max(0, i-80):])
				break
			}
		}
		if i := strings.Index(text, p.value[:4]); i >= 0 && p.name != "number" {
			t.Errorf("%s has a part of the secret of %s:\n%.200s", where, p.name, text[max(0, i-80):])
		}
	}
}
