class Laid {
    fun laid() {
        assertTrue(took.toString().matches(Regex("-?[0-9]+")) && took >= 0)
        assertTrue(
            res
                .headers()
                .firstValue("Date")
                .get()
                .matches(Regex("[A-Z][a-z]{2}, \\d\\d [A-Z][a-z]{2} \\d{4}")),
        )
        assertTrue(
            (
                body.get<Any?>("clock.epochSeconds") is Int ||
                    body.get<Any?>("clock.epochSeconds") is Long ||
                    body.get<Any?>("clock.epochSeconds") is java.math.BigInteger
            ) &&
                body.getLong("clock.epochSeconds") >= 1000000000,
        )
        org.hamcrest.MatcherAssert.assertThat(
            "res.jsonPath().getString(\"at\")",
            res.jsonPath().getString("stockCheckedAt").matches(Regex("\\d{4}-\\d\\d-\\d\\dT\\d\\d")),
        )
        assertTrue(
            (res.path<Any?>("stockCheckedAt") as String).matches(
                Regex("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d([Zz]|[+-]\\d)"),
            ),
        )
        assertTrue(
            (found.getList<String>("facets") as List<*>).size == 5 &&
                (found.getList<String>("facets") as List<*>).containsAll(
                    listOf("tag", "released", "author", "currency", "price"),
                ),
        )
        assertTrue(
            res.jsonPath().getString("error.thread").matches(Regex("http-nio-8080-exec-[0-9]+")),
            "another thread, that is what it is",
        )
        assertTrue(
            getLong("issuedAt").toString().matches(Regex("-?[0-9]+")) &&
                getLong("issuedAt") >= 1000000000 &&
                getLong("issuedAt") <= 9999999999L,
        )
        assertThat(order.id).matches { it.matches(Regex("[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}")) }
        assertEquals(setOf("a", "b"), body.getMap<String, Any>("clock").keys)
        assertTrue(!(text == ""))
        check(a > b && c < d)
    }
}
