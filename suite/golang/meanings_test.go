package golang

const shown = "var v struct {\n\t\tName string `json:\"name\"`\n\t\tNote *string `json:\"note\"`\n\t\tTags []string `json:\"tags\"`\n\t\tCount int64 `json:\"count\"`\n\t\tReady bool `json:\"ready\"`\n\t\tMore map[string]int `json:\"more\"`\n\t}"

// plainly are tests with plain conditions.
func plainly() []found {
	return []found{
		{decoded(shown, `len(v.Name) == 0`), []string{`{"name":"a"}`}, []string{`{"name":""}`, `{}`, `{"name":null}`}},
		{decoded(shown, `0 == len(v.Name)`), []string{`{"name":"a"}`}, []string{`{"name":""}`, `{}`}},
		{decoded(shown, `0 >= len(v.Name)`), []string{`{"name":"a"}`}, []string{`{"name":""}`, `{}`}},
		{decoded(shown, `0 < len(v.Name)`), []string{`{"name":""}`, `{}`}, []string{`{"name":"a"}`}},
		{decoded(shown, `len(v.Name) > 0`), []string{`{"name":""}`, `{}`}, []string{`{"name":"a"}`}},
		{decoded(shown, `len(v.Name) != 3`), []string{`{"name":"abc"}`, `{"name":"né"}`, `{"name":"€"}`},
			[]string{`{"name":"née"}`, `{"name":"ab"}`, `{}`, `{"name":null}`}},
		{decoded(shown, `len(v.Name) < 2 || len(v.Name) > 4`), []string{`{"name":"é"}`, `{"name":"éé"}`}, []string{`{"name":"e"}`, `{"name":"ééé"}`, `{}`}},
		{decoded("var v map[string]any", `len(v["a"].(string)) != 3`), []string{`{"a":"né"}`}, []string{`{"a":"née"}`, `{"a":[1,2,3]}`, `{}`}},
		{decoded(shown, `len(v.Tags) > 2`), []string{`{"tags":["a"]}`, `{}`, `{"tags":null}`}, []string{`{"tags":["a","b","c"]}`}},
		{decoded(shown, `2 < len(v.Tags)`), []string{`{"tags":["a"]}`, `{}`}, []string{`{"tags":["a","b","c"]}`}},
		{decoded(shown, `!slices.Equal(v.Tags, []string{})`), []string{`{"tags":[]}`, `{}`, `{"tags":null}`}, []string{`{"tags":["a"]}`}},
		{decoded(shown, `!reflect.DeepEqual(v.Tags, []string{})`), []string{`{"tags":[]}`}, []string{`{"tags":["a"]}`, `{}`, `{"tags":null}`}},
		{decoded(shown, `!cmp.Equal(v.Tags, []string{})`), []string{`{"tags":[]}`}, []string{`{"tags":["a"]}`, `{}`, `{"tags":null}`}},
		{decoded(shown, `cmp.Diff(v.Tags, []string{"a"}) != ""`), []string{`{"tags":["a"]}`}, []string{`{"tags":[]}`, `{}`}},
		{decoded(shown, `cmp.Diff(v.Tags, []string{"a"}) == ""`), []string{`{"tags":[]}`, `{}`}, []string{`{"tags":["a"]}`}},
		{decoded(shown, `"" != cmp.Diff(v.Tags, []string{"a"})`), []string{`{"tags":["a"]}`}, []string{`{"tags":[]}`, `{}`}},
		{decoded(shown, `!maps.Equal(v.More, map[string]int{})`), []string{`{"more":{}}`, `{}`}, []string{`{"more":{"a":1}}`}},
		{decoded(shown, `v.Tags != nil`), []string{`{}`, `{"tags":null}`}, []string{`{"tags":[]}`, `{"tags":["a"]}`}},
		{decoded(shown, `v.More == nil`), []string{`{"more":{}}`}, []string{`{}`, `{"more":null}`}},
		{decoded("var v []string", `v == nil`), []string{`[]`, `["a"]`}, []string{`null`}},
		{decoded("var v [][]string", `v[0] != nil`), []string{`[null]`}, []string{`[[]]`, `[["a"]]`}},
		{decoded("var v map[string][]string", `v["a"] != nil`), []string{`{}`, `{"a":null}`}, []string{`{"a":[]}`}},
		{decoded(shown, `slices.Contains(v.Tags, "a")`), []string{`{"tags":["b"]}`, `{}`}, []string{`{"tags":["a"]}`}},
		{decoded(shown, `!slices.Contains([]string{"a", "b"}, v.Name)`), []string{`{"name":"a"}`}, []string{`{}`, `{"name":"c"}`}},
		{decoded(shown, `!slices.Contains([]string{"a", ""}, v.Name)`), []string{`{"name":"a"}`, `{}`}, []string{`{"name":"c"}`}},
		{decoded(shown, `v.Name != "a" && v.Name != "b"`), []string{`{"name":"a"}`, `{"name":"b"}`}, []string{`{}`, `{"name":"c"}`}},
		{decoded(shown, `v.Name != "a" && v.Name != "b" && v.Name != ""`), []string{`{"name":"a"}`, `{}`}, []string{`{"name":"c"}`}},
		{decoded(shown, `v.Name == "a" || v.Name == "b"`), []string{`{"name":"c"}`, `{}`}, []string{`{"name":"a"}`, `{"name":"b"}`}},
		{decoded(shown, `!(v.Name == "a" || v.Name == "b")`), []string{`{"name":"a"}`}, []string{`{"name":"c"}`, `{}`}},
		{decoded(shown, `v.Count < 1 || v.Count > 5`), []string{`{"count":1}`, `{"count":5}`}, []string{`{}`, `{"count":6}`, `{"count":0}`}},
		{decoded(shown, `v.Count < 0 || v.Count > 5`), []string{`{}`, `{"count":5}`}, []string{`{"count":-1}`, `{"count":6}`}},
		{decoded(shown, `1 > v.Count`), []string{`{"count":1}`}, []string{`{}`, `{"count":0}`}},
		{decoded(shown, `!v.Ready`), []string{`{"ready":true}`}, []string{`{}`, `{"ready":false}`}},
		{decoded(shown, `v.Ready`), []string{`{"ready":false}`, `{}`}, []string{`{"ready":true}`}},
		{decoded(shown, `!(v.Ready && v.Name == "a")`), []string{`{"ready":true,"name":"a"}`}, []string{`{"ready":true}`, `{"name":"a"}`}},
		{decoded(shown, `v.Ready && v.Name == "a"`), []string{`{"ready":true}`, `{}`}, []string{`{"ready":true,"name":"a"}`}},
		{decoded(shown, `v.Note != nil && *v.Note == "a"`), []string{`{}`, `{"note":null}`, `{"note":"b"}`}, []string{`{"note":"a"}`}},
		{decoded(shown, `v.Note == nil || *v.Note != "a"`), []string{`{"note":"a"}`}, []string{`{}`, `{"note":null}`, `{"note":"b"}`}},
		{decoded(shown, `v.Note != nil`), []string{`{}`, `{"note":null}`}, []string{`{"note":"a"}`}},
		{decoded(shown, `v.More["a"] != 0`), []string{`{}`, `{"more":{}}`, `{"more":{"a":0}}`}, []string{`{"more":{"a":1}}`}},
		{decoded("var v map[string]any", `v["a"] != nil`), []string{`{}`, `{"a":null}`}, []string{`{"a":1}`}},
		{decoded("var v map[string]any", `v["a"] == nil`), []string{`{"a":1}`}, []string{`{}`, `{"a":null}`}},
		{decoded("var v map[string]any", `v["a"] == "x"`), []string{`{"a":1}`, `{}`}, []string{`{"a":"x"}`}},
		{decoded("var v map[string]string", `v["a"] != v["b"]`), []string{`{"a":"1","b":"1"}`, `{}`, `{"a":""}`}, []string{`{"a":"1","b":"2"}`}},
		{decoded("type s struct{ A, B string }\n\tvar v s", `v != (s{A: "x"})`), []string{`{"a":"x"}`, `{"a":"x","b":""}`, `{"A":"x","c":1}`},
			[]string{`{"a":"x","b":"y"}`, `{}`}},
		{decoded("type s struct {\n\t\tA []string\n\t\tB map[string]int\n\t}\n\tvar v s", `!reflect.DeepEqual(v, s{})`),
			[]string{`{}`, `{"a":null}`}, []string{`{"a":[]}`, `{"a":["x"]}`, `{"b":{}}`}},
		{decoded("type s struct{ A string }\n\tvar v []s", `!slices.Equal(v, []s{{"x"}, {}})`), []string{`[{"a":"x"},{}]`},
			[]string{`[{"a":"x"}]`, `[{"a":"x"},{"a":"y"}]`, `[{"a":"x"},{},{}]`}},
		{decoded("var v []map[string]string", `v[0]["a"] != v[1]["a"]`), []string{`[{"a":"1"},{"a":"1"}]`, `[{},{}]`, `[{"a":""},{}]`},
			[]string{`[{"a":"1"},{"a":"2"}]`, `[{"a":"1"}]`}},
		{decoded("type inner struct{ A string }\n\ttype s struct {\n\t\tInner inner\n\t\tB string\n\t}\n\tvar v s", `v != (s{Inner: inner{"x"}})`),
			[]string{`{"inner":{"a":"x"}}`}, []string{`{"inner":{"a":"y"}}`, `{}`, `{"inner":{"a":"x"},"b":"c"}`}},
		{decoded("type Inner struct{ A string }\n\ttype s struct {\n\t\tInner\n\t\tB string\n\t}\n\tvar v s", `v != (s{Inner: Inner{"x"}})`),
			[]string{`{"a":"x"}`}, []string{`{"inner":{"a":"x"}}`, `{}`, `{"a":"x","b":"c"}`}},
		{decoded(shown, "!regexp.MustCompile(`^a|b$`).MatchString(v.Name)"), []string{`{"name":"ax"}`, `{"name":"xb"}`}, []string{`{}`, `{"name":"xa"}`}},
		{decoded(shown, "!regexp.MustCompile(`^(?:a|b)$`).MatchString(v.Name)"), []string{`{"name":"a"}`, `{"name":"b"}`}, []string{`{}`, `{"name":"ax"}`}},
		{decoded(shown, "!regexp.MustCompile(`^(?:a|b)(c)$`).MatchString(v.Name)"), []string{`{"name":"ac"}`, `{"name":"bc"}`}, []string{`{}`, `{"name":"a"}`}},
		{decoded(shown, "!regexp.MustCompile(`^(a)|(b)$`).MatchString(v.Name)"), []string{`{"name":"ax"}`, `{"name":"xb"}`}, []string{`{}`, `{"name":"xa"}`}},
		{decoded(shown, "!regexp.MustCompile(`^[|(]x|b$`).MatchString(v.Name)"), []string{`{"name":"|xa"}`, `{"name":"xb"}`}, []string{`{}`, `{"name":"xa"}`}},
		{decoded(shown, "!regexp.MustCompile(`^a\\|b$`).MatchString(v.Name)"), []string{`{"name":"a|b"}`}, []string{`{}`, `{"name":"ax"}`, `{"name":"a"}`}},
		{decoded(shown, "!regexp.MustCompile(`^a\\$`).MatchString(v.Name)"), []string{`{"name":"a$b"}`}, []string{`{}`, `{"name":"a"}`}},
		{decoded(shown, "!regexp.MustCompile(`^\\Qa|b$`).MatchString(v.Name)"), []string{`{"name":"a|b$c"}`}, []string{`{}`, `{"name":"a"}`, `{"name":"a|b"}`}},
		{decoded(shown, `strconv.Itoa(int(v.Count)) != "3"`), []string{`{"count":3}`}, []string{`{}`, `{"count":4}`}},
		{got("data, _ := io.ReadAll(resp.Body)", `strings.TrimSpace(string(data)) != "4"`), []string{`4`, ` 4 `}, []string{`44`}},
		{`resp, _ := http.Get(base + "/a")
	if got := resp.Header.Get("x-id"); got != "" {
		t.Error(got)
	}`, []string{`{}`, "X-Id: \n{}"}, []string{"X-Id: 7\n{}"}},
		{`resp, _ := http.Get(base + "/a")
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		t.Error()
	}`, []string{`{}`, "204\n"}, []string{"404\n{}"}},
		{`resp, _ := http.Get(base + "/a")
	want := strings.TrimSuffix("7;", ";")
	if resp.Header.Get("X-Id") != want {
		t.Error()
	}`, []string{"X-Id: 7\n{}"}, []string{"X-Id: 7;\n{}", `{}`}},
	}
}

