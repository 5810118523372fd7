package read_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/flaketap/flaketap/waits/read"
)

// waits reads a text, and tells its waits as people would.
func waits(name, src string) []string {
	f := read.Parse(name, []byte(src))
	read.Link([]*read.File{f})
	var out []string
	for _, w := range f.Waits {
		out = append(out, fmt.Sprintf("%s %s %s", w.Kind, w.Form, w.Time))
	}
	return out
}

func TestWaits(t *testing.T) {
	for _, test := range []struct {
		file, src string
		want      []string
	}{
		// Cypress
		{"a.cy.js", "cy.wait(500)", []string{"sleep cy.wait 500ms"}},
		{"a.cy.js", "cy.wait('@projects')", nil},
		{"a.cy.js", "cy.wait('@projects', { timeout: 10000 })", []string{"cap cy.wait timeout 10s"}},
		{"a.cy.js", "cy.get('.a')\n  .click()\n  .wait(5_000);", []string{"sleep wait 5s"}},
		{"a.cy.js", "cy.get('.a', {timeout: 3e3}).should('exist')", []string{"cap cy.get timeout 3s"}},
		{"a.cy.js", "it('x', { defaultCommandTimeout: 2 * 1000 }, () => {})", []string{"cap it defaultCommandTimeout 2s"}},
		// Playwright and Puppeteer
		{"a.spec.ts", "await page.waitForTimeout(0x10)", []string{"sleep page.waitForTimeout 16ms"}},
		{"a.spec.ts", "await expect(page.locator('b')).toBeVisible({ timeout: 5_000 })", []string{"cap toBeVisible timeout 5s"}},
		{"a.spec.ts", "test.setTimeout(120_000)", []string{"cap test.setTimeout 2m0s"}},
		{"a.spec.ts", "page.setDefaultTimeout(process.env.T || 7000)", []string{"cap page.setDefaultTimeout 7s"}},
		{"a.spec.ts", "await page.waitForSelector('#a', { visible: true, timeout: 100 })", []string{"cap page.waitForSelector timeout 100ms"}},
		{"a.test.js", "const timeout = 900;\nawait page.click('a', { timeout });", []string{"cap page.click timeout 900ms"}},
		// Testing Library
		{"a.test.tsx", "await waitFor(() => expect(f()).toBe(1), { timeout: 1500, interval: 20 })", []string{"cap waitFor timeout 1.5s", "interval waitFor interval 20ms"}},
		{"a.test.tsx", "await screen.findByText('a', {}, { timeout: 2000 })", []string{"cap screen.findByText timeout 2s"}},
		{"a.test.tsx", "const a = <p>Don't</p>;\nawait sleep(5)", []string{"sleep sleep 5ms"}},
		// WebdriverIO, selenium
		{"a.e2e.js", "await browser.pause(300)", []string{"sleep browser.pause 300ms"}},
		{"a.e2e.js", "await $('a').waitForDisplayed({ timeout: 10 })", []string{"cap waitForDisplayed timeout 10ms"}},
		{"a.e2e.js", "await browser.waitUntil(async () => ready(), { timeout: 5000, interval: 50 })", []string{"cap browser.waitUntil timeout 5s", "interval browser.waitUntil interval 50ms"}},
		{"a.js", "await driver.wait(until.elementTextIs(el, '23'), 2000)", []string{"cap driver.wait 2s"}},
		{"a.js", "driver.sleep(1 + 2 * 3)", []string{"sleep driver.sleep 7ms"}},
		{"a.js", "driver.manage().setTimeouts({ implicit: 4000 })", []string{"cap setTimeouts implicit 4s"}},
		// timers and runners
		{"a.test.js", "await new Promise(r => setTimeout(r, 100))", []string{"sleep setTimeout 100ms"}},
		{"a.test.js", "await setTimeout(100)", []string{"sleep setTimeout 100ms"}},
		{"a.test.js", "setTimeout(() => {\n  done()\n}, 250)", []string{"sleep setTimeout 250ms"}},
		{"a.test.js", "setTimeout(() => reject(new Error('late')), 250)", []string{"cap setTimeout 250ms"}},
		{"a.test.js", "setTimeout(f, 0)", nil},
		{"a.test.js", "await timeout(40)", []string{"sleep timeout 40ms"}},
		{"a.test.js", "jest.setTimeout(30000); this.timeout(20)", []string{"cap jest.setTimeout 30s", "cap this.timeout 20ms"}},
		{"a.test.js", "it('works', async () => { await sleep(5) }, 30000)", []string{"sleep sleep 5ms", "cap it 30s"}},
		// no waits
		{"a.test.js", "// cy.wait(500)\n/* cy.wait(1) */ const s = 'cy.wait(2)', u = `cy.wait(3) ${1}`; /cy.wait(4)/.test(s)", nil},
		{"a.test.js", "f(`a ${await sleep(7)} b`); sleep(8)", []string{"sleep sleep 7ms", "sleep sleep 8ms"}},
		{"a.test.js", "const sleep = (ms) => new Promise((r) => setTimeout(r, ms)); sleep(ms)", nil},
		{"a.test.js", "const timeout = 5; g(() => { const { timeout } = o; setTimeout(f, task.timeout) })", nil},
		{"a.test.js", "describe('a', () => { const o = { timeout: 5 } })\nconst p = { timeout: 6 }", []string{"cap timeout 5ms"}},
		{"a.test.js", "function f(o: { timeout: number }) {}\nconst c = a / cy.wait(3) / 2", []string{"sleep cy.wait 3ms"}},
		{"a.d.ts", "declare const x; cy.wait(3)", nil},
		// Python
		{"test_a.py", "time.sleep(0.5)\nasyncio.sleep(.05)\nsleep(1_0)", []string{"sleep time.sleep 500ms", "sleep asyncio.sleep 50ms", "sleep sleep 10s"}},
		{"test_a.py", "await asyncio.sleep(delay=0.25)\nawait trio.sleep(seconds=2)\nretry(delay=3)", []string{"sleep asyncio.sleep delay 250ms", "sleep trio.sleep seconds 2s"}},
		{"test_a.py", "WebDriverWait(driver, 10).until(ready)", []string{"cap WebDriverWait 10s"}},
		{"test_a.py", "WebDriverWait(driver, timeout=2, poll_frequency=.1)", []string{"cap WebDriverWait timeout 2s", "interval WebDriverWait poll_frequency 100ms"}},
		{"test_a.py", "driver.implicitly_wait(3)\nrequests.get(url, timeout=5)", []string{"cap driver.implicitly_wait 3s", "cap requests.get timeout 5s"}},
		{"test_a.py", "from playwright.sync_api import expect\nexpect(a).to_be_visible(timeout=5000)\nrequests.get(u, timeout=5)\npage.wait_for_timeout(30)", []string{"cap to_be_visible timeout 5s", "cap requests.get timeout 5s", "sleep page.wait_for_timeout 30ms"}},
		{"test_a.py", "time.sleep(timedelta(milliseconds=20).total_seconds())", []string{"sleep time.sleep 20ms"}},
		{"test_a.py", "# time.sleep(9)\ns = 'time.sleep(9)'\nd = \"\"\"\ntime.sleep(9)\n\"\"\"\ntime.sleep(1)", []string{"sleep time.sleep 1s"}},
		{"test_a.py", "class Waits:\n    SHORT = 0.2\ntime.sleep(Waits.SHORT)", []string{"sleep time.sleep 200ms"}},
		{"test_a.py", "@pytest.mark.timeout(30)\ndef test_a(): pass", []string{"cap mark.timeout 30s"}},
		// Java and Kotlin
		{"ATest.java", "Thread.sleep(500); TimeUnit.SECONDS.sleep(1); Thread.sleep(2_000L);", []string{"sleep Thread.sleep 500ms", "sleep SECONDS.sleep 1s", "sleep Thread.sleep 2s"}},
		{"ATest.java", "Thread.sleep(TimeUnit.SECONDS.toMillis(5)); Thread.sleep(Duration.ofMillis(7).toMillis());", []string{"sleep Thread.sleep 5s", "sleep Thread.sleep 7ms"}},
		{"ATest.java", "await().atMost(5, SECONDS).pollInterval(Duration.ofMillis(100)).until(() -> x);", []string{"cap atMost 5s", "interval pollInterval 100ms"}},
		{"ATest.java", "await().atMost(Duration.ofSeconds(10)); await().atMost(FIVE_SECONDS); await().atMost(Duration.of(2, ChronoUnit.MINUTES));", []string{"cap atMost 10s", "cap atMost 5s", "cap atMost 2m0s"}},
		{"ATest.java", "new WebDriverWait(driver, 10); new WebDriverWait(driver, Duration.ofSeconds(3)).until(x);", []string{"cap WebDriverWait 10s", "cap WebDriverWait 3s"}},
		{"ATest.kt", "await atMost Duration.ofSeconds(5) withPollInterval 100.milliseconds until { ready }", []string{"cap atMost 5s", "interval withPollInterval 100ms"}},
		{"ATest.kt", "await.atMost(2.seconds) withPollDelay ofMillis(30) untilAsserted { atMost = 3 }\nawait atMost LONG\nval LONG = 7.seconds", []string{"cap await.atMost 2s", "sleep withPollDelay 30ms", "cap atMost 7s"}},
		{"ATest.kt", "import org.openqa.selenium.support.ui.WebDriverWait as Wait\nval w = Wait(driver, Duration.ofSeconds(3)); page.Wait(1, 2)", []string{"cap WebDriverWait 3s"}},
		{"test_a.py", "from selenium.webdriver.support.ui import (\n    Select as S, WebDriverWait as Wait,\n)\nWait(driver, 10).until(ready)", []string{"cap WebDriverWait 10s"}},
		{"test_a.py", "import time\nwith WebDriverWait as Wait:\n    Wait(driver, 10)", nil},
		{"ATest.java", "@Timeout(value = 5, unit = TimeUnit.MILLISECONDS) void a() {} @Test(timeout = 1000) void b() {}", []string{"cap Timeout value 5ms", "cap Test timeout 1s"}},
		{"ATest.java", "latch.await(5, TimeUnit.SECONDS); map.get(5); list.get(a, b);", []string{"cap latch.await 5s"}},
		{"ATest.java", "class ATest { private static final long SETTLE = 2 * 1000L; void a() { Thread.sleep(SETTLE); } }", []string{"sleep Thread.sleep 2s"}},
		{"ATest.kt", "delay(100); delay(1.5.seconds); delay(5.milliseconds); withTimeout(5_000) { }", []string{"sleep delay 100ms", "sleep delay 1.5s", "sleep delay 5ms", "cap withTimeout 5s"}},
		{"ATest.kt", "log(\"${f(\"delay(9)\")}\"); delay(1) /* a /* b */ delay(2) */", []string{"sleep delay 1ms"}},
		// a parameter that has a time by default
		{"a.spec.ts", "async function settle(page: Page, ms: number = 500): Promise<void> {\n  await page.waitForTimeout(ms)\n}\nsleep(ms)", []string{"sleep page.waitForTimeout 500ms"}},
		{"a.spec.js", "const settle = async (page, ms = 500) => page.waitForTimeout(ms), other = (ms) => sleep(ms)", []string{"sleep page.waitForTimeout 500ms"}},
		{"a.spec.js", "class Shop {\n  async settle(ms = 2 * 400) {\n    if (this.slow) {\n      await this.page.waitForTimeout(ms)\n    }\n  }\n}\nf(ms = 5); g(() => sleep(ms))", []string{"sleep page.waitForTimeout 800ms"}},
		{"a.spec.js", "const wait = 70\nfunction f(wait = 90) { sleep(wait) }\nsleep(wait)", []string{"sleep sleep 90ms", "sleep sleep 70ms"}},
		{"test_a.py", "def settle(page, seconds: float = 0.5):\n    if page:\n        time.sleep(seconds)\n\ndef other(seconds):\n    time.sleep(seconds)", []string{"sleep time.sleep 500ms"}},
		{"ATest.kt", "suspend fun settle(ms: Long = 300) { delay(ms) }\nfun brief(ms: Long = 200) = delay(ms)\nfun other() { delay(ms) }", []string{"sleep delay 300ms", "sleep delay 200ms"}},
		// Go
		{"a_test.go", "<-time.NewTimer(570 * time.Millisecond).C\nt := time.NewTimer(5 * time.Second)\nselect { case <-time.NewTimer(time.Second).C: }", []string{"sleep time.NewTimer 570ms", "cap time.NewTimer 5s", "cap time.NewTimer 1s"}},
		{"a_test.go", "time.Sleep(10 * time.Millisecond); time.Sleep(time.Second / 2); time.Sleep(time.Duration(3) * time.Second)", []string{"sleep time.Sleep 10ms", "sleep time.Sleep 500ms", "sleep time.Sleep 3s"}},
		{"a_test.go", "select {\ncase <-done:\ncase <-time.After(5*time.Second):\n}\n<-time.After(time.Millisecond)", []string{"cap time.After 5s", "sleep time.After 1ms"}},
		{"a_test.go", "ctx, cancel := context.WithTimeout(t.Context(), time.Minute)", []string{"cap context.WithTimeout 1m0s"}},
		{"a_test.go", "require.Eventually(t, func() bool {\n\treturn f(1, 2)\n}, 2*time.Second, 10*time.Millisecond)", []string{"cap require.Eventually 2s", "interval require.Eventually 10ms"}},
		{"a_test.go", "s.Eventually(ready, time.Second, time.Millisecond)", []string{"cap s.Eventually 1s", "interval s.Eventually 1ms"}},
		{"a_test.go", "Eventually(ready, time.Second).Should(BeTrue())", []string{"cap Eventually 1s"}},
		{"a_test.go", "Eventually(session, \"15s\", \"100ms\").Should(Exit()); Consistently(f, \"2s\"); Eventually(f, 5)", []string{"cap Eventually 15s", "interval Eventually 100ms", "sleep Consistently 2s", "cap Eventually 5s"}},
		{"a_test.go", "Eventually(session, \"soon\").Should(Exit())", nil},
		{"a_test.go", "c := &http.Client{Timeout: 3 * time.Second}", []string{"cap http.Client Timeout 3s"}},
		{"a_test.go", "s := SMTP{Timeout: 1, Host: \"a\"}", nil},
		{"a_test.go", "const settle = 5 * time.Millisecond\nfunc TestA(t *testing.T) { time.Sleep(2 * settle); s := `time.Sleep(time.Second)` }", []string{"sleep time.Sleep 10ms"}},
	} {
		for line := range strings.Lines(test.src) {
			if l := read.LanguageOf(test.file); l != "" && !read.MayWait(l, line) {
				if found, _ := read.Fragment(l, line, nil); len(found) > 0 {
					t.Errorf("%q may wait", line)
				}
			}
		}
		if diff := cmp.Diff(test.want, waits(test.file, test.src)); diff != "" {
			t.Errorf("%s: %s\n%s", test.file, test.src, diff)
		}
	}
}

