package polling

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/suite/java"
	"github.com/flaketap/flaketap/suite/script"
)

// The names of the functions that make what Awaitility waits for: a matcher that tells an answer which is ready, and
// says what the last one was.
const (
	Ready   = "ready"
	ReadyOf = "readyFor" // of anything but an answer of REST-assured's
)

// Awaited is the read that a call of Awaitility's sends until what it gives is ready, which the call then gives:
// await()….until(() -> read, …). False for any other call.
func Awaited(c java.Call) (java.Lambda, bool) {
	if c.Name != "until" || len(c.Args) != 2 {
		return java.Lambda{}, false
	}
	read, ok := c.Args[0].X.(java.Lambda)
	if !ok || len(read.Params) > 0 {
		return java.Lambda{}, false
	}
	for x := c.X; ; {
		switch of := x.(type) {
		case java.Call:
			if slices.Contains(begins, of.Name) {
				return read, true
			}
			x = of.X
		case java.Name:
			return read, of.ID == "await" // of awaitility-kotlin
		default:
			return java.Lambda{}, false
		}
	}
}

// begins are the calls by which waiting with Awaitility begins.
var begins = []string{"await", "with", "given"}

var (
	importsAwaitility = regexp.MustCompile(`(?m)^\s*import\s+(?:static\s+)?org\.awaitility\.`)
	// What of a pom.xml names no dependency, and of the files of Gradle, in which # begins a comment of a catalog.
	unusedByMaven  = regexp.MustCompile(`(?s)<!--.*?-->|<dependencyManagement>.*?</dependencyManagement>|<exclusions>.*?</exclusions>`)
	unusedByGradle = regexp.MustCompile(`(?s)/\*.*?\*/|(?m:^\s*(?://|#).*?$)`)
	// A version behind the name: of an element or a variable, of the artifact beside it, or of the same line.
	awaitilityVersion = regexp.MustCompile(`(?i)awaitility(?:-kotlin)?(?:[._-]?version)?` +
		`(?:>|</artifactId>\s*(?:<scope>\w*</scope>\s*)?<version>|["']?\s*[:=,]\s*(?:version\s*[:=]\s*)?["']?)(\d{1,3})\.(\d{1,3})`)
)

// mostFolders is in how many folders a build file is looked for, from that of the tests up.
const mostFolders = 12

// HasAwaitility reports whether a suite has Awaitility, in a version that knows a terminal failure (4.1): its files,
// whose text is given, import it, or a build file above the file of tests names it.
func HasAwaitility(s *script.Script, text string) bool {
	has, bundles, catalog := importsAwaitility.MatchString(text), false, false
	dir := strings.TrimSuffix(script.Slashed(s.File), "/")
	for range mostFolders {
		if s.Beside == nil {
			break
		}
		dir = above(dir)
		for _, name := range []string{"pom.xml", "build.gradle", "build.gradle.kts", "gradle/libs.versions.toml", "gradle.properties"} {
			build, ok := s.Beside(dir + name)
			if !ok {
				continue
			}
			if m := awaitilityVersion.FindStringSubmatch(build); m != nil && older(m[1], m[2]) {
				return false
			}
			unused := unusedByGradle
			if name == "pom.xml" {
				unused = unusedByMaven
			}
			build = unused.ReplaceAllString(build, "")
			switch names := strings.Contains(build, "awaitility"); name {
			case "gradle.properties": // which has no more than versions
			case "gradle/libs.versions.toml": // what it names is there for who takes a bundle of it
				catalog = catalog || names
			default:
				has, bundles = has || names, bundles || strings.Contains(build, ".bundles.")
			}
		}
		if _, root := s.Beside(dir + ".git/HEAD"); root || dir == "/" {
			break
		}
		dir = strings.TrimSuffix(dir, "/")
	}
	return has || bundles && catalog
}

// above is the folder that holds a file or a folder, with a slash at its end; "" is the working folder.
func above(of string) string {
	i := strings.LastIndexByte(of, '/')
	last := of[i+1:]
	if last == "" || last == ".." {
		return strings.TrimSuffix(of, "/") + strings.Repeat("/", min(len(of), 1)) + "../"
	}
	return of[:i+1]
}

// older reports whether a version is older than 4.1.
func older(major, minor string) bool {
	m, _ := strconv.Atoi(major)
	n, _ := strconv.Atoi(minor)
	return m < 4 || m == 4 && n < 1
}

// The classes that a call of Awaitility's names.
const (
	awaitilityClass = "org.awaitility.Awaitility"
	unitClass       = "java.util.concurrent.TimeUnit"
	ioErrorClass    = "java.io.IOException"
	terminalClass   = "org.awaitility.core.TerminalFailureException"
)

