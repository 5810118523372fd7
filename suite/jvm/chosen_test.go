package jvm

import "testing"

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
