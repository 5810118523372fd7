package claims;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.LinkedHashMap;
import java.util.Map;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

/** What is paid out. */
@RestController
class Payouts {
    record Order(String holder, String account, BigDecimal amount, String currency) {}

    private static final int MOST_POLLS = 3;

    private final Registry registry;
    private final Bank bank;

    Payouts(Registry registry, Bank bank) {
        this.registry = registry;
        this.bank = bank;
    }

    @PostMapping("/payouts")
    ResponseEntity<Map<String, Object>> pay(@RequestBody Order order) {
        Registry.Holder holder = registry.holder(order.holder());
        if (holder.blocked()) {
            throw Failure.refused("blocked", "the holder gets no money");
        }
        BigDecimal rate = bank.rate(order.currency());
        if (rate == null) {
            throw Failure.refused("currency", "there is no rate for " + order.currency());
        }
        BigDecimal euros = order.amount().multiply(rate).setScale(2, RoundingMode.HALF_UP);
        if (euros.compareTo(new BigDecimal("50000")) > 0) {
            throw Failure.refused("amount", "that much is paid by hand");
        }
        Bank.Payment payment = bank.pay(order.account(), order.amount(), order.currency());
        if (payment == null || payment.state() == null) {
            throw Failure.nonsense("the bank", "no payment");
        }
        for (int i = 0; payment.state().equals("pending") && i < MOST_POLLS; i++) {
            if (payment.id() == null) {
                throw Failure.nonsense("the bank", "a payment without id");
            }
            payment = bank.payment(payment.id());
            if (payment == null || payment.state() == null) {
                throw Failure.nonsense("the bank", "a payment that is lost");
            }
        }
        return told(payment, euros);
    }

    private static ResponseEntity<Map<String, Object>> told(Bank.Payment payment, BigDecimal euros) {
        Map<String, Object> out = new LinkedHashMap<>();
        out.put("payment", payment.id());
        switch (payment.state()) {
            case "settled":
                out.put("paid", payment.fee() == null ? euros : euros.subtract(payment.fee()));
                if (payment.fee() != null && payment.fee().compareTo(euros) > 0) {
                    out.put("warning", "the fee is above what is paid");
                }
                return ResponseEntity.status(HttpStatus.CREATED).body(out);
            case "pending":
                out.put("later", true);
                return ResponseEntity.accepted().body(out);
            case "review":
                out.put("review", payment.reason() == null ? "no reason" : payment.reason());
                return ResponseEntity.accepted().body(out);
            case "rejected":
                if ("sanctions".equals(payment.reason())) {
                    throw new Failure(HttpStatus.UNAVAILABLE_FOR_LEGAL_REASONS, "sanctions", "the bank must not pay");
                }
                throw Failure.refused("rejected", "the bank rejects: " + payment.reason());
            default:
                throw Failure.nonsense("the bank", "state " + payment.state());
        }
    }

    @GetMapping("/payouts/{id}")
    Map<String, Object> payout(@PathVariable String id) {
        Bank.Payment payment = bank.payment(id);
        if (payment == null) {
            throw new Failure(HttpStatus.NOT_FOUND, "payout", "there is no payout " + id);
        }
        Map<String, Object> out = new LinkedHashMap<>();
        out.put("id", id);
        if (payment.state() == null) {
            out.put("state", "unknown");
        } else if (payment.state().equals("rejected")) {
            out.put("state", "failed");
            out.put("why", payment.reason());
        } else if (payment.state().equals("settled")) {
            out.put("state", "paid");
        } else {
            out.put("state", "under way");
        }
        if (payment.account() != null && payment.account().length() > 4) {
            out.put("account", "…" + payment.account().substring(payment.account().length() - 4));
        }
        return out;
    }
}
