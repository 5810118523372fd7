package io.restassured.module.kotlin.extensions

import io.restassured.RestAssured
import io.restassured.response.Response
import io.restassured.response.ValidatableResponse
import io.restassured.specification.RequestSpecification

// What REST-assured has for Kotlin, as far as the tests need it; it is no part of the suite.

fun Given(block: RequestSpecification.() -> RequestSpecification): RequestSpecification = RestAssured.given().run(block)

infix fun RequestSpecification.When(block: RequestSpecification.() -> Response): Response = this.`when`().run(block)

infix fun Response.Then(block: ValidatableResponse.() -> Unit): ValidatableResponse = then().apply(block)

infix fun <T> Response.Extract(block: Response.() -> T): T = run(block)

infix fun <T> ValidatableResponse.Extract(block: io.restassured.response.ExtractableResponse<Response>.() -> T): T =
    extract().run(block)

infix fun <T> T.shouldBe(want: T) {
    if (this != want) throw AssertionError("$this should be $want")
}

inline fun retrying(block: () -> Unit) {
    for (i in 1..3) {
        try {
            block()
            return
        } catch (e: AssertionError) {
            println("<again>")
        }
    }
}
