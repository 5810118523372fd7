package rewrite_test

import (
	"strings"
	"testing"
	"time"

	"github.com/flaketap/flaketap/waits/read"
	"github.com/flaketap/flaketap/waits/rewrite"
)

const ms = time.Millisecond

// A time is written as the one was that stands there.
func TestWrite(t *testing.T) {
	for _, test := range []struct {
		file, src string
		to        time.Duration
		want      string
	}{
		{"a.py", "time.sleep(1)  # until it is done", 250 * ms, "time.sleep(0.25)  # until it is done"},
		{"a.py", "await asyncio.sleep( 2.5 )", 2 * time.Second, "await asyncio.sleep( 2 )"},
		{"a.py", "page.wait_for_timeout(500)", 20 * ms, "page.wait_for_timeout(20)"},
		{"a.py", "sleep(timedelta(seconds=5))", 300 * ms, "sleep(timedelta(milliseconds=300))"},
		{"a.py", "sleep(timedelta(seconds=5).total_seconds())", 300 * ms, "sleep(0.3)"},
		{"a.py", "WAIT = 2\ntime.sleep(WAIT)", 300 * ms, "WAIT = 2\ntime.sleep(0.3)"},
		{"a.py", "WebDriverWait(driver, timeout=10)", 1500 * ms, "WebDriverWait(driver, timeout=1.5)"},
		{"a.cy.js", "cy.wait(5_000);", 260 * ms, "cy.wait(260);"},
		{"a.cy.js", "cy.wait(2 * 1000)", 260 * ms, "cy.wait(260)"},
		{"a.spec.ts", "await page.waitForTimeout(process.env.T || 7000)", 9 * time.Second, "await page.waitForTimeout(process.env.T || 9000)"},
		{"a.test.js", "setTimeout(() => {\r\n  done()\r\n}, 250)", 300 * ms, "setTimeout(() => {\r\n  done()\r\n}, 300)"},
		{"a.test.js", "const π = `${x}`; await sleep(\n  100\n)", 300 * ms, "const π = `${x}`; await sleep(\n  300\n)"},
		{"a_test.go", `import "time"; func f() { time.Sleep(2 * time.Second) }`, 300 * ms, `import "time"; func f() { time.Sleep(300 * time.Millisecond) }`},
		{"a_test.go", `import "time"; func f() { time.Sleep(wait) }; const wait = time.Second`, 2 * time.Second, `import "time"; func f() { time.Sleep(2 * time.Second) }; const wait = time.Second`},
		{"a_test.go", `import "time"; func f() { require.Never(t, g, 100*time.Millisecond, time.Millisecond) }`, time.Second, `import "time"; func f() { require.Never(t, g, 1*time.Second, time.Millisecond) }`},
		{"a_test.go", `Eventually(session, "15s").Should(Exit(0))`, 90 * time.Second, `Eventually(session, "1m30s").Should(Exit(0))`},
		{"ATest.java", "Thread.sleep(500L);", 20 * ms, "Thread.sleep(20L);"},
		{"ATest.java", "Thread.sleep(TimeUnit.SECONDS.toMillis(5));", 20 * ms, "Thread.sleep(20);"},
		{"ATest.java", "TimeUnit.SECONDS.sleep(1);", 20 * ms, "TimeUnit.MILLISECONDS.sleep(20);"},
		{"ATest.java", "TimeUnit.SECONDS.sleep(1);", 3 * time.Second, "TimeUnit.SECONDS.sleep(3);"},
		{"ATest.java", "import static java.util.concurrent.TimeUnit.SECONDS;\nawait().atMost(5, SECONDS);", 7100 * ms, "import static java.util.concurrent.TimeUnit.SECONDS;\nawait().atMost(8, SECONDS);"},
		{"ATest.java", "latch.await(5, TimeUnit.SECONDS);", 7100 * ms, "latch.await(7100, TimeUnit.MILLISECONDS);"},
		{"ATest.java", "Thread.sleep(Duration.ofSeconds(5).toMillis());", 20 * ms, "Thread.sleep(Duration.ofMillis(20).toMillis());"},
		{"ATest.java", "Thread.sleep(Duration.of(5, ChronoUnit.SECONDS));", 20 * ms, "Thread.sleep(Duration.ofMillis(20));"},
		{"ATest.java", "await().during(FIVE_SECONDS);", 20 * ms, "await().during(java.time.Duration.ofMillis(20));"},
		{"ATest.kt", "delay(5.seconds)", 250 * ms, "delay(0.25.seconds)"},
		{"ATest.kt", "delay(500.milliseconds)", 250 * ms, "delay(250.milliseconds)"},
		{"ATest.kt", "delay(500)", 250 * ms, "delay(250)"},
	} {
		w := only(t, test.file, test.src)
		out, written, err := rewrite.At(test.file, []byte(test.src), w).Write(test.to)
		if err != nil || string(out) != test.want || !strings.Contains(test.want, written) {
			t.Errorf("%s: %q, %v; want %q", test.src, out, err, test.want)
		}
	}
}

// only is the first wait of a text that is no interval.
func only(t *testing.T, file, src string) read.Wait {
	t.Helper()
	for _, w := range read.Parse(file, []byte(src)).Waits {
		if w.Kind != read.Interval {
			return w
		}
	}
	t.Fatalf("%s has no wait", src)
	return read.Wait{}
}

// What has no form in which a time can be written is left alone.
func TestRefused(t *testing.T) {
	src := "const timeout = 900;\nawait page.click('a', { timeout });"
	w := only(t, "a.test.js", src)
	for _, text := range []string{src, "sleep(5)", ""} { // the second and the third are not those that it was read from
		if out, _, err := rewrite.At("a.test.js", []byte(text), w).Write(time.Second); err == nil {
			t.Errorf("wrote %s", out)
		}
	}
}

// FuzzWrite writes a time in the place of each wait of a text: what comes of it has that time there, and the rest is as
// it was, or it is refused.
func FuzzWrite(f *testing.F) {
	f.Add("a.py", "time.sleep(1)\ntime.sleep(WAIT or 3)", 250)
	f.Add("a.test.js", "await sleep(5_000 * 2); t.wait({timeout: 5})", 20)
	f.Add("ATest.kt", "delay(5.seconds); withTimeout(Duration.ofMinutes(1)) {}; SECONDS.sleep(1)", 1500)
	f.Add("ATest.java", "x.await(1, TimeUnit.SECONDS); y.during(Duration.of(5, ChronoUnit.SECONDS).plus(", 1)
	f.Add("a_test.go", "import \"time\"\ntime.Sleep(time.Second)", 77)
	f.Fuzz(func(t *testing.T, name, src string, millis int) {
		if millis <= 0 || millis > 1e6 {
			return
		}
		for _, w := range read.Parse(name, []byte(src)).Waits {
			p := rewrite.At(name, []byte(src), w)
			to := p.Round(time.Duration(millis) * ms)
			out, written, err := p.Write(to)
			if err != nil {
				continue
			}
			if !strings.Contains(string(out), written) || !strings.HasPrefix(string(out), src[:min(w.At.Start, len(src))]) && w.UnitAt.End == 0 {
				t.Errorf("%q became %q", src, out)
			}
			if again, _, err := p.Write(to); err != nil || string(again) != string(out) {
				t.Errorf("written again, %q is %q, %v", out, again, err)
			}
		}
	})
}
