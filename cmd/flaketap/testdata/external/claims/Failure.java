package claims;

import java.util.LinkedHashMap;
import java.util.Map;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.client.ResourceAccessException;

/** What goes wrong in a way that the client is told of. */
class Failure extends RuntimeException {
    final HttpStatus status;
    final String code;

    Failure(HttpStatus status, String code, String message) {
        super(message);
        this.status = status;
        this.code = code;
    }

    static Failure refused(String code, String message) {
        return new Failure(HttpStatus.UNPROCESSABLE_ENTITY, code, message);
    }

    static Failure unavailable(String service) {
        return new Failure(HttpStatus.SERVICE_UNAVAILABLE, "unavailable", service + " is not available");
    }

    static Failure nonsense(String service, String what) {
        return new Failure(HttpStatus.BAD_GATEWAY, "nonsense", service + " answered with " + what);
    }

    @RestControllerAdvice
    static class Advice {
        @ExceptionHandler
        ResponseEntity<Map<String, Object>> failed(Failure f) {
            Map<String, Object> body = new LinkedHashMap<>();
            body.put("code", f.code);
            body.put("message", f.getMessage());
            if (f.status == HttpStatus.SERVICE_UNAVAILABLE) {
                return ResponseEntity.status(f.status).header("Retry-After", "5").body(body);
            }
            return ResponseEntity.status(f.status).body(body);
        }

        @ExceptionHandler
        ResponseEntity<Map<String, Object>> unreachable(ResourceAccessException e) {
            Map<String, Object> body = new LinkedHashMap<>();
            body.put("code", "unreachable");
            if (e.getCause() instanceof java.net.http.HttpTimeoutException) {
                body.put("message", "a service takes too long");
                return ResponseEntity.status(HttpStatus.GATEWAY_TIMEOUT).body(body);
            }
            body.put("message", "a service cannot be reached");
            return ResponseEntity.status(HttpStatus.BAD_GATEWAY).body(body);
        }
    }
}
