package depot.api

import com.fasterxml.jackson.databind.JsonNode
import com.fasterxml.jackson.databind.ObjectMapper
import okhttp3.MediaType.Companion.toMediaType
import okhttp3.OkHttpClient
import okhttp3.Request
import okhttp3.RequestBody.Companion.toRequestBody
import okhttp3.Response

abstract class ApiTestBase {

    protected val mapper = ObjectMapper()
    private val http = OkHttpClient()
    private val base = System.getenv("DEPOT_URL") ?: "http://localhost:7300"

    protected fun get(path: String): Response =
        http.newCall(Request.Builder().url("$base$path").build()).execute()

    protected fun post(path: String, json: String): Response {
        val body = json.toRequestBody("application/json".toMediaType())
        return http.newCall(Request.Builder().url(base + path).post(body).build()).execute()
    }

    protected fun Response.json(): JsonNode = mapper.readTree(body!!.string())
}
