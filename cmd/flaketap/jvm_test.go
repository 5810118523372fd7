package main

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/testbed/needs"
	"github.com/flaketap/flaketap/suite"
)

// The commands of the JDK, for programs that end within seconds: what makes code the faster for those that run for long would
// take most of their time.
const (
	quickJava  = "java -XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
	quickJavac = "javac -J-XX:TieredStopAtLevel=1 -J-XX:+UseSerialGC -proc:none"
)

// quick is such a command with arguments.
func quick(command string, args ...string) *exec.Cmd {
	words := append(strings.Fields(command), args...)
	return exec.Command(words[0], words[1:]...)
}

// kotlinCompiler is the command that compiles Kotlin, with libraries in a folder.
func kotlinCompiler(jars string) string {
	each, _ := filepath.Glob(jars + "/*.jar")
	return quickJava + " -cp '" + jars + "/*' org.jetbrains.kotlin.cli.jvm.K2JVMCompiler -no-stdlib -no-reflect -nowarn -cp '" +
		strings.Join(each, ":") + "'"
}

// junit is the command of the script of [bench.junit], with {} in the place of the folder.
const junit = "sh junit.sh {}"

// junit writes a script that runs the tests in a folder of the bench by JUnit; a second argument names another folder for the
// results than reports in that one. The script compiles sources, files in the folder, where it has not compiled the same
// before.
func (b *bench) junit(jars, compile, sources string, flags ...string) {
	b.t.Helper()
	b.write("junit.sh", []byte(`reports=$(realpath -m "${2:-$1/reports}") && cd "$1" && rm -rf "$reports" &&
	classes=`+b.dir+`/compiled/$(cat `+sources+` | sha1sum | cut -c 1-40) &&
	{ test -e $classes/done || { `+compile+` -d $classes `+sources+` && touch $classes/done; }; } &&
	exec `+quickJava+` -cp "$classes:`+jars+`/*" org.junit.platform.console.ConsoleLauncher execute `+strings.Join(flags, " ")+
		` --scan-classpath=$classes --details=none --reports-dir="$reports"
`))
}

// jvmTools is what compiles and runs suites of the JVM.
type jvmTools struct {
	t       *testing.T
	jars    string // a class path
	classes string // the stand-ins for the generator's helpers
}

