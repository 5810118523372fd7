package polling

import (
	"fmt"
	"strings"

	"github.com/flaketap/flaketap/internal/literal"
	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/java"
)

// NameOf is that of the function for reads that give anything but an answer of REST-assured's.
const NameOf = "pollFor"

// Value is what a statement gives a name that is read by any other client than REST-assured, and how it is asked for
// what it has.
type Value struct {
	From   int    // where its expression begins, in bytes
	Status string // what asks it for its status: ".statusCode()"; "" where it has none
	// Part writes what is at a path of the body of what has a name, to be compared with a value; false where there is no
	// way.
	Part func(name string, path []expr.Expr, with expr.Expr) (string, bool)
	Null string // what asks a part whether it is null; "" where it is compared with null
}

// Tree is how a library asks trees of JSON for what they have: the ends of calls, those of parts with %s in the place
// of a name or an index.
type Tree struct {
	Member, Element, Text, Number, Truth, Null string
}

// GsonTree is that of Gson, in Java and in Kotlin, and JacksonTree that of Jackson in Java.
var (
	GsonTree = map[bool]Tree{
		false: {".getAsJsonObject().get(%s)", ".getAsJsonArray().get(%s)", ".getAsString()", ".getAsInt()", ".getAsBoolean()",
			".isJsonNull()"},
		true: {".asJsonObject[%s]", ".asJsonArray[%s]", ".asString", ".asInt", ".asBoolean", ".isJsonNull"},
	}
	JacksonTree = Tree{".get(%s)", ".get(%s)", ".textValue()", ".intValue()", ".booleanValue()", ".isNull()"}
)

// Ask has a value asked for parts of the tree that is made of it: of says how, with %s in the place of its name.
func (v *Value) Ask(tree Tree, of string, kotlin bool) {
	text := literal.Java
	if kotlin {
		text = literal.Kotlin
	}
	v.Null = tree.Null
	v.Part = func(name string, path []expr.Expr, with expr.Expr) (string, bool) {
		out := fmt.Sprintf(of, name)
		for _, step := range path {
			switch i := step.(type) {
			case expr.Str:
				out += fmt.Sprintf(tree.Member, text(i.Value))
			case expr.Num:
				out += fmt.Sprintf(tree.Element, i.Text)
			default:
				return "", false
			}
		}
		switch with.(type) {
		case expr.Str:
			out += tree.Text
		case expr.Num:
			out += tree.Number
		case expr.Bool:
			out += tree.Truth
		}
		return out, true
	}
}

// AskByGson has an answer of a client asked for what it has by Gson, where the file uses its parser: of OkHttp's, or of
// java.net.http's.
func (v *Value) AskByGson(file *java.File, okHTTP, kotlin bool) bool {
	if !file.Has("com.google.gson.JsonParser") {
		return false
	}
	text := "%s.body()"
	switch {
	case okHTTP && kotlin:
		v.Status, text = ".code", "%s.peekBody(Long.MAX_VALUE).string()"
	case okHTTP:
		v.Status, text = ".code()", "%s.peekBody(Long.MAX_VALUE).string()"
	default:
		v.Status = ".statusCode()"
	}
	v.Ask(GsonTree[kotlin], "JsonParser.parseString("+text+")", kotlin)
	return true
}

// AskMade has what was made of the JSON of an answer, of a type, asked for what it has: an object of the file's, to
// which it is bound, or a tree.
func (v *Value) AskMade(file *java.File, typ string, bound, kotlin bool) bool {
	switch {
	case bound && file.Fields[typ] != nil:
		v.AskObject(file, typ, kotlin)
	case typ == "JsonElement" || typ == "JsonObject":
		v.Ask(GsonTree[kotlin], "%s", kotlin)
	case typ == "JsonNode" && !kotlin:
		v.Ask(JacksonTree, "%s", kotlin)
	default:
		return false
	}
	return true
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
	return s.Value.Part(s.answer(), path, with)
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

// inJavaOf is the function in Java, and the type of what it asks. SAID is where it has more words for an answer.
const inJavaOf = `private static <T> T pollFor(
    java.util.concurrent.Callable<T> read,
    PollCheck<T> ready,
    PollCheck<T> failed,
    long atMost,
    long every) {
  long end = System.nanoTime() + atMost * 1_000_000;
  while (true) {
    T answer = null;
    Throwable error = null;
    try {
      answer = read.call();
    } catch (java.io.IOException | InterruptedException e) {
      throw new AssertionError(e);
    } catch (Exception | AssertionError e) {
      error = e;
    }
    boolean bad = false;
    try {
      if (error == null && ready.test(answer)) {
        return answer;
      }
      bad = error == null && failed.test(answer);
    } catch (Exception e) {
      // it has no such body
    }
    if (bad || System.nanoTime() - end >= 0) {
      String why = bad ? "it came to a bad end" : "not ready after " + atMost + " ms";
      Object said = error == null ? answer : error;
SAID      throw new AssertionError(why + ": " + said, error);
    }
    java.util.concurrent.locks.LockSupport.parkNanos(every * 1_000_000);
  }
}
` + pollCheck

// pollCheck is what a condition is in Java that may throw an exception.
const pollCheck = `
private ` + pollCheckHead + `
  boolean test(T answer) throws Exception;
}
`

const pollCheckHead = "interface PollCheck<T> {"

// saidByJDK are words for an answer of java.net.http's, which by itself does not say its body; saidOfJDK are the same
// as a statement of the function.
const saidByJDK = `      if (answer instanceof HttpResponse) {
        HttpResponse<?> response = (HttpResponse<?>) answer;
        return response.statusCode() + " " + response.body();
      }
`

const saidOfJDK = `      if (answer instanceof HttpResponse) {
        HttpResponse<?> response = (HttpResponse<?>) answer;
        said = response.statusCode() + " " + response.body();
      }
`

const inKotlinOf = `private fun <T> pollFor(
  read: () -> T,
  ready: (T) -> Boolean,
  failed: (T) -> Boolean,
  atMost: Long,
  every: Long,
): T {
  val end = System.nanoTime() + atMost * 1_000_000
  while (true) {
    val answer = runCatching(read)
    val error = answer.exceptionOrNull()
    if (error is java.io.IOException) throw error
    if (error is InterruptedException) throw error
    if (answer.mapCatching(ready).getOrDefault(false)) {
      return answer.getOrThrow()
    }
    val bad = answer.mapCatching(failed).getOrDefault(false)
    if (bad || System.nanoTime() - end >= 0) {
      val why = if (bad) "it came to a bad end" else "not ready after $atMost ms"
      throw AssertionError("$why: ${answer.getOrElse { it }}", error)
    }
    Thread.sleep(every)
  }
}
`
