package suite

import (
	"strings"
	"testing"
)

// Lists whose order moves are compared in any order, also where a loop has filled them, and where they were compared as
// one text.
func TestListsInAnyOrderJVM(t *testing.T) {
	const tree = `JsonNode all = m.readTree(r.asString()); List<String> l = new ArrayList<>(); `
	for _, c := range []struct{ says, want string }{
		{tree + `for (JsonNode e : all) { l.add(e.get("name").asText()); } ; assertEquals(List.of("a", "b"), l);`,
			`assertTrue(l.size() == 2 && l.containsAll(java.util.Arrays.asList("a", "b")));`},
		{tree + `all.forEach(e -> l.add(e.get("name").asText())); assertThat(l).containsExactly("a", "b");`,
			`assertThat(l) .matches(answer -> answer.size() == 2 && answer.containsAll(java.util.Arrays.asList("a", "b")));`},
		{`List<String> l = r.path("name"); assertEquals("a and b", String.join(" and ", l));`,
			`assertTrue(l.size() == 2 && l.containsAll(java.util.Arrays.asList("a", "b")));`},
		{`List<Map<String, Object>> l = r.path("$"); assertThat(l.stream().map(e -> (String) e.get("name")).collect(Collectors.joining(","))).isEqualTo("a,b");`,
			`.matches(answer -> java.util.Arrays.asList(answer.split(java.util.regex.Pattern.quote(","), -1)).size() == 2 && ` +
				`java.util.Arrays.asList(answer.split(java.util.regex.Pattern.quote(","), -1)).containsAll(java.util.Arrays.asList("a", "b")));`},
	} {
		name, source := approvedIn("Java", strings.ReplaceAll(c.says, "; ", ";\n    "))
		source = strings.Replace(source, "import org.approvaltests.Approvals;", "import java.util.*;\nimport java.util.stream.Collectors;\n"+
			"import static org.assertj.core.api.Assertions.assertThat;\nimport static org.junit.jupiter.api.Assertions.assertEquals;", 1)
		p := patchedAmong(t, name, source, nil, `[{"name":"a"},{"name":"b"}]`, `[{"name":"b"},{"name":"a"}]`)
		got := withoutBreaks(uncommented(string(p.Data), "// "))
		if !strings.Contains(got, c.want) {
			t.Errorf("%s\n got %s\nwant %s %+v", c.says, p.Data, c.want, p.Unknown)
		}
	}
}
