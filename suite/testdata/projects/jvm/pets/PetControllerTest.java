package com.petshop;

import static io.restassured.RestAssured.*;
import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.*;

import io.restassured.path.json.JsonPath;
import io.restassured.response.Response;
import io.restassured.response.ValidatableResponse;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.Assert;
import org.junit.BeforeClass;
import org.junit.Test;

public class PetControllerTest {

    @BeforeClass
    public static void setup() {
        baseURI = "http://localhost:7001/petshop";
    }

    private Map<String, Object> pet(String name, String kind) {
        Map<String, Object> pet = new HashMap<>();
        pet.put("name", name);
        pet.put("kind", kind);
        return pet;
    }

    private int createPet(String name, String kind) {
        return given().contentType("application/json").body(pet(name, kind)).post("/pets").jsonPath().getInt("id");
    }

    @Test
    public void testCreatePet() {
        Response response = given()
            .header("Content-Type", "application/json")
            .body(pet("Rex", "dog"))
            .when()
            .post("/pets");

        Assert.assertEquals(response.getStatusCode(), 201);
        Assert.assertEquals("Rex", response.jsonPath().getString("name"));
        Assert.assertEquals(101, response.jsonPath().getInt("id"));
        Assert.assertTrue(response.getContentType().contains("application/json"));
        Assert.assertNotNull(response.path("bornAt"));
        Assert.assertEquals("2025-07-01", response.path("bornAt"));
    }

    @Test
    public void testGetPet() {
        int id = createPet("Tom", "cat");

        ValidatableResponse then = get("/pets/" + id).then();
        then.statusCode(200);
        then.body("id", equalTo(id));
        then.body("name", equalTo("Tom"));
        then.body("owner.name", is(nullValue()));
        then.body("vaccinations", empty());
    }

    @Test
    public void testListPets() {
        JsonPath json = get("/pets?kind=dog").then().statusCode(200).extract().jsonPath();
        List<String> names = json.getList("pets.name");
        List<Map<String, Object>> pets = json.getList("pets");

        assertThat(json.getInt("total"), is(2));
        assertThat(names, hasSize(2));
        assertThat(names, hasItem("Rex"));
        assertThat(names.get(0), is("Bello"));
        assertThat(pets.get(1).get("name"), equalTo("Rex"));
        assertThat(pets.size(), is(greaterThan(1)));
        assertThat(json.getString("pets[0].chip"), is("DE-276-098"));
        assertThat("kinds", json.getList("pets.kind"), everyItem(is("dog")));
    }

    @Test
    public void testUpdatePet() {
        int id = createPet("Kitty", "cat");
        Map<String, Object> changed = pet("Kitty White", "cat");

        String body = given().contentType("application/json").body(changed).put("/pets/" + id)
            .then().statusCode(200).extract().asString();
        JsonPath json = new JsonPath(body);

        assertThat(json.getString("name"), equalTo("Kitty White"));
        assertThat(json.getInt("version"), is(2));
        assertThat(json.getBoolean("sold"), is(false));
        assertThat(body, containsString("Kitty White"));
    }

    @Test
    public void testDeletePet() {
        int id = createPet("Goldie", "fish");

        delete("/pets/{id}", id).then().statusCode(204).body(is(emptyString()));
        expect().statusCode(404).when().get("/pets/" + id);
        String message = get("/pets/" + id).path("message");
        assertThat(message, is("Pet " + id + " does not exist"));
        Assert.assertFalse(message.isEmpty());
    }
}