// needs are the classes that the call names.
func (c call) needs() []string {
	out := []string{unitClass}
	if !c.begun() {
		out = append(out, awaitilityClass)
	}
	if c.Value != nil {
		out = append(out, ioErrorClass, terminalClass)
	}
	return out
}

// begun reports whether the file imports the function that waiting begins with, which a method of a class of the
// suite's would hide.
func (s Site) begun() bool {
	const function = awaitilityClass + ".await"
	hidden := slices.ContainsFunc(s.File.Methods, func(f *java.Method) bool { return f.Name == "await" })
	return !hidden && (s.File.Has("static "+function) || s.File.Has(function))
}

// imports are the classes that have to be imported for a call, and are not.
func (c call) imports() []string {
	return slices.DeleteFunc(c.needs(), func(class string) bool { return c.File.Has(class) || c.named(class) == class })
}

// imported are the edits that import what a call of Awaitility's names.
func (c call) imported() []script.Edit {
	if !c.Awaitility {
		return nil
	}
	return c.Import(c.imports())
}

// named is what a class is called: by its name alone, unless the file has another of that name.
func (s Site) named(class string) string {
	simple := class[strings.LastIndexByte(class, '.')+1:]
	_, own := s.File.Outer[simple]
	other := func(name string) bool {
		return strings.HasSuffix(name, "."+simple) && name != class && !strings.HasPrefix(name, "static ")
	}
	if own || slices.ContainsFunc(s.File.Imports, other) {
		return class
	}
	return simple
}

// awaited writes the call with its links on lines of their own, at a margin; behind is what stands behind it in its
// last line.
func (c call) awaited(margin, behind string) string {
	first := "await()"
	if !c.begun() {
		first = c.named(awaitilityClass) + ".await()"
	}
	milliseconds := ", " + c.named(unitClass) + ".MILLISECONDS)"
	lines := []string{first, margin + ".pollInSameThread()",
		fmt.Sprintf("%s.atMost(%d%s", margin, c.wait.Atmost.Milliseconds(), milliseconds),
		fmt.Sprintf("%s.pollDelay(0%s", margin, milliseconds),
		fmt.Sprintf("%s.pollInterval(%d%s", margin, c.wait.Every.Milliseconds(), milliseconds)}
	lines = append(lines, c.ignoring(margin)...)
	return strings.Join(append(lines, c.until(margin, behind)...), c.Script.EOL())
}

// ignoring writes which errors tell that the API is not ready: what reads by REST-assured assert, and for others
// whatever is no trouble on the way.
func (c call) ignoring(margin string) []string {
	switch {
	case c.Value == nil && c.Kotlin:
		return []string{margin + ".ignoreExceptionsInstanceOf(AssertionError::class.java)"}
	case c.Value == nil:
		return []string{margin + ".ignoreExceptionsInstanceOf(AssertionError.class)"}
	}
	io, terminal := c.named(ioErrorClass), c.named(terminalClass)
	e := c.thrown()
	flat := fmt.Sprintf(".ignoreExceptionsMatching(%[1]s -> !(%[1]s instanceof %[2]s || %[1]s instanceof %[3]s))", e, io, terminal)
	begin, end := strings.Index(flat, e+" ->"), ""
	inner := margin + c.further()
	if c.Kotlin {
		flat = fmt.Sprintf(".ignoreExceptionsMatching { it !is %s && it !is %s }", io, terminal)
		begin, end = strings.Index(flat, " it"), "}"
	}
	if fits(margin + flat) {
		return []string{margin + flat}
	}
	body := strings.TrimSpace(strings.TrimSuffix(flat[begin:], end))
	lines := []string{margin + flat[:begin], inner + body}
	switch {
	case c.Kotlin:
		lines = append(lines, margin+end)
	case !fits(lines[1]):
		lines = []string{lines[0], inner + e + " ->", inner + c.further() + strings.TrimPrefix(body, e+" -> ")}
	}
	return lines
}

// thrown is what a lambda calls an error: no name of the test's, which Java would not have twice.
func (s Site) thrown() string {
	const usual = "e"
	own := func(t java.Token) bool {
		return t.Is(usual) && s.Test.Head.Start <= t.Start && t.Start < s.Test.BodyEnd
	}
	if slices.ContainsFunc(s.File.Tokens, own) {
		return s.Free
	}
	return usual
}

