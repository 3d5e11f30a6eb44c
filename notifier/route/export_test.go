package route

import (
	"context"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/carillonhq/carillon/notifier"
)

// Recipients returns the answer for one draft.
func (r *Router) Recipients(ctx context.Context, d notifier.Draft) (*roaring.Bitmap, error) {
	answers, err := r.RecipientsAll(ctx, []notifier.Draft{d})
	if err != nil {
		return nil, err
	}
	return answers[0].To, answers[0].Err
}
