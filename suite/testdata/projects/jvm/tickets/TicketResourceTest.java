package org.desk;

import static org.hamcrest.CoreMatchers.equalTo;
import static org.hamcrest.CoreMatchers.is;
import static org.hamcrest.CoreMatchers.notNullValue;
import static org.hamcrest.CoreMatchers.startsWith;
import static org.hamcrest.MatcherAssert.assertThat;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import java.io.IOException;
import okhttp3.MediaType;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;
import org.json.JSONArray;
import org.json.JSONObject;
import org.junit.After;
import org.junit.Before;
import org.junit.Test;

public class TicketResourceTest {

    private static final MediaType JSON = MediaType.parse("application/json; charset=utf-8");
    private static final String HOST = "http://localhost:9000";

    private OkHttpClient http;
    private int ticketId;

    @Before
    public void createTicket() throws IOException {
        http = new OkHttpClient();
        JSONObject ticket = new JSONObject().put("title", "Printer on fire").put("priority", "high");
        Request request = new Request.Builder()
                .url(HOST + "/tickets")
                .post(RequestBody.create(ticket.toString(), JSON))
                .build();
        try (Response response = http.newCall(request).execute()) {
            assertEquals(201, response.code());
            ticketId = new JSONObject(response.body().string()).getInt("id");
        }
    }

    @After
    public void deleteTicket() throws IOException {
        http.newCall(new Request.Builder().url(HOST + "/tickets/" + ticketId).delete().build()).execute().close();
    }

    @Test
    public void getTicket() throws IOException {
        Response response = get("/tickets/" + ticketId);
        String body = response.body().string();
        JSONObject ticket = new JSONObject(body);

        assertEquals(200, response.code());
        assertTrue(response.isSuccessful());
        assertEquals("application/json", response.header("Content-Type"));
        assertEquals(ticketId, ticket.getInt("id"));
        assertEquals("Printer on fire", ticket.getString("title"));
        assertEquals("OPEN", ticket.getString("status"));
        assertEquals("2025-03-03T12:00:01", ticket.getString("openedAt"));
        assertThat(ticket.getJSONObject("reporter").getString("name"), is("Anonymous"));
        assertTrue(ticket.isNull("assignee"));
    }

    @Test
    public void listTickets() throws IOException {
        try (Response response = get("/tickets?status=OPEN")) {
            JSONArray tickets = new JSONArray(response.body().string());
            assertThat(response.code(), is(200));
            assertThat(tickets.length(), equalTo(4));
            assertThat(tickets.getJSONObject(0).getString("title"), startsWith("Printer"));
            assertThat(tickets.getJSONObject(3).getInt("id"), is(ticketId));
            assertThat(response.header("X-Page"), notNullValue());
        }
    }

    @Test
    public void closeTicket() throws IOException {
        Request request = new Request.Builder()
                .url(HOST + "/tickets/" + ticketId + "/close")
                .put(RequestBody.create("{\"resolution\":\"fixed\"}", JSON))
                .build();
        Response response = http.newCall(request).execute();
        JSONObject closed = new JSONObject(response.body().string());

        assertEquals("closing answers with the ticket", 200, response.code());
        assertEquals("CLOSED", closed.get("status"));
        assertEquals("fixed", closed.optString("resolution"));
        assertFalse(closed.getBoolean("reopened"));
        assertTrue(closed.has("closedAt"));
        assertEquals(2, closed.getJSONArray("history").length());
        assertEquals("close", closed.getJSONArray("history").getJSONObject(1).getString("action"));
    }

    @Test
    public void unknownTicket() throws IOException {
        Response response = get("/tickets/0");
        assertEquals(404, response.code());
        assertEquals("{\"error\":\"no ticket 0\"}", response.body().string());
        assertEquals("Not Found", response.message());
    }

    private Response get(String path) throws IOException {
        return http.newCall(new Request.Builder().url(HOST + path).build()).execute();
    }
}
