package explicit

import "testing"

// A page object keeps its driver where its class, or one that it extends, looks for elements from; nobody has it where
// this is something else.
func TestMembers(t *testing.T) {
	const source = `class Base {
  find(id) { return this.driver.findElement(By.id(id)); }
}
class Page extends Base {
  method() { return method(); }
  arrow() { return () => arrow(); }
  static of() { return static1(); }
  later() { return function () { return within(); }; }
}
class Other { a() { return other(); } }
outside();
`
	j, err := readJavaScript("a.js", source)
	if err != nil {
		t.Fatal(err)
	}
	j.idiom = selenium{map[int]bool{2: true}, true}
	lines := map[int]string{5: "this.driver", 6: "this.driver", 7: "", 8: "", 10: "", 11: ""}
	for i, token := range j.tokens {
		if !token.Is("(") || !j.tokens[i+1].Is(")") || !j.tokens[i+2].Is(";") {
			continue
		}
		want, known := lines[token.Line]
		if got := j.member(i); !known || got != want {
			t.Errorf("line %d: %q, want %q", token.Line, got, want)
		}
		delete(lines, token.Line)
	}
	if len(lines) > 0 {
		t.Errorf("no calls in %v", lines)
	}
}
