package volatility

import (
	"encoding/base64"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/flaketap/flaketap/volatility/mapfile"
)

// jakarta is a zone seven hours ahead.
var jakarta = time.FixedZone("", 7*3600)

// movedCases is what moves in ten runs on fresh instances, with what is stated to hold: a format, with the distance
// from the clock; or a pattern, a set, an order.
var movedCases = []struct {
	name  string
	value func(c call) string
	want  kind
	holds string // Format, or Clock, or Pattern, as checked below
}{
	{"an offset of seven hours", func(c call) string { return c.at.In(jakarta).Format(`"2006-01-02T15:04:05-07:00"`) }, kind{mapfile.Jitter, mapfile.Time}, "rfc3339 60"},
	{"nanoseconds with a Z", func(c call) string { return c.at.Format(`"2006-01-02T15:04:05.000000000Z"`) }, kind{mapfile.Jitter, mapfile.Time}, "rfc3339 60"},
	{"a zone without a colon", func(c call) string { return c.at.Format(`"2006-01-02T15:04:05.000+0000"`) }, kind{mapfile.Jitter, mapfile.Time}, "datetime 60"},
	{"local time without a zone", func(c call) string { return c.at.In(jakarta).Format(`"2006-01-02T15:04:05.999999"`) }, kind{mapfile.Jitter, mapfile.Time}, "datetime 50460"},
	{"local time with a blank", func(c call) string { return c.at.In(jakarta).Format(`"2006-01-02 15:04:05"`) }, kind{mapfile.Jitter, mapfile.Time}, "datetime 50460"},
	{"a date of RFC 1123", func(c call) string { return c.at.Format(`"Mon, 02 Jan 2006 15:04:05 GMT"`) }, kind{mapfile.Jitter, mapfile.Time}, "rfc1123 60"},
	{"epoch seconds", func(c call) string { return fmt.Sprint(c.at.Unix()) }, kind{mapfile.Jitter, mapfile.Time}, "epoch-s 60"},
	{"epoch seconds with a fraction", func(c call) string { return fmt.Sprintf("%.3f", float64(c.at.UnixMilli())/1000) }, kind{mapfile.Jitter, mapfile.Time}, "epoch-s 60"},
	{"epoch milliseconds", func(c call) string { return fmt.Sprint(c.at.UnixMilli()) }, kind{mapfile.Jitter, mapfile.Time}, "epoch-ms 60"},
	{"epoch nanoseconds", func(c call) string { return fmt.Sprint(c.at.UnixNano()) }, kind{mapfile.Jitter, mapfile.Time}, "epoch-ns 60"},
	{"epoch milliseconds as a string", func(c call) string { return fmt.Sprintf(`"%d"`, c.at.UnixMilli()) }, kind{mapfile.Jitter, mapfile.Time}, "digits 60"},
	{"an hour from now", func(c call) string { return c.at.Add(time.Hour).Format(`"2006-01-02T15:04:05Z"`) }, kind{mapfile.Jitter, mapfile.Time}, "rfc3339 7200"},
	{"uptime in one unit or another", func(c call) string {
		up := 900*time.Millisecond + c.at.Sub(moment0)
		return pick(up < time.Second, fmt.Sprintf(`"up for %dms"`, up.Milliseconds()), fmt.Sprintf(`"up for %.2fs"`, up.Seconds()))
	}, kind{mapfile.Jitter, mapfile.Time}, ""},
	{"uptime in seconds", func(c call) string { return fmt.Sprintf("%.2f", c.at.Sub(moment0).Seconds()+5000) }, kind{mapfile.Jitter, mapfile.Time}, ""},
	{"hours with decimals", func(c call) string { return fmt.Sprint(20_000 + c.at.Sub(moment0).Hours()) }, kind{mapfile.Jitter, mapfile.Time}, ""},
	{"steps of 100 ns since 1601", func(c call) string { return fmt.Sprint(c.at.UnixNano()/100 + 116_444_736_000_000_000) }, kind{mapfile.Jitter, mapfile.Time}, ""},
	{"milliseconds until then", func(c call) string { return fmt.Sprint(9_000_000 - c.at.Sub(moment0).Milliseconds()) }, kind{mapfile.Jitter, mapfile.Time}, ""},
	{"milliseconds in hex", func(c call) string { return fmt.Sprintf(`"W/\"%x\""`, c.at.UnixMilli()) }, kind{mapfile.Jitter, mapfile.Time}, ""},
	{"an id of the millisecond", func(c call) string { return fmt.Sprintf(`"/messages/%d"`, (c.at.UnixMilli()-1_420_070_400_000)<<22) }, kind{mapfile.Jitter, mapfile.Time}, ""},
	{"a duration of ISO 8601 since the start", func(c call) string {
		return fmt.Sprintf(`"up PT%dM%.3fS"`, int(c.at.Sub(moment0).Minutes()), math.Mod(c.at.Sub(moment0).Seconds(), 60))
	}, kind{mapfile.Jitter, mapfile.Time}, ""},
	{"a short duration", func(c call) string { return fmt.Sprintf(`"PT0.0%dS"`, 10+c.rng.IntN(90)) }, kind{mapfile.Jitter, mapfile.Time}, ""},
	{"a number that changed once", func(c call) string { return pick(c.run == 0, "12", "2400") }, kind{mapfile.Drift, mapfile.State}, ""},
	{"a counter with a check digit", func(c call) string { n := 471 + c.run*3 + c.step; return fmt.Sprintf(`"2600%d-%d"`, n, n*7%10) }, kind{mapfile.Jitter, mapfile.State}, ""},
	{"a digest with its name", func(c call) string { return fmt.Sprintf(`"SHA-256=%s"`, sha(uuid(c))) }, kind{mapfile.Jitter, mapfile.Crypt}, ""},
	{"a number in a text", func(c call) string { return fmt.Sprintf(`"%d.%d hPa"`, 1000+c.rng.IntN(30), c.rng.IntN(10)) }, kind{mapfile.Jitter, mapfile.Rand}, ""},
	{"two numbers in a text", func(c call) string { return fmt.Sprintf(`"%d/%d"`, 110+c.rng.IntN(30), 70+c.rng.IntN(20)) }, kind{mapfile.Jitter, mapfile.Rand}, ""},
	{"a decimal in a text", func(c call) string { return fmt.Sprintf(`"%d.%03d"`, c.rng.IntN(30), c.rng.IntN(1000)) }, kind{mapfile.Jitter, mapfile.Rand}, ""},
	{"a time of day", func(c call) string { return c.at.Format(`"15:04:05.000"`) }, kind{mapfile.Jitter, mapfile.Time}, "time"},
	{"a message with a date", func(c call) string { return c.at.Format(`"order of 2006-01-02T15:04:05Z is late"`) }, kind{mapfile.Jitter, mapfile.Time}, `^order of [0-9A-Za-z_.:+-]+ is late$`},
	{"a UUID", func(c call) string { return `"` + uuid(c) + `"` }, kind{mapfile.Jitter, mapfile.Rand}, "uuid4"},
	{"hex of an odd length", func(c call) string { return `"` + sha(uuid(c))[:26] + `"` }, kind{mapfile.Jitter, mapfile.Rand}, "hex:26"},
	{"a small number", func(c call) string { return fmt.Sprint(c.rng.IntN(10)) }, kind{mapfile.Jitter, mapfile.Rand}, ""},
	{"a flag", func(c call) string { return fmt.Sprint(c.rng.IntN(2) == 0) }, kind{mapfile.Jitter, mapfile.Rand}, "[false true]"},
	{"null one time in five", func(c call) string { return pick(c.rng.IntN(5) == 0, "null", "17") }, kind{mapfile.Jitter, mapfile.Rand}, "[17 null]"},
	{"a nanoid", func(c call) string {
		return fmt.Sprintf(`"V1StGXR8_Z5j%c%d"`, 'a'+rune(c.rng.IntN(26)), 10+c.rng.IntN(90))
	}, kind{mapfile.Jitter, mapfile.Rand}, ""},
	{"SHA-256", func(c call) string { return `"` + sha(uuid(c)) + `"` }, kind{mapfile.Jitter, mapfile.Crypt}, "hex:64"},
	{"MD5 called so", func(c call) string { return `"` + sha(uuid(c))[:32] + `"` }, kind{mapfile.Jitter, mapfile.Crypt}, "hex:32"},
	{"bcrypt", func(c call) string { return `"$2b$12$` + sha(uuid(c))[:53] + `"` }, kind{mapfile.Jitter, mapfile.Crypt}, "bcrypt"},
	{"JWT", func(c call) string {
		return `"eyJhbGciOiJIUzI1NiJ9.` + base64.RawURLEncoding.EncodeToString([]byte(`{"sub":"`+sha(uuid(c))[:10]+`"}`)) + `.` + sha(uuid(c)) + `"`
	}, kind{mapfile.Jitter, mapfile.Crypt}, "jwt"},
	{"an object hash", func(c call) string { return fmt.Sprintf(`"cannot convert Foo@%08x to JSON"`, c.rng.Uint32()) }, kind{mapfile.Jitter, mapfile.RunMsg}, `^cannot convert Foo@[0-9A-Za-z_]+ to JSON$`},
	{"an address", func(c call) string { return fmt.Sprintf(`"<Handler object at 0x7f%010x>"`, c.rng.Uint64()>>24) }, kind{mapfile.Jitter, mapfile.RunMsg}, `^<Handler object at [0-9A-Za-z_]+>$`},
	{"a thread", func(c call) string { return fmt.Sprintf(`"failed in http-nio-8080-exec-%d twice"`, c.rng.IntN(90)) }, kind{mapfile.Jitter, mapfile.RunMsg}, `^failed in [0-9A-Za-z_.:+-]+ twice$`},
	{"a shuffled list", func(c call) string { return shuffled(c, "1", "2", "3", "4") }, kind{mapfile.Jitter, mapfile.Unord}, "any"},
	{"a list shuffled in a message", func(c call) string {
		return `"known: ` + strings.ReplaceAll(strings.Trim(shuffled(c, "id", "name", "price", "stock"), "[]"), ",", ", ") + `"`
	}, kind{mapfile.Jitter, mapfile.Unord}, ""},
	{"a list that shrinks and grows", func(c call) string { return "[" + strings.TrimSuffix(strings.Repeat(`"x",`, c.rng.IntN(4)), ",") + "]" }, kind{mapfile.Jitter, mapfile.Rand}, ""},
	{"a counter that no reset clears", func(c call) string { return fmt.Sprint(100 + c.run*3 + c.step) }, kind{mapfile.Jitter, mapfile.State}, ""},
	{"what the session left behind", func(c call) string { return pick(c.run == 0, "6", "0") }, kind{mapfile.Drift, mapfile.State}, ""},
	{"a temporary file", func(c call) string { return fmt.Sprintf(`"/tmp/upload-%d/x"`, c.rng.Uint32()) }, kind{mapfile.Jitter, mapfile.Rand}, ""},
}