// Constants of imported files are known, each language in its way.
func TestLink(t *testing.T) {
	for _, test := range []struct {
		files map[string]string
		want  string
	}{
		{map[string]string{"e2e/a.cy.js": "import { LONG } from '../support/waits'\ncy.wait(LONG)", "support/waits.js": "export const LONG = 3000"}, "3s"},
		{map[string]string{"e2e/a.cy.ts": "import * as waits from './waits'\ncy.wait(waits.TIMES.page)", "e2e/waits/index.ts": "export const TIMES = { menu: 1, page: 2_000 }"}, "2s"},
		{map[string]string{"a.test.js": "const { WAIT } = require('./config')\nsleep(WAIT)", "config.js": "module.exports = { WAIT: 70 }"}, "70ms"},
		{map[string]string{"a.spec.ts": "import { Wait } from './wait'\nsleep(Wait.Short)", "wait.ts": "export enum Wait { Short = 30, Long = 90 }"}, "30ms"},
		{map[string]string{"t/test_a.py": "from .pages import LONG_WAIT\ntime.sleep(LONG_WAIT)", "t/pages.py": "LONG_WAIT = 2.5"}, "2.5s"},
		{map[string]string{"s/ATest.java": "class ATest extends Base { void a() { Thread.sleep(SETTLE); } }", "s/Base.java": "class Base { static final int SETTLE = 40; }"}, "40ms"},
		{map[string]string{"s/ATest.java": "class ATest { void a() { Thread.sleep(Waits.LONG); } }", "s/Waits.java": "interface Waits { long LONG = 4_000; }"}, "4s"},
		{map[string]string{"p/a_test.go": "func TestA(t *testing.T) { time.Sleep(waitLong) }", "p/b_test.go": "const (\n\twaitShort = time.Second\n\twaitLong = 5 * waitShort\n)"}, "5s"},
		{map[string]string{"a.test.js": "cy.wait(WAIT_UNKNOWN)"}, "0s"},
		{map[string]string{"s/ATest.java": "class ATest extends Base { void a() { Thread.sleep(2 * PAUSE_MS); Thread.sleep(Base.PAUSE_MS + 10); } }", "s/Base.java": "class Base { static final int PAUSE_MS = 40; }"}, "80ms 50ms"},
		{map[string]string{"e2e/a.spec.ts": "import { Wait, TIMES } from './wait'\nsleep(Wait.Long / 2)\nsleep(TIMES.wait * 3)", "e2e/wait.ts": "export enum Wait { Long = 90 }\nexport const TIMES = { wait: 7 }"}, "45ms 21ms"},
		{map[string]string{"t/test_a.py": "from .pages import PAUSE\nSLOW = 2\ntime.sleep(SLOW * PAUSE)\ntime.sleep(2 * WAIT_UNKNOWN)\ntime.sleep(n * PAUSE)", "t/pages.py": "PAUSE = 0.5"}, "1s"},
		{map[string]string{"p/a_test.go": "func TestA(t *testing.T) { time.Sleep(3 * settle) }", "p/b_test.go": "const settle = 20 * time.Millisecond"}, "60ms"},
	} {
		var files []*read.File
		for name, src := range test.files {
			files = append(files, read.Parse(name, []byte(src)))
		}
		read.Link(files)
		var got []string
		for _, f := range files {
			for _, w := range f.Waits {
				got = append(got, w.Time.String())
			}
		}
		if strings.Join(got, " ") != test.want {
			t.Errorf("%v: %q, want %q", test.files, got, test.want)
		}
	}
}

