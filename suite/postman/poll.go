package postman

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/flaketap/flaketap/internal/jsontree"
	"github.com/flaketap/flaketap/suite/js"
	"github.com/flaketap/flaketap/suite/script"
)

// scripts are those of a request.
type scripts struct {
	tests  int            // the first line of the one that tests, by its number among all, from 1; 0 for none
	before *jsontree.Node // the lines of the one that runs before it; nil for none
}

// runsBefore notes the lines of a script that runs before a request.
func (l *file) runsBefore(c *script.Call, lines *jsontree.Node) {
	s := l.asks[c]
	s.before = lines
	l.asks[c] = s
}

// testedBy notes a script that tests what a request is answered, by its first line and its text. Of one that sends the
// request again the last answer is what is tested.
func (l *file) testedBy(c *script.Call, first int, text string) {
	if s := l.asks[c]; s.tests == 0 && first < len(l.lines) {
		s.tests = first + 1
		l.asks[c] = s
	}
	if strings.Contains(text, "setNextRequest(pm.info.requestId)") || strings.Contains(text, "setNextRequest(pm.info.requestName)") {
		c.Many, c.Last = true, true
	}
}

// poll has the script that tests send its request again until the answer is ready. A pause of the script before it is
// taken away. See [script.Writer.Poll].
func (l *file) poll(s *script.Script, _ *script.Test, of script.Wait) []script.Edit {
	its := l.asks[of.Call]
	ready, said := js.Ready(of.Ready, "pm.response.code")
	failed, saidToo := js.Ready(of.Failed, "pm.response.code")
	if its.tests == 0 || !said || !saidToo {
		return nil
	}
	if failed == nil {
		failed = []string{"false"}
	}
	text := strings.NewReplacer("READY", strings.Join(ready, " "), "FAILED", strings.Join(failed, " "),
		"ATMOST", fmt.Sprint(of.Atmost.Milliseconds()), "EVERY", fmt.Sprint(of.Every.Milliseconds())).Replace(again)
	lines := append([]string{s.Comment(of.Comment)}, strings.Split(strings.TrimSuffix(text, "\n"), "\n")...)
	at := l.lines[its.tests-1].start
	edits := l.above(s, script.Span{Start: at, End: at}, lines)
	if its.before != nil {
		edits = append(edits, withoutPause(its.before)...)
	}
	return edits
}

// pause is a line of a script that does nothing but wait.
const pause = `^\s*setTimeout\((\(\) => \{\s*\}|function ?\(\) ?\{\s*\}), *[0-9]+\);?\s*$`

// withoutPause takes the lines away that do nothing but wait.
func withoutPause(exec *jsontree.Node) []script.Edit {
	var out []script.Edit
	all, pauses := elements(exec), regexp.MustCompile(pause)
	for i, line := range all {
		if line.Kind != jsontree.String || !pauses.MatchString(line.Text()) {
			continue
		}
		switch {
		case i+1 < len(all):
			out = append(out, script.Edit{Start: line.Start, End: all[i+1].Start})
		case i > 0 && len(out) == 0:
			out = append(out, script.Edit{Start: all[i-1].End, End: line.End})
		case len(all) == 1:
			out = append(out, script.Edit{Start: line.Start, End: line.End})
		}
	}
	return out
}

// The request is sent again by its id, which is that of the item, or one that the runner gave it. Since when it is
// waited for is forgotten at the end, so that the next run of the collection begins anew.
const again = `{
  const since = ` + "`${pm.info.requestId} is waited for since`" + `;
  const began = Number(pm.collectionVariables.get(since) || Date.now());
  let body;
  try {
    body = pm.response.json();
  } catch {} // it is no JSON
  const ready = READY;
  const bad = !ready && (FAILED);
  if (!ready && !bad && Date.now() < began + ATMOST) {
    pm.collectionVariables.set(since, began);
    pm.execution.setNextRequest(pm.info.requestId);
    return setTimeout(() => {}, EVERY); // the next request waits for that
  }
  pm.collectionVariables.unset(since);
  if (!ready) {
    pm.test("the API came to be ready", () => {
      const why = bad ? "it came to a bad end" : "not ready in time";
      throw new Error(` + "`${why}: ${pm.response.code} ${pm.response.text()}`" + `);
    });
  }
}
`
