package jvm

import (
	"strings"
	"testing"

	"github.com/flaketap/flaketap/suite/script"
)

// A helper that says who asks only where it is told is followed; one that may send something else is not.
func TestRequestsByCondition(t *testing.T) {
	const sent = "asks\nGET /health\nGET /cars\n  15 of 1 equal /status 200"
	for given, want := range map[string]string{
		`token == null ? spec : spec.header("Authorization", token)`:           sent,
		`token != null ? spec.auth().preemptive().oauth2(token) : spec`:        sent,
		`token == null ? spec : spec.header("A", token).cookie("b", token)`:    sent,
		`token == null ? spec : spec.queryParam("token", token)`:               "asks\nGET /health\n  15 not: the method get is not known",
		`token == null ? spec.queryParam("a", 1) : spec.header("A", 1)`:        "asks\nGET /health\n  15 not: the method get is not known",
		`token == null ? new Other() : spec.header("Authorization", "Bearer")`: "asks\nGET /health\n  15 not: the method get is not known",
	} {
		got := shown(wrote(t, `import static io.restassured.RestAssured.given;
import static org.junit.jupiter.api.Assertions.assertEquals;

class ItTest {
    static RequestSpecification as(String token) {
        RequestSpecification spec = given().baseUri(System.getenv("URL"));
        return `+given+`;
    }

    @Test
    void asks() {
        given().get("/health");
        String token = System.getenv("TOKEN");
        Response res = as(token).get("/cars");
        assertEquals(200, res.statusCode());
    }
}
`))
		if got != want {
			t.Errorf("%s\nis\n%s", given, got)
		}
	}
}

// Where an answer said that something is, any path may stand; a base that is not known is none.
func TestRequestsOfLocations(t *testing.T) {
	for asked, want := range map[string]string{
		`given().baseUri(BASE).post(made.header("Location") + "/pay")`: "/?/pay",
		`given().baseUri(BASE).get(made.header("Location"))`:           "/?",
		`given().baseUri(BASE).get("/cars/" + made.path("id"))`:        "/cars/?",
		`given().get(BASE + "/cars")`:                                  "/cars",
	} {
		s := wrote(t, `import static io.restassured.RestAssured.given;

class ItTest {
    static final String BASE = System.getenv("URL");

    @Test
    void asks() {
        Response made = given().baseUri(BASE).post("/cars");
        `+asked+`.then().statusCode(200);
    }
}
`)
		if got := strings.ReplaceAll(s.Tests[0].Calls[1].Target, script.Unknown, "?"); got != want {
			t.Errorf("%s asks for %s", asked, got)
		}
	}
}
