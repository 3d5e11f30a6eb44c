package notifier

import "github.com/RoaringBitmap/roaring/v2"

// Request is a draft with the data needed to recognise a repeated request.
type Request struct {
	Draft Draft
	Once  *Once // nil: each request creates a notice
}

// Once makes a repeated request recognisable. The first request of an owner with a given key is
// accepted; later ones return its id, or ErrOtherRequest if their digest differs.
type Once struct {
	Owner  Ref // the user of the key
	Key    string
	Digest []byte // of the request
}

// Result is the outcome of a Request.
type Result struct {
	Notice   Notice
	Replayed bool // the request was accepted earlier, and Notice is the notice from that time
	Err      error
}

// Confirmed is a valid draft with its resolved recipients. Sending it does not resolve them again, so the
// notice goes to as many users as the sender has confirmed. It belongs to one request: the recipients are
// not stored between the page that shows their number and the confirmation.
type Confirmed struct {
	Draft      Draft
	To         *roaring.Bitmap // seqs; nil for an announcement
	Reasons    []Why           // as in Notice
	Recipients int64           // users who get the notice; for an announcement, users who would see it now
}

// Acceptance is a notice about to be stored in SQL, together with its recipients.
type Acceptance struct {
	Notice *Notice
	To     *roaring.Bitmap // seqs; nil: determined later
	Once   *Once           // nil: every request creates a notice
	Claim  Claim           // claims its delivery
	Trace  string          // the traceparent of its request; empty: not traced

	Replayed bool  // result: the same request was accepted earlier, and Notice.ID is the id from that time
	Err      error // result: why this notice was not accepted
}
