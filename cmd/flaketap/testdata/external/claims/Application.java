package claims;

import java.net.http.HttpClient;
import java.time.Duration;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.http.client.JdkClientHttpRequestFactory;
import org.springframework.web.client.RestClient;

/**
 * Claims of an insurance: what a policy covers, what a claim is worth, who repairs, and what is paid out. It asks three
 * services: the registry of policies (https), garages (a port of their own), and a bank (an address).
 */
@SpringBootApplication
public class Application {
    public static void main(String[] args) {
        SpringApplication.run(Application.class, args);
    }

    @Bean
    JdkClientHttpRequestFactory connections() {
        HttpClient client = HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(1)).build();
        JdkClientHttpRequestFactory connections = new JdkClientHttpRequestFactory(client);
        connections.setReadTimeout(Duration.ofSeconds(1));
        return connections;
    }

    @Bean
    RestClient registryClient(RestClient.Builder builder, JdkClientHttpRequestFactory connections) {
        return builder.clone().requestFactory(connections).baseUrl("https://registry.example.com").build();
    }

    @Bean
    RestClient garagesClient(RestClient.Builder builder, JdkClientHttpRequestFactory connections) {
        return builder.clone().requestFactory(connections).baseUrl("http://garages.example.net:8080").build();
    }

    @Bean
    RestClient bankClient(RestClient.Builder builder, JdkClientHttpRequestFactory connections) {
        return builder.clone().requestFactory(connections).baseUrl("http://203.0.113.20").build();
    }
}
