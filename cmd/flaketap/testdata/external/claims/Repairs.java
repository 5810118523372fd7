package claims;

import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** Who repairs, and when. */
@RestController
class Repairs {
    record Order(String policy, String postcode, String brand, LocalDate day) {}

    private static final double FAR = 30;

    private final Garages garages;
    private final Registry registry;

    Repairs(Garages garages, Registry registry) {
        this.garages = garages;
        this.registry = registry;
    }

    @GetMapping("/repairs")
    Map<String, Object> options(@RequestParam String postcode, @RequestParam String brand, @RequestParam LocalDate day) {
        List<Garages.Garage> all = garages.near(postcode);
        List<Map<String, Object>> list = new ArrayList<>();
        int far = 0;
        for (Garages.Garage g : ranked(all, brand)) {
            if (g.distanceKm() != null && g.distanceKm() > FAR) {
                far++;
                continue;
            }
            Map<String, Object> one = new LinkedHashMap<>();
            one.put("garage", g.name());
            one.put("stars", stars(g.rating()));
            LocalDate free = free(g, day);
            if (free == null) {
                one.put("free", "ask");
            } else if (free.equals(day)) {
                one.put("free", "as wished");
            } else {
                one.put("free", free);
            }
            list.add(one);
        }
        Map<String, Object> out = new LinkedHashMap<>();
        out.put("garages", list);
        if (list.isEmpty()) {
            out.put("hint", all.isEmpty() ? "nobody repairs here" : far > 0 ? "all are far away" : "nobody repairs " + brand);
        }
        return out;
    }

    private static String stars(double rating) {
        if (rating < 0 || rating > 5) {
            throw Failure.nonsense("the directory of garages", "a rating of " + rating);
        }
        if (rating >= 4.5) {
            return "excellent";
        }
        if (rating >= 3) {
            return "good";
        }
        return rating == 0 ? "new" : "poor";
    }

    /** Those that repair the brand: partners first, then the nearest. */
    private static List<Garages.Garage> ranked(List<Garages.Garage> all, String brand) {
        List<Garages.Garage> out = new ArrayList<>();
        for (Garages.Garage g : all) {
            if (g.brands() == null || g.brands().isEmpty()) {
                out.add(g);
            } else if (g.brands().contains(brand)) {
                out.add(g);
            }
        }
        Comparator<Garages.Garage> partners = Comparator.comparing(g -> Boolean.TRUE.equals(g.partner()) ? 0 : 1);
        out.sort(partners.thenComparing(g -> g.distanceKm() == null ? FAR : g.distanceKm()));
        return out;
    }

    /** The first day that is free, not before the one that is wished; null where none is. */
    private static LocalDate free(Garages.Garage g, LocalDate day) {
        if (g.free() == null) {
            return null;
        }
        LocalDate best = null;
        for (Garages.Day d : g.free()) {
            if (d.day() == null || d.day().isBefore(day) || d.slots() < 1) {
                continue;
            }
            if (best == null || d.day().isBefore(best)) {
                best = d.day();
            }
        }
        return best;
    }

    @PostMapping("/repairs")
    ResponseEntity<Map<String, Object>> book(@RequestBody Order order) {
        Registry.Policy policy = registry.policy(order.policy());
        if (!"CAR".equals(policy.product())) {
            throw Failure.refused("product", "only cars are repaired");
        }
        if (policy.status() != Registry.Status.ACTIVE) {
            throw Failure.refused("policy", "the policy is not active");
        }
        int tried = 0;
        for (Garages.Garage g : ranked(garages.near(order.postcode()), order.brand())) {
            LocalDate day = free(g, order.day());
            if (day == null) {
                continue;
            }
            if (++tried > 2) {
                break;
            }
            Garages.Booking booking = garages.book(g, day, order.policy());
            if (booking == null) {
                continue;
            }
            Map<String, Object> out = new LinkedHashMap<>();
            out.put("garage", g.name());
            out.put("day", day);
            switch (booking.state()) {
                case "confirmed":
                    out.put("booking", booking.id());
                    return ResponseEntity.status(HttpStatus.CREATED).body(out);
                case "waiting":
                    out.put("waiting", booking.waitingDays() == null ? "unknown" : booking.waitingDays());
                    return ResponseEntity.accepted().body(out);
                case "rejected":
                    continue;
                default:
                    throw Failure.nonsense("the booking of garages", "state " + booking.state());
            }
        }
        if (tried == 0) {
            throw new Failure(HttpStatus.NOT_FOUND, "garage", "no garage is free");
        }
        throw new Failure(HttpStatus.CONFLICT, "garage", "all garages were faster given away");
    }
}
