package instance

import (
	"context"
	"errors"
	"time"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/channels"
	"github.com/carillonhq/carillon/notifier/push"
	"github.com/carillonhq/carillon/store"
	"github.com/carillonhq/carillon/views/locale"
)

// The codes of faults of a subscription. Scripts get them, and no form.
const (
	codeSubscription = "bad_subscription"
	codeEndpoint     = "bad_endpoint"
	codeUnknown      = "unknown_push_service"
	codeKey          = "bad_key"
)

// testTTL is how long a test message waits for its device.
const testTTL = time.Minute

// devices are the browsers that receive pushes.
type devices struct {
	*store.Store
	hosts  push.Hosts
	key    string
	teller pushTeller
	stage  *channels.Stage // judges the answers of push services
}

// PushKey returns the key that browsers bind their subscriptions to.
func (d *devices) PushKey() string { return d.key }

// Register stores the subscription of a browser: the JSON of PushSubscription.toJSON(). A fault of it is a
// *notifier.InvalidError.
func (d *devices) Register(ctx context.Context, device notifier.NewDevice, subscription []byte) (id int64, known bool, err error) {
	sub, err := d.hosts.ParseSubscription(subscription)
	var bad notifier.InvalidError
	for _, f := range []struct {
		err         error
		field, code string
	}{
		{push.ErrSyntax, "", codeSubscription},
		{push.ErrEndpoint, "endpoint", codeEndpoint},
		{push.ErrUnknown, "endpoint", codeUnknown},
		{push.ErrP256DH, "keys.p256dh", codeKey},
		{push.ErrAuth, "keys.auth", codeKey},
	} {
		if errors.Is(err, f.err) {
			bad.Add(f.field, f.code, nil)
			return 0, false, bad.OrNil()
		}
	}
	if err != nil {
		return 0, false, err
	}
	device.Endpoint, device.Keys = sub.Endpoint, append(sub.P256DH[:], sub.Auth[:]...)
	return d.AddDevice(ctx, device)
}

// Test sends a message to a device of a user at once, and reports whether the push service accepted it. A
// device that is gone is removed. It returns notifier.ErrNotFound for an id that is not one of the user's devices.
func (d *devices) Test(ctx context.Context, user notifier.User, text *locale.Printer, id int64) (sent bool, err error) {
	all, err := d.Devices(ctx, user.Seq, "")
	if err != nil {
		return false, err
	}
	for i := range all {
		if all[i].ID != id {
			continue
		}
		target := &all[i].ReachTarget
		reader, _, err := d.ReaderApps(ctx, user.Seq, notifier.Ref{})
		if err != nil {
			return false, err
		}
		settings := d.teller.links(ctx, &channels.Message{Target: target, User: user, App: reader}).Settings()
		out := d.stage.Try(ctx, target, func(ctx context.Context) channels.Outcome {
			return d.teller.send(ctx, target, push.Message{
				Notification: push.Notification{Title: text.T("devices.test_title"), Body: text.T("devices.test_body"), Lang: text.Lang(), Navigate: settings},
				Key:          "test", Expires: time.Now().Add(testTTL), Urgent: true,
			})
		})
		if out.Verdict == channels.Gone {
			err = d.RemoveDevice(ctx, user.Seq, id)
		}
		return out.Verdict == channels.Sent, err
	}
	return false, notifier.ErrNotFound
}
