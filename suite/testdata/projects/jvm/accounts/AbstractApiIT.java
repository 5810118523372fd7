package com.acme.bank.it;

import io.restassured.builder.RequestSpecBuilder;
import io.restassured.http.ContentType;
import io.restassured.specification.RequestSpecification;
import org.junit.jupiter.api.BeforeEach;

import static io.restassured.RestAssured.given;

public abstract class AbstractApiIT {

    protected RequestSpecification spec;

    @BeforeEach
    void buildSpec() {
        spec = new RequestSpecBuilder()
                .setBaseUri(System.getProperty("api.url", "http://localhost:8090"))
                .setContentType(ContentType.JSON)
                .addHeader("X-Tenant", "acme")
                .build();
    }

    protected RequestSpecification asUser(String user) {
        return given().spec(spec).auth().preemptive().basic(user, "secret");
    }
}
