package notifier

import "github.com/RoaringBitmap/roaring/v2"

// Request is a draft with what is needed to recognise the same request when it is repeated.
type Request struct {
	Draft Draft
	Once  *Once // nil: each request creates a notice
}

// Once makes a repeated request recognisable. The first request of an owner with a
// given key is accepted; later ones get its id, or ErrOtherRequest when their digest
// differs.
type Once struct {
	Owner  Ref // the only user of the key
	Key    string
	Digest []byte // of the request
}

// Result is the outcome of a Request.
type Result struct {
	Notice   Notice
	Replayed bool // the request was accepted before, and Notice is the notice from then
	Err      error
}

// Confirmed is a valid draft with its recipients as they were found once. Sending it does not look
// them up again, so the notice goes to as many users as the sender was told. It belongs to one
// request: nothing keeps recipients between the page that shows their number and the confirmation.
type Confirmed struct {
	Draft      Draft
	To         *roaring.Bitmap // seqs; nil for an announcement
	Reasons    []Why           // as in Notice
	Recipients int64           // users who get the notice; of an announcement, users who would see it now
}

// Acceptance is a notice about to be stored in SQL, together with its recipients.
type Acceptance struct {
	Notice *Notice
	To     *roaring.Bitmap // seqs; nil: determined later
	Once   *Once           // nil: every request creates a notice

	Replayed bool  // result: the same request was accepted before, and Notice.ID is the id it got then
	Err      error // result: why this notice was not accepted
}
