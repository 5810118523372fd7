package claims;

import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.MediaType;
import org.springframework.stereotype.Component;
import org.springframework.web.client.RestClient;

/** The garages that repair, with their free days. */
@Component
class Garages {
    record Day(LocalDate day, int slots) {}

    record Garage(String id, String name, double rating, Double distanceKm, List<String> brands, List<Day> free, Boolean partner) {}

    record Page(List<Garage> items, Integer next) {}

    record Booking(String id, String state, String reason, Integer waitingDays) {}

    private static final int MOST_PAGES = 3;

    private final RestClient client;

    Garages(RestClient garagesClient) {
        this.client = garagesClient;
    }

    /** All garages near a postcode, of at most three pages. What a later page lacks is left out. */
    List<Garage> near(String postcode) {
        List<Garage> all = new ArrayList<>();
        Integer page = 1;
        for (int i = 0; page != null && i < MOST_PAGES; i++) {
            Page got = page(postcode, page);
            if (got == null) {
                if (i == 0) {
                    throw Failure.unavailable("the directory of garages");
                }
                break;
            }
            if (got.items() == null) {
                throw Failure.nonsense("the directory of garages", "no items");
            }
            for (Garage g : got.items()) {
                if (g == null || g.id() == null) {
                    continue;
                }
                all.add(g);
            }
            if (got.next() != null && got.next() <= page) {
                throw Failure.nonsense("the directory of garages", "the same page again");
            }
            page = got.next();
        }
        return all;
    }

    private Page page(String postcode, int page) {
        return client.get().uri("/garages?postcode={postcode}&page={page}", postcode, page)
                .exchange((request, response) -> {
                    HttpStatusCode status = response.getStatusCode();
                    if (status == HttpStatus.NO_CONTENT) {
                        return new Page(List.of(), null);
                    }
                    if (status == HttpStatus.BAD_REQUEST) {
                        throw new Failure(HttpStatus.BAD_REQUEST, "postcode", "there is no postcode " + postcode);
                    }
                    if (status.isError()) {
                        return null;
                    }
                    return response.bodyTo(Page.class);
                });
    }

    /** Books a day; null where somebody was faster. */
    Booking book(Garage garage, LocalDate day, String policy) {
        return client.post().uri("/bookings").contentType(MediaType.APPLICATION_JSON)
                .body(Map.of("garage", garage.id(), "day", day.toString(), "policy", policy))
                .exchange((request, response) -> {
                    HttpStatusCode status = response.getStatusCode();
                    if (status == HttpStatus.CONFLICT) {
                        return null;
                    }
                    if (status == HttpStatus.UNPROCESSABLE_ENTITY) {
                        Booking refused = response.bodyTo(Booking.class);
                        String reason = refused == null || refused.reason() == null ? "no reason" : refused.reason();
                        throw Failure.refused("booking", garage.name() + " refuses: " + reason);
                    }
                    if (status == HttpStatus.PAYMENT_REQUIRED) {
                        throw Failure.refused("deposit", garage.name() + " wants a deposit");
                    }
                    if (status.isError()) {
                        throw Failure.unavailable("the booking of garages");
                    }
                    Booking booking = response.bodyTo(Booking.class);
                    if (booking == null || booking.state() == null) {
                        throw Failure.nonsense("the booking of garages", "no state");
                    }
                    return booking;
                });
    }
}
