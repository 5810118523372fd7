package claims;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.math.BigDecimal;
import java.time.LocalDate;
import java.util.List;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Component;
import org.springframework.web.client.RestClient;

/** The registry of policies and their holders. It wants a token, which lapses. */
@Component
class Registry {
    enum Status { ACTIVE, SUSPENDED, LAPSED, CANCELLED }

    enum Tier { BASIC, SILVER, GOLD }

    record Token(@JsonProperty("access_token") String token, @JsonProperty("expires_in") int seconds, String scope) {}

    record Cover(String kind, BigDecimal limit, List<String> excludes, Integer waitingDays) {}

    record Policy(String number, String holderId, Status status, String product, String currency, LocalDate since,
            LocalDate until, BigDecimal deductible, List<Cover> covers, String replacedBy) {}

    record Address(String country, String postcode) {}

    record Holder(String id, String name, Tier tier, boolean blocked, int yearsWithoutClaim, Address address, List<String> flags) {}

    private final RestClient client;
    private String token;

    Registry(RestClient registryClient) {
        this.client = registryClient;
    }

    /** Forgets the token. */
    synchronized void reset() {
        token = null;
    }

    Policy policy(String number) {
        ResponseEntity<Policy> answer = get("/policies/{id}", number, Policy.class);
        if (answer.getStatusCode() == HttpStatus.NOT_FOUND) {
            throw new Failure(HttpStatus.NOT_FOUND, "policy", "there is no policy " + number);
        }
        if (answer.getStatusCode() == HttpStatus.GONE) {
            throw new Failure(HttpStatus.GONE, "archived", "the policy " + number + " is in the archive");
        }
        Policy policy = answer.getBody();
        if (policy == null) {
            throw Failure.nonsense("the registry", "no policy");
        }
        if (policy.status() == null) {
            throw Failure.nonsense("the registry", "a policy without status");
        }
        if (policy.replacedBy() != null) {
            throw new Failure(HttpStatus.CONFLICT, "replaced", "the policy is replaced by " + policy.replacedBy());
        }
        return policy;
    }

    Holder holder(String id) {
        ResponseEntity<Holder> answer = get("/holders/{id}", id, Holder.class);
        if (answer.getStatusCode() == HttpStatus.NOT_FOUND) {
            throw new Failure(HttpStatus.NOT_FOUND, "holder", "there is no holder " + id);
        }
        Holder holder = answer.getBody();
        if (holder == null || holder.id() == null) {
            throw Failure.nonsense("the registry", "no holder");
        }
        return holder;
    }

    private <T> ResponseEntity<T> get(String path, String id, Class<T> type) {
        for (int attempt = 0; ; attempt++) {
            ResponseEntity<T> answer = once(path, id, type);
            int status = answer.getStatusCode().value();
            if (status == 401 && attempt == 0) {
                reset();
                continue;
            }
            if (status == 401 || status == 403) {
                throw new Failure(HttpStatus.INTERNAL_SERVER_ERROR, "credentials", "the registry does not let us in");
            }
            if (status == 429) {
                String after = answer.getHeaders().getFirst(HttpHeaders.RETRY_AFTER);
                if (attempt > 0 || after == null || Integer.parseInt(after) > 0) {
                    throw new Failure(HttpStatus.TOO_MANY_REQUESTS, "busy", "the registry is asked too often");
                }
                continue;
            }
            if (status >= 500) {
                if (attempt < 2 && status != 501) {
                    continue;
                }
                throw Failure.unavailable("the registry");
            }
            if (status >= 400 && status != 404 && status != 410) {
                throw Failure.nonsense("the registry", "status " + status);
            }
            return answer;
        }
    }

    private <T> ResponseEntity<T> once(String path, String id, Class<T> type) {
        return client.get().uri(path, id).header(HttpHeaders.AUTHORIZATION, "Bearer " + token())
                .exchange((request, response) -> {
                    int status = response.getStatusCode().value();
                    T body = status == 200 ? response.bodyTo(type) : null;
                    return ResponseEntity.status(status).headers(response.getHeaders()).body(body);
                });
    }

    private synchronized String token() {
        if (token != null) {
            return token;
        }
        Token fresh = client.post().uri("/token").contentType(MediaType.APPLICATION_FORM_URLENCODED)
                .body("grant_type=client_credentials").exchange((request, response) -> {
                    if (response.getStatusCode().is5xxServerError()) {
                        throw Failure.unavailable("the login");
                    }
                    if (response.getStatusCode().isError()) {
                        throw new Failure(HttpStatus.INTERNAL_SERVER_ERROR, "credentials", "the login refuses us");
                    }
                    return response.bodyTo(Token.class);
                });
        if (fresh == null || fresh.token() == null || fresh.token().isBlank()) {
            throw Failure.nonsense("the login", "no access_token");
        }
        if (fresh.scope() != null && !fresh.scope().contains("claims")) {
            throw new Failure(HttpStatus.FORBIDDEN, "scope", "the token is not for claims");
        }
        if (fresh.seconds() > 10) {
            token = fresh.token();
        }
        return fresh.token();
    }
}
