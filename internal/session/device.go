package session

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"net/http"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

const (
	deviceName = "carillon_device"
	deviceLife = 180 * 24 * time.Hour // from the last sign-in
	deviceID   = 16                   // bytes in a cookie, before the user's number and the mark of their password
)

// devices recognizes browsers in which a user has signed in before. Repeated failures lock an account for strangers,
// while its owner can still sign in from a known browser. The cookie contains the number of that user and a mark of
// their password: after a password change the browser is unknown again. Nothing is stored on the server.
type devices struct{ cookie cookie }

func newDevices(keys [][]byte, place Place) devices {
	return devices{newCookie(deviceName, keys, place, deviceLife)}
}

// known returns the id of the known device of the account that r comes from, or "". It queries SQL
// only for a cookie that we have signed.
func (d devices) known(ctx context.Context, users typedUsers, r *http.Request, username string) string {
	var user notifier.User
	var stored string
	for raw := range d.cookie.read(r) {
		if stored == "" {
			var err error
			if user, stored, err = users.credentials(ctx, username); err != nil || stored == "" {
				return "" // unknown user or SQL error: treat the browser as unknown
			}
		}
		if device := raw[:deviceID]; string(raw) == string(payload(device, user.Seq, stored)) {
			return base64.RawURLEncoding.EncodeToString(device)
		}
	}
	return ""
}

// remember returns the cookie for a browser in which a user has just signed in. A known browser
// keeps its id.
func (d devices) remember(known string, user notifier.User, stored string) (*http.Cookie, error) {
	device, err := base64.RawURLEncoding.DecodeString(known)
	if err != nil || len(device) != deviceID {
		device = make([]byte, deviceID)
		_, _ = rand.Read(device) // never returns an error: on failure the program crashes
	}
	value, err := d.cookie.sign(payload(device, user.Seq, stored))
	if err != nil {
		return nil, fmt.Errorf("remember the device of user %d: %w", user.Seq, err)
	}
	return d.cookie.with(value), nil
}

// payload returns idBytes bytes. The password hash is salted, so its mark reveals nothing.
func payload(device []byte, seq int64, stored string) []byte {
	mark := sha256.Sum256([]byte(stored))
	raw := append(make([]byte, 0, idBytes), device...)
	raw = binary.BigEndian.AppendUint64(raw, uint64(seq)) //nolint:gosec // user numbers are positive
	return append(raw, mark[:idBytes-len(raw)]...)
}
