Tests of one file each that read /items/4, and what becomes of them.

=== plain
import static io.restassured.RestAssured.given;
import static org.hamcrest.Matchers.equalTo;

import org.junit.jupiter.api.Test;

class ItemsTest {
  private static final String BASE = "http://localhost:1";

  @Test
  void reads() {
    // what was made is there
    given()
        .header("X-A", "b")
        .when()
        .get(BASE + "/items/4")
        .then()
        .statusCode(200)
        .body("at", equalTo("x"));
  }
}
---
=== imports
package shop;

import io.restassured.RestAssured;
import io.restassured.http.ContentType;
import io.restassured.response.Response;
import org.junit.Assert;
import org.junit.Test;

public class ItemsTest {
    @Test
    public void reads() {
        Response res = RestAssured.given().spec(SPEC).get("http://localhost:1/items/{id}", 4);
        String text = """
            a
              b
            """;
        Assert.assertEquals(200, res.statusCode());
    }
}
---
=== bare
import static io.restassured.RestAssured.get;

import org.junit.jupiter.api.Test;

class ItemsTest {
    @Test
    void reads() {
        get("/items/4").then().statusCode(200);
    }
}
---
=== base path
import static io.restassured.RestAssured.*;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class ItemsTest {
  @BeforeAll
  static void base() {
    baseURI = "http://localhost:1";
    basePath = "/items";
  }

  @Test
  void reads() {
    when().get("/4").then().statusCode(200);
  }
}
---
=== helper
import static io.restassured.RestAssured.given;

import org.junit.jupiter.api.Test;

class ItemsTest {
  @Test
  void reads() {
    item("4").then().statusCode(200);
  }

  private Response item(String id) {
    return given().get("/items/" + id);
  }
}
---
=== own variable
import static io.restassured.RestAssured.given;

import org.junit.jupiter.api.Test;

class ItemsTest {
  @Test
  void reads() {
    String base = "http://localhost:1";
    given().get(base + "/items/4").then().statusCode(200);
  }
}
---
=== who asks
import static io.restassured.RestAssured.given;

import org.junit.jupiter.api.Test;

class ItemsTest {
  @Test
  void reads() {
    given().auth().basic("ada", "x").get("/items/4").then().statusCode(200);
  }
}
---
=== many
import static io.restassured.RestAssured.given;

import org.junit.jupiter.params.ParameterizedTest;

class ItemsTest {
  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void reads(int n) {
    given().get("/items/4").then().statusCode(200);
  }
}
---
=== shared
import static io.restassured.RestAssured.given;

import org.junit.jupiter.api.Test;

class ItemsTest {
  static String made;

  @Test
  void makes() {
    made = given().post("/items").path("id");
  }

  @Test
  void reads() {
    given().get("/items/4").then().statusCode(200).body("id", equalTo(made));
  }
}
---
=== in a row
import static io.restassured.RestAssured.given;

import org.junit.jupiter.api.Test;

class ItemsTest {
  @Test
  void reads() { given().get("/items/4").then().statusCode(200); }
}
---