// What a call names its arguments is no constant.
func TestConstants(t *testing.T) {
	for file, src := range map[string]string{
		"test_a.py":  "f(timeout=5, wait=g(6))\nWAIT = 7",
		"a.test.js":  "f({ timeout: 5 }, (a, b = 6) => { const WAIT = 7 })",
		"ATest.kt":   "f(timeout = 5)\nval WAIT: Long = 7",
		"a_test.go":  "f(T{timeout: 5})\nconst (\n\tWAIT = 7\n)",
		"ATest.java": "@Test(timeout = 5) class ATest {} static final int WAIT = 7;",
	} {
		f := read.Parse(file, []byte(src))
		if len(f.Constants) != 1 || f.Constants[0].Name != "WAIT" || f.Constants[0].Number != 7 {
			t.Errorf("%s: %+v", file, f.Constants)
		}
	}
}

// A line belongs to the test around it, and to none where that is not told.
func TestTestAt(t *testing.T) {
	for file, c := range map[string]struct {
		src  string
		want []string // by line
	}{
		"a.test.js": {"const open = () => {\n go() }\ndescribe('d', () => {\n it('one', async () => {\n go()\n })\n it('two', () => {\n go() })\n go() })",
			[]string{"", "", "", "one", "one", "one", "two", "two", ""}},
		"test_a.py": {"def open():\n    go()\ndef test_one():\n    go()\nclass TestB:\n    def test_two(self):\n        go()",
			[]string{"", "", "test_one", "test_one", "test_one", "test_two", "test_two"}},
		"notes.txt": {"it('one', () => {})", []string{""}},
	} {
		f := read.Parse(file, []byte(c.src))
		for i, want := range c.want {
			if got := f.TestAt(i + 1); got != want {
				t.Errorf("%s:%d: %q, want %q", file, i+1, got, want)
			}
		}
	}
}