// until writes the last link: what is read, and when it is ready.
func (c call) until(margin, behind string) []string {
	behind = strings.TrimRight(behind, "\r")
	ready := fmt.Sprintf("%s(%s, %s)", c.Name(), c.test(c.ready), c.test(c.failed))
	flat := ".until(" + c.send(c.read) + ", " + ready + ")"
	inner := margin + c.further()
	deep := inner + c.further()
	switch rest := flat[len(".until("):]; {
	case fits(margin + flat + behind):
		return []string{margin + flat}
	case !c.Kotlin && fits(inner+rest+behind):
		return []string{margin + ".until(", inner + rest}
	case c.Kotlin:
		lines := []string{margin + ".until(", inner + c.send(c.read) + ","}
		if fits(inner + ready + ",") {
			lines = append(lines, inner+ready+",")
		} else {
			lines = slices.Concat(lines, []string{inner + c.Name() + "("}, c.lambda(deep, c.ready, ","),
				c.lambda(deep, c.failed, ","), []string{inner + "),"})
		}
		return append(lines, margin+")")
	}
	lines := append([]string{margin + ".until("}, c.reading(inner, c.read)...)
	args := c.test(c.ready) + ", " + c.test(c.failed) + "))"
	switch {
	case fits(inner + ready + ")" + behind):
		return append(lines, inner+ready+")")
	case fits(deep + args + behind):
		return append(lines, inner+c.Name()+"(", deep+args)
	}
	last := c.lambda(deep, c.failed, "))"+behind)
	last[len(last)-1] = strings.TrimSuffix(last[len(last)-1], behind)
	return slices.Concat(lines, []string{inner + c.Name() + "("}, c.lambda(deep, c.ready, ","), last)
}

// readyInJava makes the matcher in Java, behind its signature.
const readyInJava = `
  return new org.hamcrest.TypeSafeMatcher<TYPE>() {
    @Override
    protected boolean matchesSafely(TYPE answer) {
      if (fits(failed, answer)) {
        String why = "it came to a bad end: " + said(answer);
        throw new org.awaitility.core.TerminalFailureException(why);
      }
      return fits(ready, answer);
    }

    @Override
    public void describeTo(org.hamcrest.Description text) {
      text.appendText("the API to be ready");
    }

    @Override
    protected void describeMismatchSafely(TYPE answer, org.hamcrest.Description text) {
      text.appendText("it said " + said(answer));
    }

    private boolean fits(CHECK<TYPE> condition, TYPE answer) {
      try {
        return condition.test(answer);
      } catch (Exception e) {
        return false; // it has no such body
      }
    }

    private String said(TYPE answer) {
SAID
    }
  };
}
`

// readyInKotlin makes it in Kotlin.
const readyInKotlin = `
  object : org.hamcrest.TypeSafeMatcher<TYPE>() {
    override fun matchesSafely(answer: TYPE): Boolean {
      if (fits(failed, answer)) {
        val why = "it came to a bad end: ${said(answer)}"
        throw org.awaitility.core.TerminalFailureException(why)
      }
      return fits(ready, answer)
    }

    override fun describeTo(text: org.hamcrest.Description) {
      text.appendText("the API to be ready")
    }

    override fun describeMismatchSafely(answer: TYPE, text: org.hamcrest.Description) {
      text.appendText("it said ${said(answer)}")
    }

    private fun fits(condition: (TYPE) -> Boolean, answer: TYPE) =
      runCatching { condition(answer) }.getOrDefault(false)

    private fun said(answer: TYPE) = SAID
  }
`

// matcher is the function that makes what the call waits for.
func (s Site) matcher() string {
	typ, generic, check, said := "T", "<T> ", "PollCheck", "      return String.valueOf(answer);"
	switch {
	case s.Value == nil:
		typ, generic, check = s.Response, "", "java.util.function.Predicate"
		said = `      return answer.statusCode() + " " + answer.asString();`
	case s.JDK:
		said = strings.TrimSuffix(saidByJDK, "\n") + "\n" + said
	}
	if !s.Kotlin {
		head := "private static " + generic + "org.hamcrest.Matcher<" + typ + "> " + s.Name() + "("
		of := check + "<" + typ + "> "
		text := s.signature(head, []string{of + "ready", of + "failed"}, ") {") +
			strings.NewReplacer("TYPE", typ, "CHECK", check, "SAID", said).Replace(readyInJava)
		if s.Value != nil {
			text += pollCheck
		}
		return text
	}
	said = `"$answer"`
	if s.Value == nil {
		said = `"${answer.statusCode()} ${answer.asString()}"`
	}
	of := ": (" + typ + ") -> Boolean"
	return s.signature("private fun "+generic+s.Name()+"(", []string{"ready" + of, "failed" + of},
		"): org.hamcrest.Matcher<"+typ+"> =") + strings.NewReplacer("TYPE", typ, "SAID", said).Replace(readyInKotlin)
}

// signature lays out the first lines of a function, with two blanks for each unit of indentation.
func (s Site) signature(head string, params []string, end string) string {
	all := strings.Join(params, ", ")
	switch {
	case fits(s.Margin + head + all + end):
		return head + all + end
	case s.Kotlin:
		return head + "\n  " + strings.Join(params, ",\n  ") + ",\n" + end
	case fits(s.Margin + s.Unit + s.Unit + all + end):
		return head + "\n    " + all + end
	}
	return head + "\n    " + strings.Join(params, ",\n    ") + end
}