func newJVMTools(t *testing.T) *jvmTools {
	t.Helper()
	lib, there := toolsDir(t, "java")
	jars, _ := filepath.Glob(filepath.Join(lib, "*.jar"))
	joined := strings.Join(jars, string(os.PathListSeparator))
	needs.That(t, "a JDK", found("javac") && found("java"))
	needs.That(t, "REST-assured, JUnit and Kotlin's compiler (make tools)", there && strings.Contains(joined, "rest-assured") &&
		strings.Contains(joined, "junit-platform-console-standalone") && strings.Contains(joined, "kotlin-compiler-embeddable"))
	tools := &jvmTools{t: t, jars: joined, classes: t.TempDir()}
	var sources []string
	err := filepath.WalkDir(filepath.Join("testdata", "jvm"), func(path string, _ os.DirEntry, err error) error {
		if strings.HasSuffix(path, ".java") {
			sources = append(sources, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	tools.javac(tools.classes, sources...)
	return tools
}

// path is the class path with further folders.
func (j *jvmTools) path(more ...string) string {
	return strings.Join(append(append([]string{j.classes}, more...), j.jars), string(os.PathListSeparator))
}

func (j *jvmTools) javac(to string, sources ...string) {
	j.t.Helper()
	args := append([]string{"-nowarn", "--release", "8", "-Xlint:-options", "-cp", j.path(), "-d", to}, sources...)
	if out, err := quick(quickJavac, args...).CombinedOutput(); err != nil {
		j.t.Fatalf("javac: %v\n%s", err, out)
	}
}

func (j *jvmTools) kotlinc(to string, sources ...string) {
	j.t.Helper()
	args := append([]string{"-cp", j.path(), "org.jetbrains.kotlin.cli.jvm.K2JVMCompiler",
		"-no-stdlib", "-no-reflect", "-nowarn", "-cp", j.path(), "-d", to}, sources...)
	if out, err := quick(quickJava, args...).CombinedOutput(); err != nil {
		j.t.Fatalf("kotlinc: %v\n%s", err, out)
	}
}

// write writes a file of a folder and returns its path.
func putFile(t *testing.T, dir, name string, data []byte) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// wireReply is what the stub answers: a status, a media type, "" for none, and a body.
type wireReply struct {
	status     int
	mediaType  string
	body       string
	otherField string // of a header X-A, "" for none
}

func (r wireReply) response() *exchange.Response {
	head := fmt.Sprintf("HTTP/1.1 %d X\r\n", r.status)
	if r.mediaType != "" {
		head += "Content-Type: " + r.mediaType + "\r\n"
	}
	if r.otherField != "" {
		head += "X-A: " + r.otherField + "\r\n"
	}
	return exchange.ParseResponse(exchange.Message{Head: []byte(head + "\r\n"), Body: []byte(r.body), Plain: true})
}

// linkCase is a chain's links, the answers that were seen of its call, and answers that the weakened links still refuse.
type linkCase struct {
	name  string
	links []string
	seen  []wireReply
	bad   []wireReply
}

const jsonMedia = "application/json"

func jsonReplies(bodies ...string) []wireReply {
	out := make([]wireReply, len(bodies))
	for i, b := range bodies {
		out[i] = wireReply{status: 200, mediaType: jsonMedia, body: b}
	}
	return out
}

func linkCases() []linkCase {
	html := wireReply{status: 404, mediaType: "text/html", body: "<html><body><p>no</body></html>"}
	none := wireReply{status: 404}
	token := func(header string, second, lifetime int) wireReply {
		return jsonReplies(`{"t":"` + webToken(header, second, lifetime) + `"}`)[0]
	}
	broken := wireReply{status: 500, mediaType: jsonMedia, body: "oops"}
	on := func(link string) []string { return []string{link} }
	with := func(status int, links ...string) []string {
		return append([]string{fmt.Sprintf(".statusCode(%d)", status), ".assertThat()"}, links...)
	}
	return []linkCase{
		{"numbers", on(`.body("'a'", numberMatches(1))`), jsonReplies(`{"a":1}`, `{"a":5000000000}`, `{"a":90071992547409930000}`), jsonReplies(`{"a":"1"}`, `{"a":1.5}`, `{}`)},
		{"fractions", on(`.body("'a'", numberMatches(1.5))`), jsonReplies(`{"a":1.5}`, `{"a":2.25}`, `{"a":1e400}`), jsonReplies(`{"a":"1"}`, `{"a":null}`)},
		{"numbers and null", on(`.body("'a'", numberMatches(1.0))`), jsonReplies(`{"a":2}`, `{"a":null}`), jsonReplies(`{"a":"x"}`)},
		{"infinity", on(`.body("'a'", numberMatches(Infinity))`), jsonReplies(`{"a":1e500}`), jsonReplies(`{"a":1}`)},
		{"text", on(`.body("'a'", containsString("x"))`), jsonReplies(`{"a":"yy"}`, `{"a":"x"}`), jsonReplies(`{"a":1}`, `{"a":["x"]}`)},
		{"time", on(`.body("'a'", containsString("2026-01-29T05:15:09.630739123Z"))`), jsonReplies(`{"a":"2026-01-29T05:15:10.1Z"}`), jsonReplies(`{"a":"today"}`)},
		{"types", on(`.body("'a'", equalTo(true))`), jsonReplies(`{"a":"x"}`, `{"a":{}}`, `{"a":false}`), jsonReplies(`{"a":1}`, `{"a":[]}`)},
		{"missing members", on(`.body("'a'.'b'", containsString("x"))`), jsonReplies(`{"a":{"b":"x"}}`, `{"a":{}}`), jsonReplies(`{"a":{"b":"y"}}`)},
		{"other parents", on(`.body("'a'.'b'", containsString("x"))`), jsonReplies(`{"a":{"b":"x"}}`, `{"a":null}`, `{"a":[1]}`, `{"a":"s"}`), jsonReplies(`{"a":{"b":"y"}}`, `{"a":{"b":null}}`)},
		{"short lists", on(`.body("[1].'b'", containsString("x"))`), jsonReplies(`[{"b":1},{"b":"x"}]`, `[]`), jsonReplies(`[1,{"b":"y"}]`)},
		{"null", on(`.body("'a'.'b'[3].'c'", nullValue())`), jsonReplies(`{"a":null}`, `{}`, `{"a":{"b":[1]}}`), jsonReplies(`{"a":{"b":[1,2,3,{"c":4}]}}`)},
		{"lengths", on(`.body("'a'.size()", equalTo(2))`), jsonReplies(`{"a":[1,2]}`, `{}`), jsonReplies(`{"a":[1]}`)},
		{"length of the root", on(`.body("size()", equalTo(2))`), jsonReplies(`[1,2]`, `[]`), jsonReplies(`{}`)},
		{"empty object", on(`.body("'a'.isEmpty()", is(true))`), jsonReplies(`{"a":{}}`, `{"a":{"b":1}}`), jsonReplies(`{"a":[]}`)},
		{"items", on(`.body("'l'", hasItems("a", "b", "c"))`), jsonReplies(`{"l":["c","b","a"]}`, `{"l":["a","c"]}`), jsonReplies(`{"l":["a"]}`)},
		{"lists in order", on(`.body("'l'", contains("b", "a"))`), jsonReplies(`{"l":["b","a"]}`), jsonReplies(`{"l":["a","b"]}`, `{"l":["b","a","a"]}`)},
		{"lists in any order", on(`.body("'l'", contains("b", "a"))`), jsonReplies(`{"l":["b","a"]}`, `{"l":["a","b"]}`), jsonReplies(`{"l":["a","c"]}`, `{"l":["b","a","a"]}`)},
		{"lists of numbers", on(`.body("'l'", containsInAnyOrder(1, 2))`), jsonReplies(`{"l":[2,3]}`, `{"l":[2]}`), jsonReplies(`{"l":[1]}`, `{"l":[]}`)},
		{"lists of large numbers", on(`.body("'l'", contains(numberMatches(1), numberMatches(5000000000L)))`), jsonReplies(`{"l":[5000000000,1]}`, `{"l":[1,5000000000]}`), jsonReplies(`{"l":[1]}`, `{"l":[1,2]}`)},
		{"truths", on(`.body("'l'", contains(true, false))`), jsonReplies(`{"l":[false,true]}`, `{"l":[true,false]}`), jsonReplies(`{"l":[true,true]}`)},
		{"no array of Java's", on(`.body("'l'", arrayContaining("b", "a"))`), jsonReplies(`{"l":["b","a"]}`), jsonReplies(`{"l":["a","b"]}`)},
		{"sizes", on(`.body("'l'", hasSize(2))`), jsonReplies(`{"l":[1,2]}`), jsonReplies(`{"l":[]}`, `{}`)},
		{"members of elements", on(`.body("l.id", contains(2, 1))`), jsonReplies(`{"l":[{"id":1},{"id":2}]}`, `{"l":[{"id":2},{"id":1}]}`), jsonReplies(`{"l":[{"id":1}]}`, `{"l":[{"id":1},{"id":2},{}]}`)},
		{"members of some elements", on(`.body("id", hasItems(2, 1))`), jsonReplies(`[{"id":1},{"id":2},{}]`, `[{"id":2},{}]`), jsonReplies(`[{"id":1}]`, `[]`)},
		{"members of elements as they are", on(`.body("l.id", hasItem(2))`), jsonReplies(`{"l":[{},{"id":2}]}`), jsonReplies(`{"l":[{},{"id":1}]}`)},
		{"odd names", on(`.body("'it\\'s \"a\\\\b\"'.'$c'", containsString("x"))`), jsonReplies(`{"it's \"a\\b\"":{"$c":"y"}}`), jsonReplies(`{"it's \"a\\b\"":{"$c":7}}`)},
		{"a piece of the text", on(`.body(containsString("made at 10:12 by bob"))`), jsonReplies(`"made at 10:13 by bob"`), jsonReplies(`"by bob"`)},
		{"any text", on(`.body(containsString("abc"))`), jsonReplies(`"xyz"`), []wireReply{{status: 200}}},
		{"status", on(`.statusCode(204)`), []wireReply{{status: 404}, {status: 204}}, []wireReply{{status: 500}}},
		{"media type", on(`.contentType("application/json")`), []wireReply{{200, jsonMedia, "{}", ""}, {200, "text/html;charset=x", "", ""}}, []wireReply{{200, "text/csv", "", ""}}},
		{"no media type", on(`.contentType("application/json")`), []wireReply{{200, jsonMedia, "{}", ""}, {status: 200}}, []wireReply{{200, "text/csv", "", ""}}},
		{"headers", on(`.header("X-A", "b")`), []wireReply{{200, "", "", "b"}, {200, "", "", ""}}, []wireReply{{200, "", "", "c"}}},
		{"another status", with(200, `.contentType("application/json")`, `.body("'a'", containsString("x"))`, `.body("'n'", nullValue())`, `.body("'l'.size()", equalTo(1))`),
			[]wireReply{{200, jsonMedia, `{"a":"x","l":[1]}`, ""}, html, none, broken},
			[]wireReply{{200, jsonMedia, `{"a":"y","l":[1]}`, ""}, {200, jsonMedia, `{"a":"x","n":1,"l":[1]}`, ""}, {200, jsonMedia, `{"a":"x","l":[]}`, ""}, {200, "text/html", "", ""}, {status: 403}}},
		{"another status and value", with(200, `.body("'a'", numberMatches(3))`), []wireReply{none, {200, jsonMedia, `{"a":4}`, ""}, {200, jsonMedia, `{}`, ""}, html},
			[]wireReply{{200, jsonMedia, `{"a":"x"}`, ""}}},
		{"empty with its status", with(204, `.body(isEmptyOrNullString())`), []wireReply{{status: 204}, html}, []wireReply{{status: 500}}},
		{"tokens", on(`.body("'t'", containsString("` + webToken(hs256, 1, 60) + `"))`), []wireReply{token(hs256, 100, 60), token(hs256, 5000000000, 60)},
			[]wireReply{token(hs256, 300, 61), token(`{"alg":"none","typ":"JWT"}`, 300, 60), token(`{"alg":"HS256"}`, 300, 60),
				jsonReplies(`{"t":"www.example.com"}`)[0], jsonReplies(`{"t":null}`)[0], jsonReplies(`{}`)[0], jsonReplies(`{"t":"bm90IGFuIG9iamVjdA.bm90IEpTT04.c2ln"}`)[0]}},
		{"tokens that come and go", on(`.body("'u'.'t'", containsString("` + webToken(hs256, 1, 60) + `"))`),
			jsonReplies(`{"u":{"t":"`+webToken(hs256, 100, 60)+`"}}`, `{"u":{}}`, `{"u":{"t":"`+webToken(hs256, 200, 60)+`"}}`, `{"u":null}`),
			jsonReplies(`{"u":{"t":"`+webToken(hs256, 100, 61)+`"}}`, `{"u":{"t":"x"}}`, `{"u":{"t":7}}`)},
		{"nothing left", on(`.header("X-A", isEmptyOrNullString())`), []wireReply{{200, "", "", "b"}}, nil},
	}
}

// hs256 is the header of most tokens.
const hs256 = `{"alg":"HS256","typ":"JWT"}`

// webToken is a JSON web token, made at a second, which has another claim than most names can say.
func webToken(header string, second, lifetime int) string {
	encode := base64.RawURLEncoding.EncodeToString
	return encode([]byte(header)) + "." + encode(fmt.Appendf(nil, `{"iss":"shop","it's \"\\$a\"":"é","class":7,"iat":%d,"exp":%d}`, second,
		second+lifetime)) + "." + encode(fmt.Appendf(nil, "signature %d", second))
}

// linkSuite writes the cases as a suite in the generator's style.
func linkSuite(kotlin bool, base string, cases []linkCase) []byte {
	var b bytes.Buffer
	head, tail := `import org.junit.jupiter.api.Test;
import static org.evomaster.client.java.controller.contentMatchers.NumberMatcher.*;
import static org.hamcrest.Matchers.*;
import static io.restassured.RestAssured.given;
import io.restassured.RestAssured;
import io.restassured.config.JsonConfig;
import io.restassured.path.json.config.JsonPathConfig;
public class LinksJava {
    private static String baseUrlOfSut = %q;
    static {
        RestAssured.config = RestAssured.config().jsonConfig(JsonConfig.jsonConfig().numberReturnType(JsonPathConfig.NumberReturnType.DOUBLE));
    }
`, "}\n"
	if kotlin {
		head = `import org.junit.jupiter.api.Test
import org.evomaster.client.java.controller.contentMatchers.NumberMatcher.*
import org.hamcrest.Matchers.*
import io.restassured.RestAssured.given
import io.restassured.RestAssured
import io.restassured.config.JsonConfig
import io.restassured.path.json.config.JsonPathConfig
internal class LinksKotlin {
    companion object {
        private val baseUrlOfSut = %q
        init {
            RestAssured.config = RestAssured.config().jsonConfig(JsonConfig.jsonConfig().numberReturnType(JsonPathConfig.NumberReturnType.DOUBLE))
        }
    }
`
	}
	fmt.Fprintf(&b, head, base)
	for i, c := range cases {
		links := "\n                " + strings.Join(c.links, "\n                ")
		if kotlin {
			links = strings.NewReplacer("is(true)", "`is`(true)", "hasSize(", "hasSize<Any>(", "$", `\$`).Replace(links)
			fmt.Fprintf(&b, "\n    @Test\n    fun test_%03d()  {\n        given().accept(\"*/*\")\n                .get(\"${baseUrlOfSut}/case/%d\")\n                .then()%s\n    }\n", i, i, links)
		} else {
			fmt.Fprintf(&b, "\n    @Test\n    public void test_%03d() throws Exception {\n        given().accept(\"*/*\")\n                .get(baseUrlOfSut + \"/case/%d\")\n                .then()%s;\n    }\n", i, i, links)
		}
	}
	b.WriteString(tail)
	return b.Bytes()
}

// stub answers the calls of the cases, each as the round has it.
func stub(t *testing.T, answers func(round, number int) wireReply) *httptest.Server {
	var round atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		number, err := strconv.Atoi(filepath.Base(r.URL.Path))
		if err != nil {
			http.NotFound(w, r)
			return
		}
		if strings.HasPrefix(r.URL.Path, "/round/") {
			round.Store(int64(number))
			return
		}
		a := answers(int(round.Load()), number)
		w.Header()["Content-Type"] = nil
		if a.mediaType != "" {
			w.Header().Set("Content-Type", a.mediaType)
		}
		if a.otherField != "" {
			w.Header().Set("X-A", a.otherField)
		}
		w.WriteHeader(a.status)
		_, _ = w.Write([]byte(a.body)) // 204 takes none
	}))
	t.Cleanup(server.Close)
	return server
}

// TestRealJVMWeakenedLinksRun compiles what becomes of REST-assured's links, and runs it against answers like those seen, where it
// has to hold, and against others, which it has to refuse.
func TestRealJVMWeakenedLinksRun(t *testing.T) {
	t.Parallel()
	tools := newJVMTools(t)
	cases := linkCases()
	seen, bad := 0, 0
	for _, c := range cases {
		seen, bad = max(seen, len(c.seen)), max(bad, len(c.bad))
	}
	server := stub(t, func(round, i int) wireReply {
		switch c := cases[i]; {
		case round < seen:
			return c.seen[round%len(c.seen)]
		case len(c.bad) > 0:
			return c.bad[(round-seen)%len(c.bad)]
		default:
			return c.seen[0]
		}
	})
	src := suite.Source{}
	for i, c := range cases {
		step := exchange.Step{Exchange: &exchange.Exchange{Seq: uint64(i + 1), Scheme: "http", Addr: "a:1", Response: c.seen[0].response(),
			Request: exchange.ParseRequest(exchange.Message{Head: fmt.Appendf(nil, "GET /case/%d HTTP/1.1\r\nHost: a:1\r\nAccept: */*\r\n\r\n", i), Plain: true})}}
		for n := 1; n < seen; n++ {
			step.Observations = append(step.Observations, &exchange.Observation{Run: n, Seq: uint64(i + 1), Response: c.seen[n%len(c.seen)].response()})
		}
		src.Steps = append(src.Steps, step)
	}
	dir, classes := t.TempDir(), t.TempDir()
	for _, kotlin := range []bool{false, true} {
		name := map[bool]string{false: "LinksJava.java", true: "LinksKotlin.kt"}[kotlin]
		p, err := suite.Patch(name, linkSuite(kotlin, server.URL, cases), src, suite.PatchOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if len(p.Unknown) > 0 {
			t.Errorf("not understood: %+v", p.Unknown)
		}
		if kotlin {
			tools.kotlinc(classes, putFile(t, dir, name, p.Data))
		} else {
			tools.javac(classes, putFile(t, dir, name, p.Data))
		}
	}
	ran := 0
	for _, o := range tools.run(server.URL, seen+bad, classes, "LinksJava", "LinksKotlin") {
		ran++
		passes := strings.HasPrefix(o.outcome, "passed")
		if want := o.round < seen || len(cases[o.number].bad) == 0; passes != want {
			t.Errorf("round %d, %s (%s): passed is %t: %.300s", o.round, o.test, cases[o.number].name, passes, o.outcome)
		}
	}
	if want := 2 * (seen + bad) * len(cases); ran != want {
		t.Errorf("%d tests ran, not %d", ran, want)
	}
}

// outcome is what became of a test in a round.
type outcome struct {
	round, number int // of the case
	test, outcome string
}

// run runs the tests of some classes in some rounds.
func (j *jvmTools) run(url string, rounds int, folder string, classes ...string) []outcome {
	j.t.Helper()
	args := append([]string{"-cp", j.path(folder), "Runner", url, strconv.Itoa(rounds)}, classes...)
	out, err := quick(quickJava, args...).Output()
	if err != nil {
		j.t.Fatalf("run: %v", err)
	}
	var all []outcome
	for _, line := range strings.Split(string(out), "\n") {
		fields := strings.SplitN(line, " ", 3)
		_, number, _ := strings.Cut(line, "test_")
		if len(fields) < 3 || len(number) < 3 {
			continue // what REST-assured prints
		}
		o := outcome{test: fields[1], outcome: fields[2]}
		var errRound, errNumber error
		o.round, errRound = strconv.Atoi(fields[0])
		o.number, errNumber = strconv.Atoi(number[:3])
		if errRound == nil && errNumber == nil {
			all = append(all, o)
		}
	}
	return all
}
