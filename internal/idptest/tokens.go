package idptest

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4"
)

func (p *Provider) token(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	id, secret, basic := r.BasicAuth()
	id, _ = url.QueryUnescape(id)
	secret, _ = url.QueryUnescape(secret)
	if !basic {
		id, secret = r.FormValue("client_id"), r.FormValue("client_secret")
	}
	b, known := p.codes[r.FormValue("code")]
	delete(p.codes, r.FormValue("code"))
	sum := sha256.Sum256([]byte(r.FormValue("code_verifier")))
	if id != ClientID || secret != p.secret || basic && secret == "" {
		answer(w, http.StatusUnauthorized, map[string]any{"error": "invalid_client"})
		return
	}
	if !known || b.challenge != base64.RawURLEncoding.EncodeToString(sum[:]) || b.redirect != r.FormValue("redirect_uri") {
		answer(w, http.StatusBadRequest, map[string]any{"error": "invalid_grant"})
		return
	}
	now := time.Now().Unix()
	claims := map[string]any{"iss": p.URL, "aud": ClientID, "iat": now, "exp": now + 300, "nonce": b.nonce}
	maps.Copy(claims, b.claims)
	if p.lie != nil {
		p.lie(claims)
	}
	text, err := p.sign(claims)
	if err != nil {
		answer(w, http.StatusInternalServerError, map[string]any{"error": err.Error()})
		return
	}
	access := rand.Text()
	p.access[access] = claims["sub"]
	answer(w, http.StatusOK, map[string]any{"access_token": access, "token_type": "Bearer", "expires_in": 300, "id_token": text})
}

func (p *Provider) userinfo(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	sub, known := p.access[strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")]
	if !known {
		w.Header().Set("WWW-Authenticate", `Bearer error="invalid_token"`)
		answer(w, http.StatusUnauthorized, map[string]any{"error": "invalid_token"})
		return
	}
	claims := map[string]any{"sub": sub}
	maps.Copy(claims, p.more)
	if !p.signed {
		answer(w, http.StatusOK, claims)
		return
	}
	claims["iss"], claims["aud"] = p.URL, ClientID
	text, err := p.sign(claims)
	if err != nil {
		answer(w, http.StatusInternalServerError, map[string]any{"error": err.Error()})
		return
	}
	w.Header().Set("Content-Type", "application/jwt")
	_, _ = io.WriteString(w, text)
}

func (p *Provider) sign(claims map[string]any) (string, error) {
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.RS256, Key: jose.JSONWebKey{Key: p.key, KeyID: "1"}}, nil)
	if err != nil {
		return "", err
	}
	payload, err := json.Marshal(claims)
	if err != nil {
		return "", err
	}
	signed, err := signer.Sign(payload)
	if err != nil {
		return "", err
	}
	return signed.CompactSerialize()
}

func (p *Provider) keys(w http.ResponseWriter, _ *http.Request) {
	answer(w, http.StatusOK, jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: &p.key.PublicKey, KeyID: "1", Algorithm: "RS256", Use: "sig"}}})
}
