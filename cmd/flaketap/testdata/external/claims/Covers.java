package claims;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.LocalDate;
import java.util.LinkedHashMap;
import java.util.Map;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** What a policy covers, and what it costs. */
@RestController
class Covers {
    private final Registry registry;

    Covers(Registry registry) {
        this.registry = registry;
    }

    @GetMapping("/health")
    Map<String, Object> health() {
        return Map.of("status", "up");
    }

    @PostMapping("/reset")
    void reset() {
        registry.reset();
    }

    @GetMapping("/policies/{number}/cover")
    Map<String, Object> cover(@PathVariable String number, @RequestParam String kind, @RequestParam LocalDate day) {
        Registry.Policy policy = registry.policy(number);
        Map<String, Object> out = new LinkedHashMap<>();
        out.put("policy", number);
        out.put("kind", kind);
        String hindrance = hindrance(policy, day);
        if (hindrance != null) {
            out.put("covered", false);
            out.put("why", hindrance);
            return out;
        }
        Registry.Cover cover = find(policy, kind);
        if (cover == null) {
            out.put("covered", false);
            out.put("why", "not part of the policy");
            return out;
        }
        if (cover.waitingDays() != null && policy.since() != null && policy.since().plusDays(cover.waitingDays()).isAfter(day)) {
            out.put("covered", false);
            out.put("why", "within the waiting time");
            out.put("from", policy.since().plusDays(cover.waitingDays()));
            return out;
        }
        out.put("covered", true);
        if (cover.limit() == null) {
            out.put("limit", "none");
        } else {
            out.put("limit", cover.limit());
        }
        if (cover.excludes() != null && !cover.excludes().isEmpty()) {
            out.put("but", String.join(", ", cover.excludes()));
        }
        return out;
    }

    /** Why a policy is of no use on a day; null where it is. */
    static String hindrance(Registry.Policy policy, LocalDate day) {
        switch (policy.status()) {
            case CANCELLED:
                return "cancelled";
            case LAPSED:
                return policy.until() != null && !day.isAfter(policy.until()) ? null : "lapsed";
            case SUSPENDED:
                return "suspended until it is paid";
            default:
        }
        if (policy.since() != null && day.isBefore(policy.since())) {
            return "not yet begun";
        }
        if (policy.until() != null && day.isAfter(policy.until())) {
            return "over";
        }
        return null;
    }

    static Registry.Cover find(Registry.Policy policy, String kind) {
        if (policy.covers() == null) {
            throw Failure.nonsense("the registry", "a policy without covers");
        }
        for (Registry.Cover c : policy.covers()) {
            if (kind.equalsIgnoreCase(c.kind())) {
                return c;
            }
        }
        return null;
    }

    @GetMapping("/holders/{id}/premium")
    Map<String, Object> premium(@PathVariable String id, @RequestParam BigDecimal base) {
        Registry.Holder holder = registry.holder(id);
        if (holder.blocked()) {
            throw new Failure(HttpStatus.FORBIDDEN, "blocked", "the holder is blocked");
        }
        BigDecimal factor = BigDecimal.ONE;
        if (holder.tier() == Registry.Tier.GOLD) {
            factor = factor.multiply(new BigDecimal("0.80"));
        } else if (holder.tier() == Registry.Tier.SILVER) {
            factor = factor.multiply(new BigDecimal("0.90"));
        }
        if (holder.yearsWithoutClaim() >= 10) {
            factor = factor.multiply(new BigDecimal("0.70"));
        } else if (holder.yearsWithoutClaim() >= 3) {
            factor = factor.multiply(new BigDecimal("0.85"));
        } else if (holder.yearsWithoutClaim() < 0) {
            throw Failure.nonsense("the registry", "years below 0");
        }
        String region = "home";
        if (holder.address() == null) {
            region = "unknown";
            factor = factor.multiply(new BigDecimal("1.25"));
        } else if (!"NO".equals(holder.address().country())) {
            region = "abroad";
            factor = factor.multiply(new BigDecimal("1.50"));
        } else if (holder.address().postcode() != null && holder.address().postcode().startsWith("0")) {
            region = "city";
            factor = factor.multiply(new BigDecimal("1.10"));
        }
        Map<String, Object> out = new LinkedHashMap<>();
        out.put("holder", holder.name() == null ? id : holder.name());
        out.put("region", region);
        out.put("premium", base.multiply(factor).setScale(2, RoundingMode.HALF_UP));
        if (holder.flags() != null) {
            for (String flag : holder.flags()) {
                if (flag.equals("student")) {
                    out.put("discount", "student");
                } else if (flag.equals("employee")) {
                    out.put("discount", "employee");
                    out.put("premium", BigDecimal.ZERO);
                }
            }
        }
        return out;
    }
}
