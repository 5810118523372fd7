package jvm

import (
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/expr"
)

// A name behind a list leads to what its elements have by it, also where a test asks the list whether it holds
// something: one that does not is no assertion that fails.
func TestElementsOfPaths(t *testing.T) {
	s := wrote(t, `import static io.restassured.RestAssured.given;
import static org.junit.jupiter.api.Assertions.*;

class ItTest {
    @Test
    void asks() {
        Response res = given().get("/cars");
        List<String> plates = res.path("cars.plate");
        assertFalse(plates.contains("A 1"));
        assertTrue(plates.contains("A 1"));
        assertFalse(res.jsonPath().getList("cars.plate").contains("A 1"));
    }
}
`)
	test := s.Tests[0]
	for body, has := range map[string]bool{`{"cars":[]}`: false, `{"cars":[{"plate":"B"}]}`: false,
		`{"cars":[{"plate":"B"},{"plate":"A 1"}]}`: true, `{"cars":{"plate":["A 1"]}}`: true} {
		res := exchange.ParseResponse(exchange.Message{Head: []byte("HTTP/1.1 200 OK\r\n\r\n"), Body: []byte(body)})
		scope := expr.Scope{test.Calls[0].Var: expr.NewResponse(res, test.Calls[0].Client)}
		for i, want := range []bool{!has, has, !has} {
			got, err := scope.Holds(test.Assertions[i].Meaning)
			if err != nil || got != want {
				t.Errorf("%s of %s: %v, %v", test.Assertions[i].Text, body, got, err)
			}
		}
	}
}
