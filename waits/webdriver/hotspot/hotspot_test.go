package hotspot

import (
	"strings"
	"testing"
	"testing/fstest"
)

// suiteFiles are those of a suite with modules, and of what stands beside it.
func suiteFiles() sources {
	all := fstest.MapFS{}
	for _, name := range []string{"web/src/test/java/shop/PagesTest.java", "api/src/test/java/shop/api/PagesTest.java",
		"web/src/test/java/shop/Twice.java", "old/shop/Twice.java", "src/test/kotlin/Cart.kt", "node_modules/x/shop/Hidden.java",
		".cache/shop/Hidden.java", "web/readme.md"} {
		all[name] = &fstest.MapFile{}
	}
	return sourcesOf(all)
}

const (
	sending = "\tat org.openqa.selenium.remote.service.DriverCommandExecutor.execute(DriverCommandExecutor.java:175)\n" +
		"\tat org.openqa.selenium.remote.RemoteWebElement.click(RemoteWebElement.java:60)\n" +
		"\tat jdk.proxy2.$Proxy12.click(jdk.proxy2/Unknown Source)\n"
	inTest = "\tat shop.PagesTest$Inner.lambda$fetch$0(PagesTest.java:33)\n"
	below  = "\tat java.lang.reflect.Method.invoke(java.base@17.0.15/Method.java:569)\n\tat shop.PagesTest.all(PagesTest.java:90)\n"
)

func thread(name, frames string) string {
	return "\"" + name + "\" #1 prio=5 os_prio=0 tid=0x" + name + " nid=0x2 waiting on condition\n   java.lang.Thread.State: WAITING (parking)\n" +
		"\tat jdk.internal.misc.Unsafe.park(java.base@17.0.15/Native Method)\n\t- parking to wait for  <0x1> (a x.Y)\n" + frames + "\n"
}

// A command comes from the nearest line of the suite of the one thread that sends one.
func TestPlace(t *testing.T) {
	other := "\tat org.openqa.selenium.support.ui.FluentWait.until(FluentWait.java:200)\n" + inTest
	for _, tt := range []struct{ name, dump, want string }{
		{"a test, and what calls it", thread("main", sending+inTest+below),
			"web/src/test/java/shop/PagesTest.java:33:0\nweb/src/test/java/shop/PagesTest.java:90:0"},
		{"beside one that waits", thread("pool-1", other) + thread("main", sending+inTest), "web/src/test/java/shop/PagesTest.java:33:0"},
		{"beside one of no test", thread("UrlChecker-1", sending) + thread("main", sending+inTest), "web/src/test/java/shop/PagesTest.java:33:0"},
		{"two that send", thread("a", sending+inTest) + thread("b", sending+inTest), ""},
		{"none that sends", thread("main", inTest+below), ""},
		{"with a loader and a module", thread("main", sending+"\tat app//shop.api.PagesTest.fetch(PagesTest.java:7)\n"), "api/src/test/java/shop/api/PagesTest.java:7:0"},
		{"a file that may be one of two", thread("main", sending+"\tat shop.Twice.fetch(Twice.java:7)\n"), ""},
		{"Kotlin above its package's folder", thread("main", sending+"\tat shop.CartKt.fetch(Cart.kt:9)\n"), "src/test/kotlin/Cart.kt:9:0"},
		{"a library of Node, and a cache", thread("main", sending+"\tat shop.Hidden.fetch(Hidden.java:9)\n"), ""},
		{"a class of no package, whose file is unknown", thread("main", sending+"\tat PagesTest.fetch(PagesTest.java:9)\n\tat X.y(Unknown Source)\n"),
			""},
		{"no dump", "gibberish ( : \n\tat x(y:z)\n\tat a.b(../c.java:3)\n", ""},
	} {
		if got := (&Machine{}).among(senders(tt.dump, suiteFiles().find)); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// Where two threads send at once, a driver's commands come from the one that sent alone before.
func TestSeveralThreads(t *testing.T) {
	a, b := thread("a", sending+inTest), thread("b", sending+below)
	for _, tt := range []struct {
		first, want string
	}{{a, "web/src/test/java/shop/PagesTest.java:33:0"}, {b, "web/src/test/java/shop/PagesTest.java:90:0"}, {"", ""}} {
		m := &Machine{}
		m.among(senders(tt.first, suiteFiles().find))
		if got := m.among(senders(a+b, suiteFiles().find)); got != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
}

// A class of no package lies where it wants.
func TestNoPackage(t *testing.T) {
	files := sourcesOf(fstest.MapFS{"PagesTest.java": &fstest.MapFile{}})
	if got := (&Machine{}).among(senders(thread("main", sending+"\tat PagesTest.fetch(PagesTest.java:9)\n"), files.find)); got != "PagesTest.java:9:0" {
		t.Error(got)
	}
}

// What is no machine has no place, and nothing is asked of it.
func TestNoMachine(t *testing.T) {
	if m := Of(1, "."); m != nil || m.Place() != "" {
		t.Error("something is taken for a machine")
	}
}

func FuzzPlace(f *testing.F) {
	f.Add(thread("main", sending+inTest+below))
	f.Fuzz(func(t *testing.T, dump string) {
		for _, s := range senders(dump, suiteFiles().find) {
			if !strings.HasSuffix(s.place, ":0") {
				t.Error(s)
			}
		}
	})
}
