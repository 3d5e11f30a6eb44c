// CARILLON_TOKEN_KEY=tk_… java Token.java 42 'Ann Archer'
import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Base64;
import java.util.stream.Collectors;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

class Token {
    public static void main(String[] args) throws Exception {
        String key = System.getenv("CARILLON_TOKEN_KEY");
        long now = System.currentTimeMillis() / 1000;
        String header = "{\"alg\": \"HS256\", \"kid\": %s}".formatted(quote(key.split("\\.")[0]));
        String claims = "{\"sub\": %s, \"name\": %s, \"aud\": \"carillon\", \"iat\": %d, \"exp\": %d}".formatted(quote(args[0]), quote(args[1]), now, now + 900);
        String signed = encode(header.getBytes(UTF_8)) + "." + encode(claims.getBytes(UTF_8));
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(key.getBytes(UTF_8), "HmacSHA256"));
        System.out.println(signed + "." + encode(mac.doFinal(signed.getBytes(UTF_8))));
    }

    static String encode(byte[] data) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(data);
    }

    static String quote(String text) {
        return text.chars().mapToObj(c -> c < 32 || c == '"' || c == '\\' ? "\\u%04x".formatted(c) : Character.toString(c))
            .collect(Collectors.joining("", "\"", "\""));
    }
}
