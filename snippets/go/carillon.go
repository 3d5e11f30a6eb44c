// Package carillon identifies the signed-in user to Carillon.
package carillon

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"os"
	"strings"
	"time"
)

// Token responds to GET /carillon/token with a token of the user that signedIn finds in the request's session.
func Token(signedIn func(r *http.Request) (id, name string, ok bool)) http.HandlerFunc {
	encode := base64.RawURLEncoding.EncodeToString
	return func(w http.ResponseWriter, r *http.Request) {
		id, name, ok := signedIn(r)
		if !ok {
			http.Error(w, "nobody is signed in", http.StatusUnauthorized)
			return
		}
		key, now := os.Getenv("CARILLON_TOKEN_KEY"), time.Now().Unix()
		kid, _, _ := strings.Cut(key, ".")
		header, _ := json.Marshal(map[string]any{"alg": "HS256", "kid": kid})
		claims, _ := json.Marshal(map[string]any{"sub": id, "name": name, "aud": "carillon", "iat": now, "exp": now + 900})
		signed := encode(header) + "." + encode(claims)
		mac := hmac.New(sha256.New, []byte(key))
		mac.Write([]byte(signed))
		w.Header().Set("Cache-Control", "no-store")
		_ = json.NewEncoder(w).Encode(map[string]string{"token": signed + "." + encode(mac.Sum(nil))})
	}
}