// A wait belongs to the test around it.
func TestTests(t *testing.T) {
	for file, src := range map[string]string{
		"a.test.js":  "describe('d', () => {\n it('other', () => {\n f() })\n it('mine', () => {\n\n sleep(5) })\n})",
		"test_a.py":  "def test_other():\n    pass\ndef mine():\n    sleep(5)",
		"ATest.java": "class ATest { void other() {}\n void mine() throws Exception {\n Thread.sleep(5); } }",
		"ATest.kt":   "class ATest { fun other() {}\n fun `mine`() = run {\n delay(5) } }",
		"a_test.go":  "func TestOther(t *testing.T) {}\nfunc (s *Suite) mine() {\n\ttime.Sleep(time.Second) }",
	} {
		f := read.Parse(file, []byte(src))
		if len(f.Waits) != 1 || f.Waits[0].Test != "mine" {
			t.Errorf("%s: %+v", file, f.Waits)
		}
	}
}

func TestNear(t *testing.T) {
	f := read.Parse("a.cy.js", []byte("cy.get('#menu').click();\n\n// now wait\ncy.wait(500);\n\ncy.contains('Opened');\nother();"))
	own, around := f.Waits[0].Own, f.Waits[0].Around
	if diff := cmp.Diff([]string{"cy", "wait"}, own); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"cy", "get", "menu", "click", "cy", "contains", "opened"}, around); diff != "" {
		t.Error(diff)
	}
}

