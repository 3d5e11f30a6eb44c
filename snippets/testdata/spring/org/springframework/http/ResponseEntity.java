package org.springframework.http;

public record ResponseEntity<T>(int status, T body) {
    public record Builder(int status) {
        public Builder header(String name, String value) {
            return this;
        }

        public <T> ResponseEntity<T> body(T body) {
            return new ResponseEntity<>(status, body);
        }

        public <T> ResponseEntity<T> build() {
            return body(null);
        }
    }

    public static Builder status(int status) {
        return new Builder(status);
    }

    public static Builder ok() {
        return status(200);
    }
}
