package claims;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

/** What a claim is worth. */
@RestController
class Assessments {
    record Claim(String policy, String kind, LocalDate day, BigDecimal amount, String currency, String cause) {}

    private static final BigDecimal EXPERT = new BigDecimal("10000");

    private final Registry registry;
    private final Bank bank;

    Assessments(Registry registry, Bank bank) {
        this.registry = registry;
        this.bank = bank;
    }

    @PostMapping("/claims")
    ResponseEntity<Map<String, Object>> assess(@RequestBody Claim claim) {
        if (claim.amount() == null || claim.amount().signum() <= 0) {
            throw new Failure(HttpStatus.BAD_REQUEST, "amount", "a claim needs an amount");
        }
        Registry.Policy policy = registry.policy(claim.policy());
        String hindrance = Covers.hindrance(policy, claim.day());
        if (hindrance != null) {
            throw Failure.refused("policy", "the policy is " + hindrance);
        }
        Registry.Cover cover = Covers.find(policy, claim.kind());
        if (cover == null) {
            throw Failure.refused("cover", "the policy does not cover " + claim.kind());
        }
        if (cover.excludes() != null && cover.excludes().contains(claim.cause())) {
            throw Failure.refused("excluded", claim.cause() + " is excluded");
        }
        Registry.Holder holder = registry.holder(policy.holderId());
        List<String> notes = new ArrayList<>();
        BigDecimal worth = inCurrencyOf(policy, claim, notes);
        worth = worth.subtract(deductible(policy, holder, notes));
        if (worth.signum() <= 0) {
            notes.add("below the deductible");
            worth = BigDecimal.ZERO;
        }
        if (cover.limit() != null && worth.compareTo(cover.limit()) > 0) {
            notes.add("cut to the limit");
            worth = cover.limit();
        }
        Map<String, Object> out = new LinkedHashMap<>();
        out.put("policy", policy.number() == null ? claim.policy() : policy.number());
        out.put("worth", worth.setScale(2, RoundingMode.HALF_UP));
        out.put("decision", decision(worth, holder, notes));
        out.put("notes", notes);
        return ResponseEntity.status(worth.signum() > 0 ? HttpStatus.CREATED : HttpStatus.OK).body(out);
    }

    private BigDecimal inCurrencyOf(Registry.Policy policy, Claim claim, List<String> notes) {
        String target = policy.currency() == null ? "EUR" : policy.currency();
        if (target.equals(claim.currency())) {
            return claim.amount();
        }
        BigDecimal from = bank.rate(claim.currency());
        if (from == null) {
            throw Failure.refused("currency", "there is no rate for " + claim.currency());
        }
        BigDecimal to = bank.rate(target);
        if (to == null) {
            notes.add("in euros");
            to = BigDecimal.ONE;
        } else {
            notes.add("converted to " + target);
        }
        return claim.amount().multiply(from).divide(to, 2, RoundingMode.HALF_UP);
    }

    private static BigDecimal deductible(Registry.Policy policy, Registry.Holder holder, List<String> notes) {
        BigDecimal own = policy.deductible();
        if (own == null) {
            notes.add("no deductible");
            return BigDecimal.ZERO;
        }
        if (own.signum() < 0) {
            throw Failure.nonsense("the registry", "a deductible below 0");
        }
        if (holder.tier() == Registry.Tier.GOLD && holder.yearsWithoutClaim() >= 5) {
            notes.add("deductible waived");
            return BigDecimal.ZERO;
        }
        if ("HOME".equals(policy.product())) {
            notes.add("half the deductible");
            return own.divide(BigDecimal.valueOf(2), 2, RoundingMode.HALF_UP);
        }
        if ("TRAVEL".equals(policy.product()) && own.compareTo(new BigDecimal("100")) > 0) {
            notes.add("deductible of a journey");
            return new BigDecimal("100");
        }
        return own;
    }

    private static String decision(BigDecimal worth, Registry.Holder holder, List<String> notes) {
        if (holder.blocked()) {
            notes.add("blocked");
            return "manual";
        }
        if (holder.flags() != null && holder.flags().contains("fraud")) {
            notes.add("suspected");
            return "investigate";
        }
        if (worth.signum() == 0) {
            return "nothing";
        }
        if (worth.compareTo(EXPERT) > 0) {
            return holder.tier() == Registry.Tier.GOLD ? "visit" : "expert";
        }
        if (holder.tier() == null) {
            notes.add("no tier");
            return "manual";
        }
        return "pay";
    }
}