// A line of a difference stands by itself.
func TestFragment(t *testing.T) {
	for _, test := range []struct {
		language read.Language
		line     string
		want     string
	}{
		{read.JavaScript, "    cy.wait(500);", "sleep 500ms"},
		{read.JavaScript, "    await page.click('a', { timeout: 700,", "cap 700ms"},
		{read.JavaScript, "      timeout: 700", "cap 700ms"},
		{read.JavaScript, "  }, 500);", " 500ms"},
		{read.JavaScript, "  // }, 500);", ""},
		{read.Go, "\t}, 2*time.Second, 10*time.Millisecond)", " 10ms"},
		{read.Python, "        time.sleep(3)", "sleep 3s"},
	} {
		found, _ := read.Fragment(test.language, test.line, nil)
		got := ""
		for _, w := range found {
			got += fmt.Sprintf("%s %s", w.Kind, w.Time)
		}
		if got != "" && !read.MayWait(test.language, test.line) {
			t.Errorf("%q may wait", test.line)
		}
		if got != test.want {
			t.Errorf("%q: %q, want %q", test.line, got, test.want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{"cy.wait(500)", "setTimeout(() => { `${a[/]/]}` }, 1e3)", "x = {a: {timeout: 5.seconds}}", "\"\"\"\n/* /*", "a(((((b, 1), 2", "))}}", "${`${`"} {
		for i := range read.Extensions() {
			f.Add(byte(i), seed)
		}
	}
	f.Fuzz(func(t *testing.T, ext byte, src string) {
		all := read.Extensions()
		file := read.Parse("a"+all[int(ext)%len(all)], []byte(src))
		lines := strings.Count(src, "\n") + 1
		for _, w := range file.Waits {
			if w.From < 1 || w.From > w.Line || w.Line > lines || w.Time < 0 || w.Time > read.Longest || w.Expr == "" {
				t.Errorf("%+v of %d lines", w, lines)
			}
		}
		read.Link([]*read.File{file})
		read.Fragment(file.Language, src, file)
	})
}
