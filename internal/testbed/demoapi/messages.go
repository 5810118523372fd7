package demoapi

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/internal/testbed/service"
)

func (a *API) messageRoutes() []route {
	return []route{
		service.On("GET", "/debug/crash", a.crash),
		service.On("GET", "/debug/objects/{name}", a.object),
		service.On("POST", "/registrations", a.enroll),
		service.On("POST", "/imports", a.importArticle),
	}
}

// crash answers 500 on purpose, with what frameworks let slip when they fail: an object's identity hash, the name of
// a pool's thread, a stack trace with generated classes.
func (a *API) crash(*request) answer {
	address := 0x00007f1c2c000000 + a.rng.Uint64N(1<<24)*8
	class := fmt.Sprintf("com.example.catalogue.Renderer$$Lambda$%d/0x%016x", 100+a.rng.IntN(900), address)
	thread := fmt.Sprintf("http-nio-8080-exec-%d", 1+a.rng.IntN(200))
	message := fmt.Sprintf("cannot render com.example.catalogue.Product@%x", a.rng.Uint32()|1<<28)
	trace := []string{
		"at com.example.catalogue.Renderer.render(Renderer.java:72)",
		"at " + class + ".apply(Unknown Source)",
		"at java.base/java.util.stream.ReferencePipeline$3$1.accept(ReferencePipeline.java:197)",
		"at com.example.catalogue.ProductController.show(ProductController.java:41)",
		"at java.base/java.lang.Thread.run(Thread.java:840)",
	}
	type crashed struct {
		Code    string   `json:"code"`
		Message string   `json:"message"`
		Thread  string   `json:"thread"`
		Trace   []string `json:"trace"`
		Dump    string   `json:"dump"`
	}
	dump := fmt.Sprintf("Exception in thread %q java.lang.IllegalStateException: %s\n\t%s\n",
		thread, message, strings.Join(trace, "\n\t"))
	return service.Reply(http.StatusInternalServerError, struct {
		Error crashed `json:"error"`
	}{crashed{"crash", message, thread, trace, dump}})
}

// object describes an object the way that languages do which print addresses.
func (a *API) object(r *request) answer {
	noLetter := func(c rune) bool { return c|0x20 < 'a' || c|0x20 > 'z' }
	if !fits(r.param(), 1, 40) || strings.ContainsFunc(r.param(), noLetter) {
		return notFound()
	}
	return service.Reply(http.StatusOK, struct {
		Name     string `json:"name"`
		Java     string `json:"java"`
		Python   string `json:"python"`
		Go       string `json:"go"`
		Constant string `json:"constant"`
	}{
		r.param(), fmt.Sprintf("%s@%x", r.param(), a.rng.Uint32()|1<<28),
		fmt.Sprintf("<demo.%s object at 0x7f%010x>", r.param(), a.rng.Uint64N(1<<40)),
		fmt.Sprintf("&%s{} (0xc%09x)", r.param(), a.rng.Uint64N(1<<28)*8), "Foo@72c11c70",
	})
}

// enrollment is what POST /registrations takes.
type enrollment struct {
	Email   string `json:"email"`
	Age     int    `json:"age"`
	Country string `json:"country"`
	Member  string `json:"memberSince"`
}

// enroll checks a registration. It reports all broken rules in the order of the fields, and names the first of them as
// validators do that keep their rules in a hash map: any.
func (a *API) enroll(r *request) answer {
	in, bad := decode[enrollment](r)
	if bad != nil {
		return *bad
	}
	v := violations{lang: r.lang}
	v.check(emailText.MatchString(in.Email), "email", ruleEmail)
	v.check(in.Age >= 18 && in.Age <= 120, "age", ruleRange, 18, 120)
	v.check(slices.Contains([]string{"DE", "FR", "GB", "VN"}, in.Country), "country", ruleOneOf, "DE, FR, GB, VN")
	v.check(validDate(in.Member), "memberSince", ruleDate)
	if len(v.list) == 0 {
		return service.Reply(http.StatusCreated, struct {
			Reference string `json:"reference"`
			Email     string `json:"email"`
			Since     string `json:"memberSince"`
		}{"R-" + strings.ToUpper(a.hex(5)), in.Email, in.Member})
	}
	first := v.list[a.rng.IntN(len(v.list))]
	return service.Reply(http.StatusUnprocessableEntity, struct {
		Summary    string      `json:"summary"`
		Violations []violation `json:"violations"`
	}{first.Field + ": " + first.Message, v.list}).With("Content-Language", r.lang)
}

// importArticle reads an article the way that mappers do which list the properties they know in hash order.
func (a *API) importArticle(r *request) answer {
	raw, bad := decode[map[string]json.RawMessage](r)
	if bad != nil {
		return *bad
	}
	known := []string{"colour", "maker", "name", "size", "weight"}
	unknown := []string{}
	for key := range raw {
		if !slices.Contains(known, key) {
			unknown = append(unknown, key)
		}
	}
	if len(unknown) == 0 {
		for _, value := range raw {
			if !strings.HasPrefix(string(value), `"`) {
				return fail(http.StatusBadRequest, "bad_json", "A member has the wrong type.")
			}
		}
		return service.Reply(http.StatusAccepted, struct {
			Accepted int `json:"accepted"`
		}{len(raw)})
	}
	slices.Sort(unknown)
	return fail(http.StatusBadRequest, "unrecognized_property", fmt.Sprintf(
		"Unrecognized field %.60q (class com.example.Article), not marked as ignorable (%d known properties: %q)",
		unknown[0], len(known), shuffled(a, known)))
}
