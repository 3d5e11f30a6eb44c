// Permit /carillon/token in the security configuration, so that signed-out users get 401 and no sign-in page.
import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.Principal;
import java.util.Base64;
import java.util.Map;
import java.util.stream.Collectors;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

@RestController
class CarillonController {
    @GetMapping("/carillon/token")
    ResponseEntity<Map<String, String>> token(Principal user) throws Exception {
        if (user == null) return ResponseEntity.status(401).build();
        String key = System.getenv("CARILLON_TOKEN_KEY"), id = quote(user.getName());
        long now = System.currentTimeMillis() / 1000;
        String header = "{\"alg\": \"HS256\", \"kid\": %s}".formatted(quote(key.split("\\.")[0]));
        String claims = "{\"sub\": %s, \"name\": %s, \"aud\": \"carillon\", \"iat\": %d, \"exp\": %d}".formatted(id, id, now, now + 900);
        String signed = encode(header.getBytes(UTF_8)) + "." + encode(claims.getBytes(UTF_8));
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(key.getBytes(UTF_8), "HmacSHA256"));
        String token = signed + "." + encode(mac.doFinal(signed.getBytes(UTF_8)));
        return ResponseEntity.ok().header("Cache-Control", "no-store").body(Map.of("token", token));
    }

    private static String encode(byte[] data) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(data);
    }

    private static String quote(String text) {
        return text.chars().mapToObj(c -> c < 32 || c == '"' || c == '\\' ? "\\u%04x".formatted(c) : Character.toString(c))
            .collect(Collectors.joining("", "\"", "\""));
    }
}
