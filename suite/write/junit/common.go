package junit

import (
	"slices"
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/suite"
	"github.com/flaketap/flaketap/suite/write/plan"
)

// commonChecks writes the class of what most answers have in common.
func (j *language) commonChecks(common plan.Common) suite.File {
	w := &class{language: j, used: map[string]bool{}}
	c := &checkWriter{class: w, res: "res", indent: 4}
	c.then("statusCode", word("status"))
	for _, h := range common.Headers {
		c.flush()
		if common.Excepts {
			c.out = append(c.out, "    if ("+j.lacks("but", w.literal(h.Name))+") {")
			c.indent = 6
		}
		for i := range h.Checks {
			c.check(&h.Checks[i])
		}
		c.flush()
		if common.Excepts {
			c.out, c.indent = append(c.out, "    }"), 4
		}
	}
	c.flush()
	body := append(j.openingOfCommon(common.Excepts), c.out...)
	body = append(body, "    return res.then()"+j.end, "  }")
	if common.Excepts {
		body = append(body, j.exceptions()...)
	}
	w.use("Response")
	others := []string{"io.restassured.response.ValidatableResponse"}
	if j.kotlin {
		others = append([]string{"io.restassured.response.Response"}, others...)
	} else if common.Excepts {
		others = append(others, "java.util.List")
	}
	about := "\n/** What most answers have in common. A test calls checkCommon, and asserts all else by itself. */\n"
	text := w.head(others...) + about + j.object("Common") + strings.Join(body, "\n") + "\n}\n"
	return suite.File{Name: j.folder() + "Common" + j.suffix, Data: []byte(text), Perm: 0o644}
}

// inCommon writes the call of that class's method, which begins a chain as then does.
func (c *checkWriter) inCommon(k *plan.Check) {
	args := []doc{word(c.res), word(strconv.Itoa(k.Statuses[0]))}
	if len(k.Except) > 0 {
		var names []doc
		for _, name := range k.Except {
			names = append(names, c.text(name))
		}
		args = append(args, c.call(c.use("except"), names...))
	}
	c.flush()
	c.reads, c.common = true, c.call(c.use("checkCommon"), args...)
}

// object writes how a class begins that has nothing but functions.
func (j *language) object(name string) string {
	if j.kotlin {
		return "object " + name + " {\n"
	}
	return "class " + name + " {\n  private " + name + "() {}\n\n"
}

// lacks writes the condition that a list of texts, in Java an array, lacks one.
func (j *language) lacks(list, text string) string {
	if j.kotlin {
		return text + " !in " + list
	}
	return "!List.of(" + list + ").contains(" + text + ")"
}

// openingOfCommon writes the comment and the first line of the method.
func (j *language) openingOfCommon(excepts bool) []string {
	about, more := []string{"  /** Asserts the status, and the headers that most answers have in common. */"}, ""
	if excepts {
		about = []string{"  /**", "   * Asserts the status, and the headers that most answers have in common.",
			"   *", "   * @param but the headers that this answer lacks, or has otherwise", "   */"}
		more = ", String... but"
	}
	if !j.kotlin {
		return append(about, "  static ValidatableResponse checkCommon(Response res, int status"+more+") {")
	}
	if excepts {
		more = ", but: List<String> = listOf()"
	}
	return append(about, "  fun checkCommon(res: Response, status: Int"+more+"): ValidatableResponse {")
}

// exceptions writes the function that names headers.
func (j *language) exceptions() []string {
	about := []string{"", "  /** The names of headers, in lower case. */"}
	if j.kotlin {
		return slices.Concat(about, []string{"  fun except(vararg headers: String) = headers.toList()"})
	}
	return slices.Concat(about, []string{"  static String[] except(String... headers) {", "    return headers;", "  }"})
}
