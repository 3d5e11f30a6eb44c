package api

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/carillonhq/carillon/notifier"
)

// maxOnceKey is the maximum length of an Idempotency-Key in bytes.
const maxOnceKey = 255

// checkOnce checks an Idempotency-Key. The header may be absent.
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

// onceOf returns the identity by which a repeated notice or toast is recognized, or nil
// without a key. It digests the decoded request, so that white space and the order of fields
// do not matter. In a batch each notice gets a key of its own from a space and its index: a
// key from the header never contains a space. Outside of a batch the index is negative.
func onceOf(key string, sender notifier.Ref, n any, index int) (*notifier.Once, error) {
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
