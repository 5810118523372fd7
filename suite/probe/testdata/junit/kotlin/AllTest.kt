package shop.api

import com.sun.net.httpserver.HttpServer
import io.restassured.RestAssured
import io.restassured.RestAssured.get
import io.restassured.RestAssured.given
import io.restassured.module.kotlin.extensions.Extract
import io.restassured.module.kotlin.extensions.Given
import io.restassured.module.kotlin.extensions.Then
import io.restassured.module.kotlin.extensions.When
import io.restassured.module.kotlin.extensions.retrying
import io.restassured.module.kotlin.extensions.shouldBe
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.delay
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withContext
import org.hamcrest.MatcherAssert.assertThat
import org.hamcrest.Matchers.equalTo
import org.hamcrest.Matchers.`is`
import org.junit.jupiter.api.AfterAll
import org.junit.jupiter.api.Assertions.assertAll
import org.junit.jupiter.api.Assumptions.assumeTrue
import org.junit.jupiter.api.BeforeAll
import org.junit.jupiter.api.BeforeEach
import org.junit.jupiter.api.Nested
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.assertThrows
import org.junit.jupiter.params.ParameterizedTest
import org.junit.jupiter.params.provider.ValueSource
import java.io.IOException
import java.net.InetSocketAddress
import kotlin.test.assertEquals
import kotlin.test.assertFailsWith
import kotlin.test.assertIs
import kotlin.test.assertNotNull
import kotlin.test.fail

internal class AllTest : Base() {
    companion object {
        private val server = HttpServer.create(InetSocketAddress("127.0.0.1", 0), 0)

        @JvmStatic
        @BeforeAll
        fun start() {
            server.createContext("/") { exchange ->
                println("<sent ${exchange.requestURI}>")
                val body = """{"id": "7", "count": 1, "none": null}""".toByteArray()
                exchange.responseHeaders.add("Content-Type", "application/json")
                exchange.sendResponseHeaders(200, body.size.toLong())
                exchange.responseBody.write(body)
                exchange.close()
            }
            server.start()
            RestAssured.baseURI = "http://127.0.0.1:${server.address.port}"
        }

        @JvmStatic
        @AfterAll
        fun stop() = server.stop(0)
    }

    @Test
    fun `goes on "here"`() {
        assertEquals(1, 2, "first") // and on
        say("behind assertEquals")
        val id: String = given().get("/a").then().log().ifValidationFails()
            .statusCode(201)
            .body("id", `is`("8")).and().body("count", equalTo(2))
            .extract().path("id")
        say("behind links")
        val again: String = Given { header("A", "b") } When {
            get("/orders/$id/x")
        } Then {
            statusCode(404)
        } Extract {
            path("id")
        }
        get("/b/${again}").Then { statusCode(404) }
        say("behind blocks")
        again shouldBe "8"
        say("behind shouldBe")
        check("1", id)
        quick("1", id)
        say("behind helper")
        assertThat(get("/c").path<String?>("none")!!.length, `is`(1))
        say("behind NullPointerException")
        if (id != "8") fail("no 8") else say("wrong")
        for (s in listOf("a", "b")) assertEquals("c", s)
        listOf("a").forEach {
            assertEquals("c", it)
            say("in forEach")
        }
        val count = id.let {
            assertEquals("c", it)
            say("in let")
            it.length
        }
        assertAll(
            { assertEquals(1, count + 1) },
            {
                assertEquals(1, 2)
                say("wrong")
            },
        )
        when (id) {
            "7" -> assertEquals(1, 2)
            else -> fail()
        }
        say("behind all")
    }

    @Test
    fun suspends() = runBlocking {
        assertEquals(1, 2)
        delay(1)
        say("behind delay")
        withContext(Dispatchers.IO) { delay(1) }
        check(1, 2)
        quick(1, 2)
        say("behind dispatch")
        try {
            delay(1)
            check(1, 2)
            say("wrong")
        } catch (e: AssertionError) {
            say("caught in coroutine")
        }
        assertEquals(1, 2)
    }

    @Test
    fun ends() {
        val none: String? = get("/d").path("none")
        assertThat(none, `is`("x"))
        say("behind none")
        assertEquals(200, get("/orders/$none").statusCode)
        say("wrong")
    }

    @Test
    fun leans() {
        val res: Any = get("/e").path<Any>("id")
        assertIs<String>(res)
        assertEquals(8, res.length)
        val none: String? = get("/f").path("none")
        assertNotNull(none)
        say("wrong" + none.length)
    }

    @Test
    fun waits() {
        assertThrows<AssertionError> { check("1", "2") }
        assertFailsWith<AssertionError> {
            get("/g").then().statusCode(500)
            say("wrong")
        }
        val caught = try {
            check("1", "2")
            "wrong"
        } catch (e: AssertionError) {
            "caught"
        }
        say(caught)
        runCatching {
            check("1", "2")
            say("wrong")
        }.onFailure { say("caught too") }
        try {
            assertEquals(1, 2)
            say("wrong")
        } catch (e: IOException) {
            say("wrong")
        } catch (e: AssertionError) {
            say("caught three")
        } finally {
            say("finally")
        }
        retrying { quick(1, 2) }
        patient { check(1, 2) }
        var n = 0
        while (true) {
            assertThrows<AssertionError> { assertEquals(1, 2) }
            if (n++ > 2) break
        }
        assertEquals(1, 1)
    }

    @Test
    fun loops() {
        var i = 0
        while (true) {
            assertEquals(true, i++ < 3, "waited")
        }
    }

    @Test
    fun assumes() {
        assumeTrue(false)
        say("wrong")
    }

    @Nested
    inner class Hooks {
        @BeforeEach
        fun prepare() {
            assertEquals(1, 2, "not prepared")
            say("wrong")
        }

        @Test
        fun hooked() = say("wrong")
    }

    @ParameterizedTest
    @ValueSource(strings = ["/r", "/s"])
    fun rows(path: String) {
        get(path).then().statusCode(500)
        given().header("X", path).get("$path/again").then().body("id", `is`("8"))
        fail("end")
    }
}
