package store

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/carillonhq/carillon/notifier"
)

var errReasonsCode = errors.New("these bytes are no reasons, or of a later version")

// encodeReasons makes why the recipients of a notice get it compact: the version of
// snapshotCode, how many, and of each the text and the set of users with the length
// before it. A length is one more than it is, 0 says that the set is all the others.
// Without any reason it is nil.
func encodeReasons(reasons []notifier.Why) ([]byte, error) {
	if len(reasons) == 0 {
		return nil, nil
	}
	b := binary.AppendUvarint([]byte{snapshotCode}, uint64(len(reasons)))
	for _, why := range reasons {
		b = binary.AppendUvarint(b, uint64(len(why.Reason)))
		b = append(b, why.Reason...)
		if why.To == nil {
			b = binary.AppendUvarint(b, 0)
			continue
		}
		set, err := encodeRecipients(why.To)
		if err != nil {
			return nil, fmt.Errorf("encode who gets it because of %s: %w", why.Reason, err)
		}
		b = binary.AppendUvarint(b, uint64(len(set))+1)
		b = append(b, set...)
	}
	return b, nil
}

// storedReasons is decodeReasons of a column. Why somebody gets a notice is no reason
// to keep it from him: what cannot be read is none, and he is told the target's.
func storedReasons(b []byte) []notifier.Why {
	reasons, err := decodeReasons(b)
	if err != nil {
		return nil
	}
	return reasons
}

func decodeReasons(b []byte) ([]notifier.Why, error) {
	if len(b) == 0 {
		return nil, nil
	}
	r := codeReader{rest: b}
	const shortest = 2 // bytes of one
	reasons := make([]notifier.Why, r.start(shortest))
	for i := range reasons {
		reasons[i].Reason = r.text(r.uvarint())
		if n := r.uvarint(); n > 0 && !r.bad {
			var err error
			if reasons[i].To, err = decodeSet(r.bytes(n - 1)); err != nil {
				return nil, err
			}
		}
	}
	if r.end() != nil || len(reasons) == 0 {
		return nil, errReasonsCode
	}
	return reasons, nil
}

// decodeSet reads a set of users that takes up all of b.
func decodeSet(b []byte) (*roaring.Bitmap, error) {
	set := roaring.New()
	n, err := set.ReadFrom(bytes.NewReader(b)) // which copies
	if err == nil && n != int64(len(b)) {
		err = errReasonsCode
	}
	if err == nil {
		err = set.Validate()
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errReasonsCode, err)
	}
	return set, nil
}