func TestMoved(t *testing.T) {
	for _, c := range movedCases {
		t.Run(c.name, func(t *testing.T) {
			a := &api{runs: 10, steps: 3, answer: func(k call) answer { return body(`{"hash":%s}`, c.value(k)) }}
			f := field(t, a.judge(t), "/body/hash")
			if got := (kind{f.Judgement, f.Category}); got != c.want {
				t.Errorf("got %v want %v: %q", got, c.want, f.Evidence)
			}
			h := f.Holds
			var set []string
			for _, raw := range h.OneOf {
				set = append(set, string(raw))
			}
			stated := []string{h.Format, strings.TrimSpace(fmt.Sprint(h.Format, " ", h.Clock)), h.Pattern, h.Order, fmt.Sprint(set)}
			if !slices.Contains(stated, strings.TrimSpace(c.holds)) {
				t.Errorf("holds: got %q want %q", stated, c.holds)
			}
		})
	}
}

// TestStable: what never moves is stable, whatever it looks like: what others take for volatile.
func TestStable(t *testing.T) {
	for name, c := range map[string]struct {
		value string
		want  mapfile.Judgement
	}{
		"an e-mail address of a hex domain": {`"bob@example.com"`, mapfile.Stable},
		"a birth date":                      {`"1984-02-11"`, mapfile.Hint},
		"a seed UUID":                       {`"7d444840-9dc0-11d1-b245-5ffdce74fad2"`, mapfile.Hint},
		"an article number of 13 digits":    {`4006381333931`, mapfile.Hint},
		"a long path":                       {`"https://example.com/api/v1/customers/orders"`, mapfile.Stable},
		"a name of more than 20 letters":    {`"responseTimeInMilliseconds"`, mapfile.Stable},
		"a number beyond 2^53":              {`9007199254740993`, mapfile.Stable},
		"a date of long ago":                {`"2020-01-29T12:15:09+07:00"`, mapfile.Hint},
		"a digest":                          {`"` + sha("x") + `"`, mapfile.Hint},
		"a stack line":                      {`"at com.acme.Foo.bar(Foo.java:17)"`, mapfile.Hint},
	} {
		for _, runs := range []int{0, 1, 10} {
			t.Run(fmt.Sprintf("%s, %d runs", name, runs), func(t *testing.T) {
				a := &api{runs: runs, steps: 3, answer: func(k call) answer { return body(`{"v":%s}`, c.value) }}
				f := field(t, a.judge(t), "/body/v")
				if f.Judgement != c.want || f.Volatile() || f.Category != "" {
					t.Errorf("got %v %v %q", f.Judgement, f.Category, f.Evidence)
				}
				if string(f.Holds.Equal) != c.value {
					t.Errorf("holds equal %s", f.Holds.Equal)
				}
			})
		}
	}
}

