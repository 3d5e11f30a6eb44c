package store

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/carillonhq/carillon/notifier"
)

var errReasonsCode = errors.New("the data is not an encoded list of reasons, or of a later version")

// encodeReasons encodes the reasons why recipients get a notice: the version snapshotCode, the number
// of reasons, and for each its text and its set of users, both preceded by their length. The length
// of a set is stored plus one; 0 means all other recipients. No reasons give nil.
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
			return nil, fmt.Errorf("encode the recipients for reason %s: %w", why.Reason, err)
		}
		b = binary.AppendUvarint(b, uint64(len(set))+1)
		b = append(b, set...)
	}
	return b, nil
}

// storedReasons decodes a column. A damaged reason must not prevent the delivery of a notice: if the
// column cannot be decoded, it returns none, and recipients see the reason of the target.
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
	const shortest = 2 // bytes of one reason
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

// decodeSet reads a set of users that fills the whole of b.
func decodeSet(b []byte) (*roaring.Bitmap, error) {
	set := roaring.New()
	n, err := set.ReadFrom(bytes.NewReader(b)) // copies the data
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
