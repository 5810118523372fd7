package golang

import "testing"

// Values that are made, changed and handed on in ways of Go are known, or said not to be.
func TestWaysOfValues(t *testing.T) {
	const status = "\tif resp.StatusCode != 200 {\n\t\tt.Error()\n\t}"
	for _, tt := range []struct{ body, want string }{
		// what changes a value
		{got("v := map[string]any{}\n\t_ = json.NewDecoder(resp.Body).Decode(&v)\n\tdelete(v, \"b\")", `v["a"] != "b"`), "GET /a: not: an element is not known"},
		{got("var v []string\n\t_ = json.NewDecoder(resp.Body).Decode(&v)\n\tcopy(v, v)", `v[0] != "b"`), "GET /a: not: an element is not known"},
		{got("var v []string\n\t_ = json.NewDecoder(resp.Body).Decode(&v)\n\tclear(v)", `v[0] != "b"`), "GET /a: not: an element is not known"},
		{got("var v []string\n\t_ = json.NewDecoder(resp.Body).Decode(&v)\n\tprintln(cap(v), min(1, 2))", `v[0] != "b"`), `GET /a: equal /body/0 "b"`},
		{got("status := resp.StatusCode\n\tgo func() { status = 2 }()", `status != 200`), "GET /a: not: what is assigned under a condition is not known"},
		{got("status := resp.StatusCode\n\tg.Go(func() error { status = 2; return nil })", `status != 200`), "GET /a: not: what is assigned under a condition is not known"},
		{got("status := resp.StatusCode\n\tfunc() { status = 404 }()", `status != 200`), "GET /a: not: it is not about an answer"},
		{got("status := resp.StatusCode\n\tstatus -= 1", `status != 200`), "GET /a: not: the name status, which changes is not known"},
		// what is made
		{got("v := make(map[string]string)\n\t_ = json.NewDecoder(resp.Body).Decode(&v)", `v["a"] != "b"`), `GET /a: equal /body/a "b"`},
		{got("v := make(map[string]string, 3)\n\t_ = json.NewDecoder(resp.Body).Decode(&v)", `v["a"] != "b"`), `GET /a: equal /body/a "b"`},
		{got("v := new(map[string]string)\n\t_ = json.NewDecoder(resp.Body).Decode(v)", `(*v)["a"] != "b"`), `GET /a: equal /body/a "b"`},
		{got("want := new(404)", `resp.StatusCode != *want`), "GET /a: equal /status 404"},
		{got("want := map[string]any{\"a\": 1}\n\tvar v map[string]any\n\t_ = json.NewDecoder(resp.Body).Decode(&v)", `v["a"] != want["a"]`),
			"GET /a: not: a whole number where JSON gives a float64 is not known"},
		{got("data, _ := io.ReadAll(resp.Body)", `strings.TrimSpace(string(data)) != "a"`), "GET /a:   "},
		{got("var s string\n\t_ = json.NewDecoder(resp.Body).Decode(&s)\n\tvar v map[string]any\n\t_ = json.Unmarshal([]byte(s), &v)", `v["a"] != "b"`),
			"GET /a: not: an element is not known"},
		// types that are never equal
		{decoded("var v map[string]any", `!slices.Contains([]any{1, 2}, v["a"])`), "GET /a: not: a list of another type is not known"},
		{decoded("type state string\n\tvar v map[string]any", `v["a"] != state("b")`),
			"GET /a: not: a value of a type that is never equal to the other's is not known"},
		{decoded("type state string\n\tvar v struct{ A state }", `v.A != "b"`), `GET /a: equal /body/a "b"`},
		{decoded("var v struct{ A int64 }", `!reflect.DeepEqual(v.A, 4)`), "GET /a: not: a value of a type that is never equal to the other's is not known"},
		{decoded("var v map[string]any", `!reflect.DeepEqual(v["a"], []string{"b"})`), "GET /a: not: a value of a type that is never equal to the other's is not known"},
		{checked("var v struct{ A int64 }", `assert.NotEqual(t, 0, v.A)`), "GET /a: not: a value of a type that is never equal to the other's is not known"},
		{checked("var v map[string]any", `assert.ElementsMatch(t, []any{1}, v["a"])`), "GET /a: not: a list of another type is not known"},
		{checked("var v map[string]any", `assert.Contains(t, v["a"], 1)`), "GET /a: not: a list of another type is not known"},
		{checked("var v map[string]any", `assert.Contains(t, v["a"], "b")`), `GET /a: contains /body/a "b"`},
		{checked("var v map[string]any", `assert.IsType(t, v, v["a"])`), "GET /a:   "},
		{checked("var v map[string]any", `assert.IsType(t, product{}, v["a"])`), "GET /a: not: a type is not known"},
		// conversions
		{decoded("var v map[string]any", `v["a"] != any("b")`), `GET /a: equal /body/a "b"`},
		{decoded("var v map[string]any", `v["a"] != any(4)`), "GET /a: not: a whole number where JSON gives a float64 is not known"},
		{decoded("var v struct{ A int64 }", `string(rune(v.A)) != "b"`), "GET /a: not: a conversion is not known"},
		{decoded("var v struct{ A int64 }", `strconv.FormatInt(v.A, 10) != "4"`), "GET /a:   "},
		{decoded("var v struct{ A int64 }", `strconv.FormatInt(v.A, 16) != "4"`), "GET /a: not: the function strconv.FormatInt is not known"},
		// what may not run
		{"resp, _ := http.Get(base + \"/a\")\n\tif resp.StatusCode == 204 {\n\t\treturn\n\t}\n" + status, "GET /a: equal /status 200not: it is inside a condition"},
		{"resp, err := http.Get(base + \"/a\")\n\tif nil != err {\n\t\treturn\n\t}\n" + status, "GET /a: equal /status 200"},
		{got("", `err == nil || resp.StatusCode == 200`), "GET /a: not: what is no value of an answer is not known"},
		{got("", `resp.Body.Close() != nil`), "GET /a: "},
		{"resp, _ := http.Get(base + \"/a\")\n\tif testing.Short() {\n\t\tt.Skip()\n\t}\n" + status, "GET /a: equal /status 200"},
		{"t.Skip(\"flaky\")\n\tresp, _ := http.Get(base + \"/a\")\n" + status, "-"},
		{"resp, _ := http.Get(base + \"/a\")\n\tskips(t)\n" + status + "\n}\n\nfunc skips(t *testing.T) {\n\tt.Skip()", "GET /a: equal /status 200"},
		{"resp, _ := http.Get(base + \"/a\")\n\tt.Log(resp.StatusCode)\n" + status, "GET /a: equal /status 200"},
		// functions
		{"resp, _ := fetch()\n" + status + "\n}\n\nfunc fetch() (resp *http.Response, err error) {\n\tresp, err = http.Get(base + \"/a\")\n\treturn", "GET /a: equal /status 200"},
		{"log()\n\tresp, _ := http.Get(base + \"/a\")\n" + status + "\n}\n\nfunc log() {\n\treturn", "GET /a: equal /status 200"},
		// requests
		{sent(`q := req.URL.Query()
	q.Set("a", "2")
	q.Add("b", "1")
	q.Add("b", "2")
	req.URL.RawQuery = q.Encode()`), "GET /a?a=2&b=1&b=2: "},
		{sent(`req.Method = "PUT"
	req.Body = io.NopCloser(nil)`), "PUT /a?a=1 ?: "},
		{sent(`req.Method = "DELETE"
	req.Body = http.NoBody`), "DELETE /a?a=1: "},
		{sent(`req.URL.Path = "/b"`), "-"},
		{`http.PostForm(base+"/a", url.Values{"a": many, "b": {"1"}})`, "POST /a b=1&?: "},
		{`http.Get(fmt.Sprintf("%s?q=%s", where()+"/a", url.QueryEscape("a b/c")))`, "GET /a?q=a+b%2Fc: "},
		{`http.Get(fmt.Sprintf("%s/%s", base+"/a", url.PathEscape("a b/c")))`, "GET /a/a%20b%2Fc: "},
		{posted("struct {\n\t\tA string `json:\"a\"`\n\t\tB []string\n\t\tC int `json:\"c,omitempty\"`\n\t\tD bool `json:\"-\"`\n\t\tE *int\n\t}", `{A: "x"}`),
			`POST /a {"B":null,"E":null,"a":"x"}: `},
		{posted("struct{ A string }", `{A: token()}`), `POST /a ?: `},
		{posted("struct {\n\t\tA string\n\t\tB struct{ C int }\n\t}", `{A: "b"}`), `POST /a ?: `},
		{posted("struct{ A string }", `{A: "b"}`), `POST /a {"A":"b"}: `},
	} {
		s := wrote(t, header+"func TestIt(t *testing.T) {\n\t"+tt.body+"\n}\n\nfunc TestLast(t *testing.T) {\n\thttp.Get(base + \"/last\")\n}\n")
		got := "-"
		if len(s.Tests) > 1 && !s.Tests[0].Skipped {
			got = outline(s.Tests[0])
		}
		if got != tt.want {
			t.Errorf("%s\n got %s\nwant %s", tt.body, got, tt.want)
		}
	}
}

// got is the body of a test that gets an answer, goes on, and fails under a condition.
func got(then, condition string) string {
	return "resp, err := http.Get(base + \"/a\")\n\t" + then + "\n\tif " + condition + " {\n\t\tt.Error(err)\n\t}"
}

// checked is the body of a test that decodes an answer to a variable, and calls an assertion of testify's.
func checked(variable, assertion string) string {
	return "resp, _ := http.Get(base + \"/a\")\n\t" + variable + "\n\t_ = json.NewDecoder(resp.Body).Decode(&v)\n\t" + assertion
}

// sent is the body of a test that makes a request, changes it and sends it.
func sent(change string) string {
	return "req, _ := http.NewRequest(\"GET\", base+\"/a?a=1\", nil)\n\t" + change + "\n\thttp.DefaultClient.Do(req)"
}

// posted is the body of a test that posts a value as JSON.
func posted(typ, value string) string {
	return "type order " + typ + "\n\tdata, _ := json.Marshal(order" + value + ")\n\thttp.Post(base+\"/a\", \"application/json\", strings.NewReader(string(data)))"
}
