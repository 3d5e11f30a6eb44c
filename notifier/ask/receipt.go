package ask

import (
	"bytes"
	"crypto"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/carillonhq/carillon/notifier"
)

// ErrReceipt means that a text is no receipt, was signed by another key, or was changed.
var ErrReceipt = errors.New("not a valid receipt of these keys")

// Receipt is what a receipt proves: who chose what, and to which content.
type Receipt struct {
	ID      int64               `json:"id"`
	State   notifier.AskState   `json:"state"`
	Choices []notifier.ChoiceID `json:"choices"`
	Outcome notifier.ChoiceID   `json:"outcome"`
	Answers []ReceiptAnswer     `json:"answers"`
	Content string              `json:"content"` // base64url of the SHA-256 of the RFC 8785 JSON of title, body and data
}

// ReceiptAnswer is an answer in a receipt. User is null if they were deleted before the receipt was issued.
type ReceiptAnswer struct {
	User    *string           `json:"user"`
	Choice  notifier.ChoiceID `json:"choice"`
	Comment string            `json:"comment"`
	At      time.Time         `json:"at"`
}

// Receipts issues receipts. The first of its keys signs, all verify.
type Receipts struct{ keys []jose.JSONWebKey }

// NewReceiptKeys returns the encoded form of a set with one new key, private half included.
func NewReceiptKeys() ([]byte, error) {
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("make a key for receipts: %w", err)
	}
	key := jose.JSONWebKey{Key: private, Algorithm: string(jose.EdDSA), Use: "sig"}
	name, err := key.Thumbprint(crypto.SHA256)
	if err != nil {
		return nil, fmt.Errorf("name a key for receipts: %w", err)
	}
	key.KeyID = base64.RawURLEncoding.EncodeToString(name)
	return json.Marshal(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{key}})
}

// ParseReceiptKeys reads what NewReceiptKeys returns, or a set of public keys, which can only verify.
func ParseReceiptKeys(text []byte) (*Receipts, error) {
	var set jose.JSONWebKeySet
	if err := json.Unmarshal(text, &set); err != nil || len(set.Keys) == 0 {
		return nil, errors.Join(errors.New("read the keys of receipts: not a set of keys"), err)
	}
	return &Receipts{set.Keys}, nil
}

// Public returns the public halves of the keys, as a JSON Web Key Set.
func (r *Receipts) Public() ([]byte, error) {
	public := jose.JSONWebKeySet{Keys: make([]jose.JSONWebKey, len(r.keys))}
	for i := range r.keys {
		public.Keys[i] = r.keys[i].Public()
	}
	return json.Marshal(public)
}

// Issue returns the receipt of a question as a compact JWS; empty unless it was answered or has expired.
func (r *Receipts) Issue(q *notifier.Question) (string, error) {
	if q.Asked.State != notifier.AskAnswered && q.Asked.State != notifier.AskExpired {
		return "", nil
	}
	receipt, err := receiptOf(q)
	if err != nil {
		return "", err
	}
	payload, err := json.Marshal(receipt)
	if err != nil {
		return "", fmt.Errorf("encode a receipt: %w", err)
	}
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.EdDSA, Key: r.keys[0]}, nil)
	if err != nil {
		return "", fmt.Errorf("sign a receipt: %w", err)
	}
	signed, err := signer.Sign(payload)
	if err != nil {
		return "", fmt.Errorf("sign a receipt: %w", err)
	}
	return signed.CompactSerialize()
}

// Verify returns the content of a receipt, or ErrReceipt.
func (r *Receipts) Verify(text []byte) (receipt Receipt, payload []byte, err error) {
	signed, err := jose.ParseSignedCompact(string(bytes.TrimSpace(text)), []jose.SignatureAlgorithm{jose.EdDSA})
	if err != nil {
		return receipt, nil, fmt.Errorf("%w: %w", ErrReceipt, err)
	}
	named := signed.Signatures[0].Header.KeyID
	i := slices.IndexFunc(r.keys, func(k jose.JSONWebKey) bool { return k.KeyID == named })
	if i < 0 {
		return receipt, nil, fmt.Errorf("%w: no key is named %q", ErrReceipt, named)
	}
	if payload, err = signed.Verify(r.keys[i].Public()); err == nil {
		err = json.Unmarshal(payload, &receipt)
	}
	if err != nil {
		return Receipt{}, nil, fmt.Errorf("%w: %w", ErrReceipt, err)
	}
	return receipt, payload, nil
}

func receiptOf(q *notifier.Question) (*Receipt, error) {
	content, err := contentHash(&q.Draft)
	if err != nil {
		return nil, err
	}
	r := &Receipt{ID: q.ID, State: q.Asked.State, Outcome: q.Asked.Outcome, Content: content, Answers: make([]ReceiptAnswer, len(q.Answers))}
	for _, c := range q.Asked.Choices {
		r.Choices = append(r.Choices, c.ID)
	}
	for i, a := range q.Answers {
		r.Answers[i] = ReceiptAnswer{Choice: a.Choice, Comment: a.Comment, At: a.At.UTC()}
		if a.User != "" {
			r.Answers[i].User = &a.User
		}
	}
	return r, nil
}

// contentHash returns Receipt.Content. Without data, data is null.
func contentHash(d *notifier.Draft) (string, error) {
	raw, err := json.Marshal(struct {
		Title string          `json:"title"`
		Body  string          `json:"body"`
		Data  json.RawMessage `json:"data"`
	}{d.Title, d.Body, d.Extras.Data})
	canonical := jsontext.Value(raw)
	if err == nil {
		err = canonical.Canonicalize()
	}
	if err != nil {
		return "", fmt.Errorf("hash the content of a question: %w", err)
	}
	sum := sha256.Sum256(canonical)
	return base64.RawURLEncoding.EncodeToString(sum[:]), nil
}
