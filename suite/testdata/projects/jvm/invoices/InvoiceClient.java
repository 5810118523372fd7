package com.acme.invoicing;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import okhttp3.MediaType;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;

public class InvoiceClient {

    static final MediaType JSON = MediaType.get("application/json");

    private final OkHttpClient http = new OkHttpClient();
    private final ObjectMapper mapper = new ObjectMapper();
    private final String base;

    public InvoiceClient(String base) {
        this.base = base;
    }

    public Response get(String path) throws IOException {
        return http.newCall(new Request.Builder().url(base + path).build()).execute();
    }

    public Response post(String path, Object body) throws IOException {
        RequestBody json = RequestBody.create(mapper.writeValueAsBytes(body), JSON);
        return http.newCall(new Request.Builder().url(base + path).post(json).build()).execute();
    }

    public Invoice invoice(long id) throws IOException {
        try (Response response = get("/invoices/" + id)) {
            return mapper.readValue(response.body().string(), Invoice.class);
        }
    }
}