// byTestify are tests with assertions of testify.
func byTestify() []found {
	return []found{
		{checked(shown, `assert.Empty(t, v.Note)`), []string{`{}`, `{"note":null}`, `{"note":""}`}, []string{`{"note":"a"}`}},
		{checked(shown, `assert.NotEmpty(t, v.Note)`), []string{`{"note":"a"}`}, []string{`{}`, `{"note":null}`, `{"note":""}`}},
		{checked(shown, `assert.Empty(t, v.Tags)`), []string{`{}`, `{"tags":[]}`}, []string{`{"tags":["a"]}`}},
		{checked(shown, `assert.NotEmpty(t, v.Tags)`), []string{`{"tags":["a"]}`}, []string{`{}`, `{"tags":[]}`}},
		{checked(shown, `assert.Empty(t, v.Name)`), []string{`{}`, `{"name":""}`}, []string{`{"name":"a"}`}},
		{checked(shown, `assert.Empty(t, v.Ready)`), []string{`{}`, `{"ready":false}`}, []string{`{"ready":true}`}},
		{checked(shown, `assert.NotZero(t, v.Ready)`), []string{`{"ready":true}`}, []string{`{}`, `{"ready":false}`}},
		{checked(shown, `assert.Zero(t, v.Count)`), []string{`{}`, `{"count":0}`}, []string{`{"count":1}`}},
		{checked(shown, `assert.Zero(t, v.Note)`), []string{`{}`}, []string{`{"note":""}`, `{"note":"a"}`}},
		{checked(shown, `assert.NotNil(t, v.Note)`), []string{`{"note":"a"}`}, []string{`{}`, `{"note":null}`}},
		{checked(shown, `assert.Less(t, 0, len(v.Name))`), []string{`{"name":"a"}`}, []string{`{}`, `{"name":""}`}},
		{checked(shown, `assert.Greater(t, len(v.Name), 0)`), []string{`{"name":"a"}`}, []string{`{}`, `{"name":""}`}},
		{checked(shown, `assert.Equal(t, []string{}, v.Tags)`), []string{`{"tags":[]}`}, []string{`{}`, `{"tags":["a"]}`}},
		{checked(shown, `assert.ElementsMatch(t, v.Tags, []string{"a", "b"})`), []string{`{"tags":["b","a"]}`}, []string{`{}`, `{"tags":["a"]}`}},
		{checked(shown, `assert.ElementsMatch(t, []string{}, v.Tags)`), []string{`{"tags":[]}`, `{}`}, []string{`{"tags":["a"]}`}},
		{checked(shown, `assert.NotContains(t, v.Tags, "a")`), []string{`{"tags":[]}`, `{}`}, []string{`{"tags":["a"]}`}},
		{checked(shown, `assert.Contains(t, []string{"a", "b"}, v.Name)`), []string{`{"name":"a"}`}, []string{`{}`, `{"name":"c"}`}},
		{checked(shown, `assert.Contains(t, "abc", v.Name)`), []string{`{"name":"bc"}`, `{}`}, []string{`{"name":"d"}`}},
		{checked(shown, `assert.NotRegexp(t, "^a", v.Name)`), []string{`{"name":"b"}`, `{}`}, []string{`{"name":"a"}`}},
		{checked(shown, `assert.Positive(t, v.Count)`), []string{`{"count":1}`}, []string{`{}`, `{"count":-1}`}},
		{checked(shown, `assert.Negative(t, v.Count)`), []string{`{"count":-1}`}, []string{`{}`, `{"count":1}`}},
		{checked(shown, `assert.GreaterOrEqual(t, int64(5), v.Count)`), []string{`{"count":5}`, `{}`}, []string{`{"count":6}`}},
		{checked(shown, `assert.False(t, v.Ready || v.Name == "a")`), []string{`{"name":"b"}`, `{}`}, []string{`{"ready":true}`, `{"name":"a"}`}},
		{checked(shown, `assert.EqualValues(t, 3, v.Count)`), []string{`{"count":3}`}, []string{`{}`, `{"count":4}`}},
		{checked(shown, `assert.NotEqualValues(t, 3, v.Count)`), []string{`{"count":4}`, `{}`}, []string{`{"count":3}`}},
		{checked("var v map[string]any", `assert.Contains(t, v, "a")`), []string{`{"a":null}`}, []string{`{}`}},
		{checked("var v map[string]any", `assert.Nil(t, v["a"])`), []string{`{"a":null}`, `{}`}, []string{`{"a":1}`}},
		{checked("var v map[string]any", `assert.EqualValues(t, 3, v["a"])`), []string{`{"a":3}`}, []string{`{}`, `{"a":4}`, `{"a":"3"}`}},
		{checked("var v map[string]any", `assert.Regexp(t, "^[0-9]+$", v["a"])`), []string{`{"a":"3"}`}, []string{`{}`, `{"a":"x"}`}},
		{checked("var v map[string]any", `assert.IsType(t, "", v["a"])`), []string{`{"a":"3"}`}, []string{`{}`, `{"a":3}`}},
		{checked(shown, `assert.Len(t, v.Name, 3)`), []string{`{"name":"abc"}`, `{"name":"né"}`}, []string{`{"name":"née"}`, `{}`}},
		{checked("var v map[string]any", `assert.Len(t, v, 1)`), []string{`{"a":"3"}`}, []string{`{}`}},
		{checked("var v any", `assert.Equal(t, []any{1.0, nil}, v)`), []string{`[1,null]`}, []string{`[1]`, `null`}},
	}
}
