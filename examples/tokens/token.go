// Command tokens prints a user token: CARILLON_TOKEN_KEY=tk_… go run token.go 42 'Ann Archer'
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"
)

func main() {
	key, now, encode := os.Getenv("CARILLON_TOKEN_KEY"), time.Now().Unix(), base64.RawURLEncoding.EncodeToString
	kid, _, _ := strings.Cut(key, ".")
	header, _ := json.Marshal(map[string]any{"alg": "HS256", "kid": kid})
	claims, _ := json.Marshal(map[string]any{"sub": os.Args[1], "name": os.Args[2], "aud": "carillon", "iat": now, "exp": now + 900})
	signed := encode(header) + "." + encode(claims)
	mac := hmac.New(sha256.New, []byte(key))
	mac.Write([]byte(signed))
	fmt.Println(signed + "." + encode(mac.Sum(nil)))
}
