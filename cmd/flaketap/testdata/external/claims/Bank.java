package claims;

import java.math.BigDecimal;
import java.util.Map;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.MediaType;
import org.springframework.stereotype.Component;
import org.springframework.web.client.RestClient;

/** The bank: rates of exchange, and payments. */
@Component
class Bank {
    record Rate(String base, BigDecimal rate, Boolean stale) {}

    record Payment(String id, String state, String reason, BigDecimal fee, String account) {}

    record Problem(String code, String detail) {}

    private final RestClient client;

    Bank(RestClient bankClient) {
        this.client = bankClient;
    }

    /** The rate of a currency in euros, 1 for euros; null where the bank has none. */
    BigDecimal rate(String currency) {
        if ("EUR".equals(currency)) {
            return BigDecimal.ONE;
        }
        return client.get().uri("/rates/{currency}", currency).exchange((request, response) -> {
            HttpStatusCode status = response.getStatusCode();
            if (status == HttpStatus.NOT_FOUND) {
                return null;
            }
            if (status.isError()) {
                throw Failure.unavailable("the bank");
            }
            Rate rate = response.bodyTo(Rate.class);
            if (rate == null || rate.rate() == null) {
                throw Failure.nonsense("the bank", "no rate");
            }
            if (rate.rate().signum() <= 0) {
                throw Failure.nonsense("the bank", "a rate of " + rate.rate());
            }
            if (rate.base() != null && !rate.base().equals("EUR")) {
                throw Failure.nonsense("the bank", "a rate in " + rate.base());
            }
            if (Boolean.TRUE.equals(rate.stale())) {
                throw new Failure(HttpStatus.SERVICE_UNAVAILABLE, "stale", "the rate of " + currency + " is old");
            }
            return rate.rate();
        });
    }

    Payment pay(String account, BigDecimal amount, String currency) {
        return client.post().uri("/payments").contentType(MediaType.APPLICATION_JSON)
                .body(Map.of("account", account, "amount", amount, "currency", currency))
                .exchange((request, response) -> {
                    HttpStatusCode status = response.getStatusCode();
                    if (status == HttpStatus.BAD_REQUEST || status == HttpStatus.UNPROCESSABLE_ENTITY) {
                        throw refusal(response.bodyTo(Problem.class));
                    }
                    if (status == HttpStatus.CONFLICT) {
                        throw new Failure(HttpStatus.CONFLICT, "twice", "this has been paid");
                    }
                    if (status.isError()) {
                        throw Failure.unavailable("the bank");
                    }
                    return response.bodyTo(Payment.class);
                });
    }

    private static Failure refusal(Problem problem) {
        if (problem == null || problem.code() == null) {
            return Failure.refused("payment", "the bank refuses the payment");
        }
        switch (problem.code()) {
            case "insufficient_funds":
                return Failure.unavailable("money");
            case "unknown_account":
                return Failure.refused("account", "the bank does not know the account");
            case "blocked_account":
                return Failure.refused("account", "the account is blocked");
            default:
                return Failure.refused("payment", "the bank refuses the payment: " + problem.detail());
        }
    }

    /** A payment as it stands; null where the bank knows none. */
    Payment payment(String id) {
        return client.get().uri("/payments/{id}", id).exchange((request, response) -> {
            if (response.getStatusCode() == HttpStatus.NOT_FOUND) {
                return null;
            }
            if (response.getStatusCode().isError()) {
                throw Failure.unavailable("the bank");
            }
            return response.bodyTo(Payment.class);
        });
    }
}
