package com.acme.bank.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.restassured.response.Response;
import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

public class AccountsIT extends AbstractApiIT {

    record Account(String id, String iban, String owner, BigDecimal balance, List<String> tags) {}

    record Problem(int status, String title, String detail) {}

    private Account account;

    @BeforeEach
    void openAccount() {
        account = asUser("clerk")
                .body(Map.of("owner", "Ida", "currency", "EUR"))
                .post("/accounts")
                .then()
                .statusCode(201)
                .extract()
                .as(Account.class);
    }

    @Test
    void anAccountIsOpenedEmpty() {
        assertThat(account.owner()).isEqualTo("Ida");
        assertThat(account.iban()).isEqualTo("DE02120300000000202051");
        assertThat(account.balance()).isEqualByComparingTo("0.00");
        assertThat(account.tags()).isEmpty();
        assertThat(account.id()).isNotBlank();
    }

    @Test
    void allAccountsAreListed() {
        Response response = asUser("clerk").queryParam("owner", "Ida").get("/accounts");

        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.getHeader("X-Count")).isEqualTo("5");
        assertThat(response.jsonPath().getList("owner", String.class)).containsOnly("Ida");
        assertThat(response.jsonPath().getInt("size()")).isEqualTo(5);
        assertThat(response.jsonPath().getString("[0].currency")).isEqualTo("EUR");

        Account[] accounts = response.as(Account[].class);
        assertThat(accounts).hasSize(5);
        assertThat(accounts[0].owner()).startsWith("I");
    }

    @Nested
    class Transfers {

        @Test
        void moneyMoves() {
            Response response = transfer(account.id(), "12.50");

            assertThat(response.getStatusCode()).isEqualTo(202);
            assertThat(response.jsonPath().getString("state")).isEqualTo("BOOKED");
            assertThat(response.jsonPath().getLong("sequence")).isEqualTo(90017L);
            assertThat(response.<String>path("from")).isEqualTo(account.id());

            Account after = asUser("clerk").get("/accounts/{id}", account.id()).as(Account.class);
            assertThat(after.balance()).isEqualTo(new BigDecimal("-12.50"));
            assertThat(after.tags()).containsExactly("overdrawn");
        }

        @Test
        void theAmountIsPositive() {
            Problem problem = transfer(account.id(), "-1").then().statusCode(400).extract().as(Problem.class);

            assertThat(problem.status()).isEqualTo(400);
            assertThat(problem.title()).isEqualTo("Bad Request");
            assertThat(problem.detail()).contains("positive").doesNotContain("Exception");
        }

        private Response transfer(String from, String amount) {
            return asUser("clerk")
                    .body(Map.of("from", from, "to", "DE89370400440532013000", "amount", amount))
                    .when()
                    .post("/transfers");
        }
    }

    @Test
    void strangersSeeNothing() {
        asUser("stranger").get("/accounts/" + account.id()).then().statusCode(403);
    }
}
