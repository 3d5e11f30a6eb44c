package api

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/carillonhq/carillon/notifier"
)

// maxOnceKey is how long an Idempotency-Key may be.
const maxOnceKey = 255

// checkOnce looks at an Idempotency-Key; none is right too.
func checkOnce(key string) error {
	bad := len(key) > maxOnceKey
	for i := range len(key) {
		bad = bad || key[i] <= ' ' || key[i] > '~'
	}
	if bad {
		return invalidAt("header.Idempotency-Key", codeBadKey, nil)
	}
	return nil
}

// onceOf is what makes a repeated notice, or toast, the same. Its digest is of what the
// request means, so that spaces and the order of fields do not matter. In a batch
// each notice has a key of its own, by its index: no key that a header can carry
// holds a space. Outside of one the index is negative.
func onceOf(key, sender string, n any, index int) (*notifier.Once, error) {
	if key == "" {
		return nil, nil
	}
	text, err := json.Marshal(n)
	if err != nil {
		return nil, fmt.Errorf("digest a request: %w", err)
	}
	sum := sha256.Sum256(text)
	if index >= 0 {
		key += " " + strconv.Itoa(index)
	}
	return &notifier.Once{Owner: sender, Key: key, Digest: sum[:]}, nil
}