// TestWouldMove: what no run moved, but the clock, the environment or a nonce explains.
func TestWouldMove(t *testing.T) {
	for _, c := range []struct {
		name string
		api  api
		want kind
		code string
	}{
		{"now, no runs", api{answer: func(c call) answer { return body(`{"v":"%s"}`, c.at.Format(time.RFC3339Nano)) }}, kind{mapfile.WouldMove, mapfile.Time}, "near-clock:fraction"},
		{"now in epoch seconds, no runs", api{answer: func(c call) answer { return body(`{"v":%d}`, c.at.Unix()) }}, kind{mapfile.WouldMove, mapfile.Time}, "near-clock:second"},
		{"now in seven hours' distance, no zone, no runs", api{answer: func(c call) answer { return body(`{"v":"%s"}`, c.at.Add(7*time.Hour).Format("2006-01-02T15:04:05")) }}, kind{mapfile.WouldMove, mapfile.Time}, "near-clock:second"},
		{"today, ten runs within the day", api{runs: 10, answer: func(c call) answer { return body(`{"v":"%s"}`, c.at.Format(time.DateOnly)) }}, kind{mapfile.WouldMove, mapfile.Time}, "near-clock:day"},
		{"another day", api{runs: 10, answer: func(c call) answer { return answer{body: `{"v":"2026-01-26"}`} }}, kind{mapfile.Hint, ""}, "looks:date"},
		{"the start of the process stands still", api{runs: 2, gap: 3 * time.Second, answer: func(c call) answer { return body(`{"v":"%s"}`, moment0.Format(time.RFC3339Nano)) }}, kind{mapfile.Hint, ""}, "looks:rfc3339"},
		{"seconds, replayed at once", api{runs: 2, steps: 1, gap: 100 * time.Millisecond, answer: func(c call) answer { return body(`{"v":%d}`, moment0.Unix()) }}, kind{mapfile.WouldMove, mapfile.Time}, "near-clock:second"},
		{"made earlier in the session, no runs", api{steps: 40, answer: func(c call) answer { return body(`{"v":"%s"}`, moment0.Add(time.Second).Format(time.RFC3339)) }}, kind{mapfile.WouldMove, mapfile.Time}, "near-clock:second"},
		{"the address dialed behind a proxy", api{runs: 3, hosts: func(int) string { return "127.0.0.1:8877" }, answer: func(c call) answer { return body(`{"v":"http://127.0.0.1:8080/x"}`) }}, kind{mapfile.WouldMove, mapfile.Env}, "address-dialed"},
		{"the port dialed", api{runs: 3, answer: func(c call) answer { return body(`{"v":8080}`) }}, kind{mapfile.WouldMove, mapfile.Env}, "address-dialed"},
		{"the port dialed, and other numbers", api{runs: 3, answer: func(c call) answer { return body(`{"v":%d}`, 8080+c.step) }}, kind{mapfile.Stable, ""}, ""},
		{"the Host that was asked for", api{runs: 3, answer: func(c call) answer { return body(`{"v":"http://%s/x"}`, c.host) }}, kind{mapfile.WouldMove, mapfile.Env}, "holds-host"},
		{"an expiry in an hour, no runs", api{answer: func(c call) answer { return body(`{"v":%d}`, c.at.Add(time.Hour).Unix()) }}, kind{mapfile.WouldMove, mapfile.Time}, "near-clock:second"},
		{"due in 30 days", api{runs: 3, method: "POST", answer: func(c call) answer { return body(`{"v":"%s"}`, c.at.AddDate(0, 0, 30).Format(time.DateOnly)) }}, kind{mapfile.WouldMove, mapfile.Time}, "near-clock:day"},
		{"a seed date that is 30 days ahead", api{runs: 3, answer: func(c call) answer { return body(`{"v":"%s"}`, c.at.AddDate(0, 0, 30).Format(time.DateOnly)) }}, kind{mapfile.Hint, ""}, "looks:date"},
		{"today in words", api{runs: 3, answer: func(c call) answer { return body(`{"v":"Prices of %s"}`, c.at.Format("2 January 2006")) }}, kind{mapfile.WouldMove, mapfile.Time}, "near-clock:day"},
		{"days since 1970", api{runs: 3, answer: func(c call) answer { return body(`{"v":%d}`, c.at.Unix()/86400) }}, kind{mapfile.WouldMove, mapfile.Time}, "near-clock:day"},
		{"a number of five digits", api{runs: 3, answer: func(c call) answer { return answer{body: `{"v":20499}`} }}, kind{mapfile.Stable, ""}, ""},
		{"the machine's name", api{runs: 3, options: Options{Environment: []string{"build-7f3"}}, answer: func(c call) answer { return body(`{"v":"served by build-7f3."}`) }}, kind{mapfile.WouldMove, mapfile.Env}, "environment"},
		{"a nonce, the same request twice, no runs", api{same: true, answer: func(c call) answer { return body(`{"v":"%s"}`, uuid(c)) }}, kind{mapfile.WouldMove, mapfile.Rand}, "nonce:2/2"},
		{"ids of different resources, no runs", api{answer: func(c call) answer { return body(`{"v":"%s"}`, uuid(c)) }}, kind{mapfile.Hint, ""}, "looks:uuid"},
		{"ids of different resources, stable in runs", api{runs: 3, answer: func(c call) answer { return body(`{"v":"%s"}`, sha(fmt.Sprint(c.step))) }}, kind{mapfile.Hint, ""}, "looks:hex"},
		{"a counter within the recording, stable in runs", api{runs: 3, same: true, answer: func(c call) answer { return body(`{"v":%d}`, c.step) }}, kind{mapfile.Stable, ""}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.api.steps = max(c.api.steps, 3)
			if strings.Contains(c.name, "at once") {
				c.api.steps = 1
			}
			f := field(t, c.api.judge(t), "/body/v")
			if got := (kind{f.Judgement, f.Category}); got != c.want {
				t.Errorf("got %v want %v: %q", got, c.want, f.Evidence)
			}
			if c.code != "" && !slices.Contains(f.Evidence, c.code) {
				t.Errorf("evidence %q lacks %s", f.Evidence, c.code)
			}
		})
	}
}
