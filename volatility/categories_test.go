package volatility

import (
	"crypto/md5"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// played has an API with a state answer all steps of a recording and its runs in the order of time, and gives back what
// it said: begin makes the state that a run begins with, of the one before it.
func played[S any](a *api, begin func(run int, before S) S, answers func(c call, s *S) answer) *api {
	var (
		state S
		said  = map[[2]int]answer{}
	)
	a.answer = func(call) answer { return answer{} }
	for run := range a.runs + 1 {
		state = begin(run, state)
		for step := range a.steps {
			c, _, _ := a.call(run, step)
			said[[2]int{run, step}] = answers(c, &state)
		}
	}
	a.answer = func(c call) answer { return said[[2]int{c.run, c.step}] }
	return a
}

// ownPace has each run send its requests at a pace of its own, and some of them later.
func ownPace(seed uint64, between time.Duration) func(run, step int) time.Duration {
	return func(run, step int) time.Duration {
		rng := rand.New(rand.NewPCG(seed, uint64(run)))
		at := time.Duration(0)
		each := time.Duration(float64(between) * (0.6 + 0.8*rng.Float64()))
		for range step {
			at += time.Duration(float64(each) * (0.5 + rng.Float64()))
		}
		return at
	}
}

// limiter allows so many requests in each window of time.
type limiter struct {
	limit, left int
	window      time.Duration
	ends        time.Time
}

// take counts a request, and reports whether there was one left.
func (l *limiter) take(now time.Time) bool {
	if now.After(l.ends) {
		l.left, l.ends = l.limit, now.Add(l.window)
	}
	if l.left == 0 {
		return false
	}
	l.left--
	return true
}

func limited(runs, steps int, seed uint64, limit int, window time.Duration) *api {
	a := &api{runs: runs, steps: steps, start: exchange.StartContinued, gap: 17 * time.Second, pace: ownPace(seed, 40*time.Millisecond)}
	return played(a, func(_ int, l limiter) limiter { l.limit, l.window = limit, window; return l }, func(c call, l *limiter) answer {
		ok := l.take(c.at)
		head := fmt.Sprintf("X-RateLimit-Remaining: %d\r\n", l.left)
		if !ok {
			wait := l.ends.Sub(c.at)
			return answer{status: 429, head: head + fmt.Sprintf("Retry-After: %d\r\n", int(wait.Seconds())+1), body: fmt.Sprintf(`{"error":"slow down","retry_after_ms":%d,"left":%d}`, wait.Milliseconds(), l.left)}
		}
		return answer{head: head, body: fmt.Sprintf(`{"left":%d,"ok":true}`, l.left)}
	})
}

// expect holds the categories of some places of a map against those that they should have.
func expect(t *testing.T, m *mapfile.Map, want map[exchange.Place]mapfile.Category) {
	t.Helper()
	for place, category := range want {
		seen := false
		for _, o := range m.Operations {
			f := o.At(place)
			if f == nil || !f.Volatile() {
				continue
			}
			seen = true
			if f.Category != category {
				t.Errorf("%d %s: got %s %s want %s: %q", o.Status, place, f.Judgement, f.Category, category, f.Evidence)
			}
		}
		if !seen {
			t.Errorf("%s does not move", place)
		}
	}
}

// TestLimits: what is left of a limit, and the refusals once nothing is, are the state that the requests before them
// made; what is left until it is lifted is time. So in one run and in ten, and whatever a limiter is like.
func TestLimits(t *testing.T) {
	for _, runs := range []int{1, 3, 10} {
		for seed := range uint64(5) {
			for _, l := range []struct {
				limit  int
				window time.Duration
			}{{10, 700 * time.Millisecond}, {7, 450 * time.Millisecond}, {20, 2 * time.Second}} {
				t.Run(fmt.Sprint(runs, seed, l), func(t *testing.T) {
					m := limited(runs, 60, seed, l.limit, l.window).judge(t)
					want := map[exchange.Place]mapfile.Category{exchange.PlaceStatus: mapfile.State, "/body/retry_after_ms": mapfile.Time}
					for _, place := range []exchange.Place{"/body/left", "/header/x-ratelimit-remaining"} {
						if f := field(t, m, place); f.Volatile() {
							want[place] = mapfile.State
						}
					}
					expect(t, m, want)
				})
			}
		}
	}
}

// TestLimitsTraps: numbers that are drawn, and refusals that are, stay what they are whatever they are called.
func TestLimitsTraps(t *testing.T) {
	for seed := range uint64(20) {
		for _, most := range []int{2, 3, 4, 12, 1000} {
			a := &api{runs: 6, steps: 40, pace: ownPace(seed, 40*time.Millisecond), answer: func(c call) answer {
				rng := rand.New(rand.NewPCG(seed, uint64(c.run*1000+c.step)))
				ans := answer{head: fmt.Sprintf("X-RateLimit-Remaining: %d\r\n", rng.IntN(most)),
					body: fmt.Sprintf(`{"left":%d,"remaining":%d,"rare":%d,"step":%d}`, rng.IntN(most), rng.IntN(most), pickInt(rng.IntN(9) == 0, 3, 2), c.step+pickInt(rng.IntN(9) == 0, 1, 0))}
				return ans
			}}
			refused := *a
			refused.answer = func(c call) answer { return answer{status: pickInt(c.rng.IntN(5) == 0, 429, 200), body: "{}"} }
			expect(t, refused.judge(t), map[exchange.Place]mapfile.Category{exchange.PlaceStatus: mapfile.Rand})
			expect(t, a.judge(t), map[exchange.Place]mapfile.Category{"/body/left": mapfile.Rand, "/body/remaining": mapfile.Rand, "/body/rare": mapfile.Rand, "/body/step": mapfile.Rand,
				"/header/x-ratelimit-remaining": mapfile.Rand})
		}
	}
}

// withinTexts are texts in which something varies, and why.
var withinTexts = []struct {
	name  string
	value func(c call) string
	want  mapfile.Category
}{
	{"md5", func(c call) string { return "stored the file, md5 " + md5Of(c) }, mapfile.Crypt},
	{"md5 in brackets", func(c call) string { return "notes.txt (MD5: " + md5Of(c) + ") was stored" }, mapfile.Crypt},
	{"checksum", func(c call) string { return "checksum mismatch, got " + md5Of(c) + " for part 3" }, mapfile.Crypt},
	{"md5 of something", func(c call) string { return "md5 of the id is " + md5Of(c) + "." }, mapfile.Crypt},
	{"checksum of", func(c call) string { return "the checksum is " + md5Of(c) }, mapfile.Crypt},
	{"sha256", func(c call) string { return "digest sha256:" + sha(uuid(c)) + " of the upload" }, mapfile.Crypt},
	{"sha1, unnamed", func(c call) string { return "merged " + sha(uuid(c))[:40] + " into main" }, mapfile.Crypt},
	{"base64", func(c call) string {
		b := md5.Sum([]byte(uuid(c)))
		return "Content-MD5 " + base64.StdEncoding.EncodeToString(b[:]) + " does not match"
	}, mapfile.Crypt},
	{"hmac", func(c call) string { return "signature v1=" + sha(uuid(c)) + " is not valid" }, mapfile.Crypt},
	{"an id", func(c call) string { return "order " + uuid(c) + " was shipped" }, mapfile.Rand},
	{"32 digits of something", func(c call) string { return "object " + md5Of(c) + " was written" }, mapfile.Rand},
	{"trace", func(c call) string { return "Internal error, trace id " + md5Of(c) }, mapfile.RunMsg},
	{"request", func(c call) string { return "failed (request-id=" + uuid(c) + ")" }, mapfile.RunMsg},
	{"stack", func(c call) string {
		return fmt.Sprintf("java.lang.IllegalStateException: no\n\tat com.acme.Foo.bar(Foo.java:%d)\n\tat com.acme.Main.main(Main.java:7)", 10+c.rng.IntN(80))
	}, mapfile.RunMsg},
	{"stack with a drawn id", func(c call) string {
		return "java.lang.IllegalStateException: " + uuid(c) + "\n\tat com.acme.Foo.bar(Foo.java:12)\n\tat com.acme.Main.main(Main.java:7)"
	}, mapfile.RunMsg},
	{"python", func(c call) string {
		return fmt.Sprintf("Traceback (most recent call last):\n  File \"/app/x.py\", line %d, in f\nValueError: %s", 3+c.rng.IntN(90), uuid(c))
	}, mapfile.RunMsg},
	{"node", func(c call) string {
		return fmt.Sprintf("Error: no\n    at f (/app/src/x.js:%d:%d)\n    at g (/app/y.js:1:2)", 1+c.rng.IntN(90), 1+c.rng.IntN(90))
	}, mapfile.RunMsg},
	{"object", func(c call) string { return fmt.Sprintf("no handler for com.acme.Order@%08x", c.rng.Uint32()) }, mapfile.RunMsg},
	{"thread", func(c call) string { return fmt.Sprintf("rejected by worker-%d", c.rng.IntN(99)) }, mapfile.RunMsg},
	{"upload", func(c call) string { return "/tmp/upload-" + sha(uuid(c))[:6] + "/part" }, mapfile.Rand},
	{"upload in a message", func(c call) string { return "could not write /tmp/upload-" + sha(uuid(c))[:8] + "/part.csv" }, mapfile.Rand},
	{"mkdtemp", func(c call) string { return "/tmp/tmp" + letters(c, 8, "abcdefghijklmnopqrstuvwxyz0123456789_") }, mapfile.Rand},
	{"go build", func(c call) string { return fmt.Sprintf("/var/folders/zz/T/go-build%d/b001", 1<<31+c.rng.Uint32()) }, mapfile.Rand},
	{"directory of a process", func(c call) string { return fmt.Sprintf("/tmp/app-%d/cache", 4000+c.run*31) }, mapfile.Env},
	{"directory drawn at the start", func(c call) string { return "/tmp/app-" + sha(fmt.Sprint(c.run))[:8] + "/cache" }, mapfile.Env},
}

func md5Of(c call) string {
	b := md5.Sum([]byte(uuid(c)))
	return hex.EncodeToString(b[:])
}

func letters(c call, n int, of string) string {
	s := ""
	for range n {
		s += string(of[c.rng.IntN(len(of))])
	}
	return s
}

// TestWithinTexts: why a text moves is told by what varies within it.
func TestWithinTexts(t *testing.T) {
	for _, runs := range []int{1, 3, 10} {
		for _, c := range withinTexts {
			t.Run(fmt.Sprint(c.name, runs), func(t *testing.T) {
				a := &api{runs: runs, steps: 4, answer: func(at call) answer { return body(`{"v":%q}`, c.value(at)) }}
				expect(t, a.judge(t), map[exchange.Place]mapfile.Category{"/body/v": c.want})
			})
		}
	}
}

// TestSignedTokens: a token is signed as a whole, and so is its signature; its claims are what they are.
func TestSignedTokens(t *testing.T) {
	enc := base64.RawURLEncoding.EncodeToString
	token := func(c call) string {
		at := c.at.Unix()
		claims := fmt.Appendf(nil, `{"sub":"mia","iat":%d,"exp":%d,"nbf":%d,"auth_time":%d,"jti":%q}`, at, at+3600, at, at, uuid(c))
		return enc([]byte(`{"alg":"HS256"}`)) + "." + enc(claims) + "." + enc([]byte(sha(uuid(c)))[:32])
	}
	for _, runs := range []int{1, 3, 10} {
		m := (&api{runs: runs, steps: 4, answer: func(c call) answer {
			return answer{head: "Set-Cookie: at=" + token(c) + "; Path=/\r\n", body: fmt.Sprintf(`{"token":%q,"type":"Bearer"}`, token(c))}
		}}).judge(t)
		for _, at := range []exchange.Place{"/body/token", "/header/set-cookie/@cookie/at/value"} {
			want := map[exchange.Place]mapfile.Category{at: mapfile.Crypt, at + "/@jwt/signature": mapfile.Crypt, at + "/@jwt/claims/jti": mapfile.Rand}
			for _, claim := range []string{"iat", "exp", "nbf", "auth_time"} {
				want[at+"/@jwt/claims/"+exchange.Place(claim)] = mapfile.Time
			}
			expect(t, m, want)
		}
	}
}

// TestOtherRunsFlipNothing: runs that make something else of the recording break what runs as recorded agree on, and
// use up what these count. They are sent to the same API, which nobody resets, and the categories stay.
func TestOtherRunsFlipNothing(t *testing.T) {
	type world struct {
		visits, boots, sold int
		started             time.Time
	}
	conditions := []string{"restart", "order=reverse", "workers=4", "language=fr", "delay=2s", "connection=fresh", "bindings"}
	for seed := range uint64(6) {
		rng := rand.New(rand.NewPCG(seed, 1))
		perturb := map[int]string{}
		for run := 4; run <= 16; run++ {
			if run%3 != 0 {
				perturb[run] = conditions[rng.IntN(len(conditions))]
			}
		}
		a := &api{runs: 16, steps: 12, start: exchange.StartContinued, perturb: perturb, gap: 5 * time.Second, pace: ownPace(seed, 50*time.Millisecond)}
		played(a, func(run int, w world) world {
			if run == 0 || perturb[run] == "restart" {
				w.started = moment0.Add(time.Duration(run)*5*time.Second - 3*time.Second)
				w.boots++
			}
			return w
		}, func(c call, w *world) answer {
			w.visits += 1 + len(perturb[c.run])%3
			if c.step == 3 {
				w.sold++
			}
			greeting := pick(perturb[c.run] == "language=fr", "bonjour", "hello")
			list := "[]"
			if perturb[c.run] != "restart" {
				list = shuffled(c, "1", "2", "3", "4", "5")
			}
			digest := `"` + sha(uuid(c)) + `"`
			if perturb[c.run] == "connection=fresh" {
				digest = `"none yet, as it were"`
			}
			return body(`{"visits":%d,"sold":%d,"greeting":%q,"list":%s,"digest":%s,"id":%q}`, w.visits, w.sold, greeting, list, digest, uuid(c))
		})
		expect(t, a.judge(t), map[exchange.Place]mapfile.Category{"/body/visits": mapfile.State, "/body/sold": mapfile.State, "/body/list": mapfile.Unord,
			"/body/digest": mapfile.Crypt, "/body/id": mapfile.Rand})
	}
}

// TestJobs: how far a job has come is the clock's doing, in the number of its rows as in its state: with few runs and
// many, with jobs that are asked after once and often, with ids of their own and without. What was drawn for it is not.
func TestJobs(t *testing.T) {
	const each = 5 // requests for a job: it is made, and asked after
	for _, runs := range []int{1, 3, 10} {
		for seed := range uint64(6) {
			for _, reset := range []bool{false, true} {
				began := map[int]time.Time{}
				a := &api{runs: runs, steps: 8 * each, start: exchange.StartContinued, gap: 60 * time.Second, pace: ownPace(seed, 90*time.Millisecond), methods: map[int]string{}}
				if reset {
					a.start = exchange.StartReset
				}
				for s := 0; s < a.steps; s += each {
					a.methods[s] = "POST"
				}
				id := func(c call) string {
					if reset {
						return fmt.Sprint("job-", c.step/each)
					}
					return sha(fmt.Sprint(c.run, c.step/each))[:12]
				}
				a.request = func(c call) (string, string) {
					if c.step%each == 0 {
						return "/things", "{}"
					}
					return "/things/" + id(c), ""
				}
				played(a, func(int, struct{}) struct{} { return struct{}{} }, func(c call, _ *struct{}) answer {
					if c.step%each == 0 {
						began[c.run] = c.at
						return answer{status: 202, body: fmt.Sprintf(`{"id":%q}`, id(c))}
					}
					age := c.at.Sub(began[c.run])
					const whole = 300 * time.Millisecond
					done := min(1, float64(age)/float64(whole))
					return body(`{"state":%q,"rows":%d,"left_ms":%d,"share":%.3f,"seed":%d,"file":"a.csv"}`, pick(done == 1, "done", "running"), int(done*1840), max(0, whole-age).Milliseconds(),
						done, c.rng.Uint32())
				})
				m := a.judge(t)
				expect(t, m, map[exchange.Place]mapfile.Category{"/body/state": mapfile.Time, "/body/rows": mapfile.Time, "/body/left_ms": mapfile.Time, "/body/share": mapfile.Time, "/body/seed": mapfile.Rand})
				if t.Failed() {
					t.Fatalf("%d runs, seed %d, reset %v", runs, seed, reset)
				}
			}
		}
	}
}

// TestSameValue: a value that one answer gives and others repeat has one category, and it is said from where.
func TestSameValue(t *testing.T) {
	for _, runs := range []int{3, 10} {
		file := func(run, n int) string { // a digest, by what it is called where it is made
			b := md5.Sum(fmt.Appendf(nil, "%d/%d", run, n))
			return hex.EncodeToString(b[:])
		}
		number := func(c call, n int) int { return 1000 + (c.run*3+n)*7 }
		operations := map[uint64]exchange.Operation{}
		a := &api{runs: runs, steps: 9, start: exchange.StartContinued, methods: map[int]string{0: "POST", 3: "POST", 6: "POST"}}
		for s := range a.steps {
			switch s % 3 {
			case 0:
				operations[uint64(s+1)] = exchange.Operation{Method: "POST", Template: "/files"}
				for place, value := range map[exchange.Place]string{"/body/checksum": file(0, s/3), "/body/number": fmt.Sprint(number(call{}, s/3))} {
					a.bound = append(a.bound, exchange.Binding{Name: string(place), Value: value, Producer: exchange.Ref{Seq: uint64(s + 1), Place: place}, Uses: []exchange.Ref{{Seq: uint64(s + 2), Place: "/path/1"}}})
				}
			case 1:
				operations[uint64(s+1)] = exchange.Operation{Method: "GET", Template: "/files/{id}"}
			default:
				operations[uint64(s+1)] = exchange.Operation{Method: "GET", Template: "/files"}
			}
		}
		a.request = func(c call) (string, string) {
			switch c.step % 3 {
			case 0:
				return "/files", fmt.Sprintf(`{"n":%d}`, c.step)
			case 1:
				return "/files/" + file(c.run, c.step/3), ""
			}
			return fmt.Sprintf("/files?after=%d", c.step), ""
		}
		a.answer = func(c call) answer {
			n := c.step / 3
			switch c.step % 3 {
			case 0:
				return answer{status: 201, head: "Location: /files/" + file(c.run, n) + "\r\n", body: fmt.Sprintf(`{"checksum":%q,"number":%d}`, file(c.run, n), number(c, n))}
			case 1:
				return body(`{"id":%q,"ref":"%d","name":"a"}`, file(c.run, n), number(c, n))
			}
			return body(`[{"file":%q,"name":"a"},{"file":"0123456789abcdef0123456789abcdef","name":"b"}]`, file(c.run, n))
		}
		list := []exchange.Run{}
		for r := 1; r <= runs; r++ {
			list = append(list, exchange.Run{Number: r, Conditions: exchange.Conditions{Start: exchange.StartContinued}})
		}
		m, err := Judge(exchange.Recording{Started: moment0, Count: 9}, list, a.all(), operations, a.bound, Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []struct {
			method, template string
			status           int
			place            exchange.Place
			category         mapfile.Category
			as               string
		}{
			{"POST", "/files", 201, "/body/checksum", mapfile.Crypt, ""},
			{"POST", "/files", 201, "/header/location", mapfile.Crypt, "same-as:POST /files /body/checksum"},
			{"GET", "/files/{id}", 200, "/body/id", mapfile.Crypt, "same-as:POST /files /body/checksum"},
			{"GET", "/files", 200, "/body/*/file", mapfile.Crypt, "same-as:POST /files /body/checksum"},
			{"POST", "/files", 201, "/body/number", mapfile.State, ""},
			{"GET", "/files/{id}", 200, "/body/ref", mapfile.State, ""},
		} {
			f := m.Operation(exchange.Operation{Method: want.method, Template: want.template}, want.status).At(want.place)
			if f == nil || !f.Volatile() || f.Category != want.category || want.as != "" && f.Evidence[1] != want.as {
				t.Errorf("%d runs: %s %s %s: %+v", runs, want.method, want.template, want.place, f)
			}
		}
	}
}
