package polling

import (
	"strings"

	"github.com/flaketap/flaketap/internal/literal"
	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/java"
)

// NameOf is that of the function for reads that give anything but an answer of REST-assured's.
const NameOf = "pollFor"

// Value is what a statement of Kotlin's gives a name that is read by any other client, and how it is asked for what
// it has: by the name it.
type Value struct {
	From   int    // where its expression begins, in bytes
	Status string // its status; "" where it has none
	// Part writes what is at a path of the body, to be compared with a value; false where there is no way
	Part func(path []expr.Expr, with expr.Expr) (string, bool)
}

// Gson asks for parts of a tree of Gson's.
func Gson(tree string) func(path []expr.Expr, with expr.Expr) (string, bool) {
	return func(path []expr.Expr, with expr.Expr) (string, bool) {
		out := tree
		for _, step := range path {
			switch i := step.(type) {
			case expr.Str:
				out += ".asJsonObject[" + literal.Kotlin(i.Value) + "]"
			case expr.Num:
				out += ".asJsonArray[" + i.Text + "]"
			default:
				return "", false
			}
		}
		switch with.(type) {
		case expr.Str:
			return out + ".asString", true
		case expr.Num:
			return out + ".asInt", true
		case expr.Bool:
			return out + ".asBoolean", true
		}
		return out + ".takeUnless { e -> e.isJsonNull }", true
	}
}

// comparedWith is what leads to a part of the body that is compared with a value.
func (s Site) comparedWith(x, with expr.Expr) (string, bool) {
	if s.Value == nil {
		return s.part(x)
	}
	_, steps := expr.Steps(x)
	if _, ok := expr.BodyOf(x); !ok || len(steps) == 0 {
		return "", false
	}
	var path []expr.Expr
	for _, step := range steps {
		path = append(path, step.I)
	}
	return s.Value.Part(path, with)
}

// asked are the parts of a condition that can be asked for: not the status of what has none, beside others.
func (s Site) asked(parts []expr.Expr) []expr.Expr {
	if s.Value == nil || s.Value.Status != "" {
		return parts
	}
	var out []expr.Expr
	for _, x := range parts {
		one, _ := x.(expr.Compare)
		if of, ok := one.X.(expr.Answer); !ok || of.Part != expr.Status {
			out = append(out, x)
		}
	}
	return out
}

// whole are the first and the last token of the expression that gives a value.
func (s Site) whole(tokens []java.Token) (from, end int) {
	for from = range tokens {
		if tokens[from].Start == s.Value.From {
			return from, len(tokens) - 1
		}
	}
	return -1, 0
}

// flowing reports whether a line break may be left out before a token: no statement ends there.
func flowing(before string, t java.Token) bool {
	return t.Is(".") || t.Is("?.") || t.Is(")") || strings.HasSuffix(before, "(") || strings.HasSuffix(before, ",")
}

const inKotlinOf = `private fun <T> pollFor(
  read: () -> T,
  ready: (T) -> Boolean,
  failed: (T) -> Boolean,
  atMost: Long,
  every: Long,
): T {
  val end = System.nanoTime() + atMost * 1_000_000
  while (true) {
    val answer = read()
    if (runCatching { ready(answer) }.getOrDefault(false)) {
      return answer
    }
    val bad = runCatching { failed(answer) }.getOrDefault(false)
    if (bad || System.nanoTime() - end >= 0) {
      val why = if (bad) "it came to a bad end" else "not ready after $atMost ms"
      throw AssertionError("$why: $answer")
    }
    Thread.sleep(every)
  }
}
`
