package suite

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/flaketap/flaketap/exchange"
)

const graftedJava = `import org.junit.jupiter.api.Test;
import static org.hamcrest.Matchers.*;
import static io.restassured.RestAssured.given;
import static org.evomaster.client.java.controller.contentMatchers.NumberMatcher.*;
public class T {
    @Test
    public void test_0() throws Exception {
        
        // Fault100. HTTP Status 500.
        given().accept("*/*")
                .get(baseUrlOfSut + "/items/4")
                .then()
                .statusCode(200)
                .assertThat()
                .body("'id'", numberMatches(4))
                .body("'self'", containsString("/items/4"))
                .body("'n'", numberMatches(3.0))
                .body("'at'", containsString("x"));
    }
}
`

const graftedKotlin = `import org.junit.jupiter.api.Test
import org.hamcrest.Matchers.*
import io.restassured.RestAssured.given
import org.evomaster.client.java.controller.contentMatchers.NumberMatcher.*
internal class T {
    @Test
    fun test_0()  {
        
        given().accept("*/*")
                .get("${baseUrlOfSut}/items/4")
                .then()
                .statusCode(200)
                .assertThat()
                .body("'id'", numberMatches(4))
                .body("'self'", containsString("/items/4"))
    }
}
`

func TestJVMGraft(t *testing.T) {
	src := Source{Steps: []exchange.Step{{Exchange: &exchange.Exchange{
		Seq: 1, Request: sentRequest("GET /items/4 HTTP/1.1\r\nHost: x\r\n\r\n", ""), Response: reply(404, "", ""),
	}}}}
	for name, tt := range map[string]struct{ text, want string }{
		"T.java": {graftedJava, `import org.junit.jupiter.api.Test;
import static org.hamcrest.Matchers.*;
import static io.restassured.RestAssured.given;
import static org.evomaster.client.java.controller.contentMatchers.NumberMatcher.*;
public class T {
    @Test
    public void test_0() throws Exception {
        
        // flaketap: /items/4 was made by POST /items; by the recording's data flow, not tried; State
        io.restassured.response.ValidatableResponse setup_0 = given()
                .contentType("application/json")
                .body("{\"a\": \"b\"}\n")
                .post(baseUrlOfSut + "/items")
                .then()
                // flaketap: the set-up has to succeed
                .statusCode(201);
        String setup_itemId = setup_0.extract().path("'id'").toString();

        try {
        // Fault100. HTTP Status 500.
        given().accept("*/*")
                .get(baseUrlOfSut + "/items/" + setup_itemId)
                .then()
                .statusCode(200)
                .assertThat()
                // flaketap: /body/id: 4 as written, made anew by the set-up; State
                .body("'id'", hasToString(setup_itemId))
                // flaketap: /body/self: "/items/4" as written, made anew by the set-up; State
                .body("'self'", containsString("/items/" + setup_itemId))
                .body("'n'", numberMatches(3.0))
                // flaketap: /body/at: has "x" as written; failed in 1 of 2, seen "y"; Unk
                .body("'at'", instanceOf(String.class));
        } finally {
            given()
                    .delete(baseUrlOfSut + "/items/" + setup_itemId)
                    .then();
        }
    }
}
`},
		"T.kt": {graftedKotlin, `import org.junit.jupiter.api.Test
import org.hamcrest.Matchers.*
import io.restassured.RestAssured.given
import org.evomaster.client.java.controller.contentMatchers.NumberMatcher.*
internal class T {
    @Test
    fun test_0()  {
        
        // flaketap: /items/4 was made by POST /items; by the recording's data flow, not tried; State
        val setup_0: io.restassured.response.ValidatableResponse = given()
                .contentType("application/json")
                .body("{\"a\": \"b\"}\n")
                .post("${baseUrlOfSut}/items")
                .then()
                // flaketap: the set-up has to succeed
                .statusCode(201)
        val setup_itemId: String = setup_0.extract().path<Any>("'id'").toString()

        try {
        given().accept("*/*")
                .get("${baseUrlOfSut}/items/${setup_itemId}")
                .then()
                .statusCode(200)
                .assertThat()
                // flaketap: /body/id: 4 as written, made anew by the set-up; State
                .body("'id'", hasToString<Any>(setup_itemId))
                // flaketap: /body/self: "/items/4" as written, made anew by the set-up; State
                .body("'self'", containsString("/items/" + setup_itemId))
        } finally {
            given()
                    .delete("${baseUrlOfSut}/items/${setup_itemId}")
                    .then()
        }
    }
}
`},
	} {
		p, err := Patch(name, []byte(tt.text), src, PatchOptions{Grafts: map[string]Grafting{"test_0": aGraft()}})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tt.want, string(p.Data)); diff != "" {
			t.Errorf("%s (-want +got):\n%s\n%s", name, diff, p.Data)
		}
		again, err := Patch(name, p.Data, src, PatchOptions{Grafts: map[string]Grafting{"test_0": aGraft()}})
		if err != nil || string(again.Data) != string(p.Data) {
			t.Errorf("patched again: %v\n%s", err, cmp.Diff(string(p.Data), string(again.Data)))
		}
	}
}
