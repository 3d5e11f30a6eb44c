package instance

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/carillonhq/carillon/internal/config"
	"github.com/carillonhq/carillon/internal/doctor"
	"github.com/carillonhq/carillon/internal/outbound"
	"github.com/carillonhq/carillon/internal/seal"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/live"
	"github.com/carillonhq/carillon/notifier/pipeline"
	"github.com/carillonhq/carillon/notifier/push"
	"github.com/carillonhq/carillon/notifier/reach"
	"github.com/carillonhq/carillon/store"
	"github.com/carillonhq/carillon/views/locale"
)

const (
	pushLines  = 32 // messages that are sent at a time
	pushTitles = 3  // titles in a message about several notices
	dialWait   = 5 * time.Second

	// A device whose service has refused our key for so long is deleted: it was made for another key. Until
	// then, the pause that its refusals cause holds up the other devices of the service.
	refusedFor = 3 * 24 * time.Hour

	vapidSecret = "vapid" // the name of the VAPID key in SQL
	vapidSealed = "carillon vapid key"
)

// VAPIDPublic signs a token with the VAPID key and returns the key's public half. It changes nothing: if no
// server has made the key yet, the error is doctor.ErrNoVAPID.
func VAPIDPublic(ctx context.Context, cfg config.Config, db *store.Store) (string, error) {
	if _, err := os.Stat(config.KeyFile(cfg.DataDir)); cfg.Push.Key == "" && len(cfg.SessionKeys) == 0 && errors.Is(err, fs.ErrNotExist) {
		return "", doctor.ErrNoVAPID
	}
	key, _, err := vapidKey(ctx, cfg, db, func(seal.Sealer) ([]byte, error) { return nil, doctor.ErrNoVAPID })
	if err == nil {
		_, err = key.Authorization("https://push.example.com/", cfg.Push.Contact, time.Now())
	}
	if err != nil {
		return "", err
	}
	return key.Public()
}

// makeVAPIDKey returns the key that push services know this installation by: the configured one, or the one in
// SQL, sealed under the session keys. The first call makes that, and one that was
// sealed under an older session key is sealed under the first one, so that the older one may be dropped next.
func makeVAPIDKey(ctx context.Context, cfg config.Config, db *store.Store) (push.Key, error) {
	key, again, err := vapidKey(ctx, cfg, db, func(sealer seal.Sealer) ([]byte, error) {
		made, err := push.NewKey()
		if err != nil {
			return nil, err
		}
		text, err := made.Secret()
		if err != nil {
			return nil, err
		}
		return sealer.Seal([]byte(text), vapidSecret)
	})
	if err == nil && again != nil {
		err = again()
	}
	return key, err
}

// vapidKey returns the key, and how to seal it again if it is sealed under an older session key; nil: it is not.
func vapidKey(
	ctx context.Context, cfg config.Config, db *store.Store, fresh func(seal.Sealer) ([]byte, error),
) (key push.Key, again func() error, err error) {
	if cfg.Push.Key != "" {
		key, err = push.ParseKey(cfg.Push.Key)
		return key, nil, err
	}
	sessionKeys, err := cfg.SigningKeys()
	if err != nil {
		return key, nil, err
	}
	sealer, err := seal.New(sessionKeys, vapidSealed)
	if err != nil {
		return key, nil, err
	}
	stored, err := db.Secret(ctx, vapidSecret, func() ([]byte, error) { return fresh(sealer) })
	if err != nil {
		return key, nil, err
	}
	text, first, err := sealer.Open(stored, vapidSecret)
	if err != nil {
		return key, nil, fmt.Errorf("the VAPID key: %w: add those to --session-keys, or set --vapid-key", err)
	}
	if !first {
		again = func() error {
			sealed, err := sealer.Seal(text, vapidSecret)
			if err != nil {
				return err
			}
			return db.ReplaceSecret(ctx, vapidSecret, stored, sealed)
		}
	}
	key, err = push.ParseKey(string(text))
	return key, again, err
}

// pushWay returns how messages are sent to devices. There is none if push is off, or its key cannot be read:
// everything else works without it.
func (i *instance) pushWay(ctx context.Context, texts *locale.Catalogue) ([]reach.Way, error) {
	if i.cfg.Push == nil {
		return nil, nil
	}
	key, err := makeVAPIDKey(ctx, i.cfg, i.db)
	if errors.Is(err, seal.ErrOtherKeys) {
		i.log.ErrorContext(ctx, "push is off", "stage", "reach", "err", err)
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("prepare push: %w", err)
	}
	public, err := key.Public()
	if err != nil {
		return nil, fmt.Errorf("prepare push: %w", err)
	}
	teller := pushTeller{
		sender: &push.Sender{Key: key, Contact: i.cfg.Push.Contact, Client: i.pushClient(), Now: time.Now},
		texts:  texts, types: i.topics, announcements: i.announcements, base: i.linksBase(), log: i.log,
	}
	i.devices = &devices{Store: i.db, hosts: i.cfg.Push.Hosts, key: public, teller: teller}
	return []reach.Way{{Kind: notifier.ReachPush, Teller: teller, Parallel: pushLines}}, nil
}

// pushClient returns a client that reaches public addresses and those that the operator allows. With a proxy,
// it is the proxy that decides.
func (i *instance) pushClient() *http.Client {
	if proxy := i.cfg.OutboundProxy; proxy != nil {
		client := push.NewClient((&net.Dialer{Timeout: dialWait}).DialContext)
		if t, ok := client.Transport.(*http.Transport); ok {
			t.Proxy = http.ProxyURL(proxy)
		}
		return client
	}
	return push.NewClient(outbound.Dialer{Allow: i.cfg.OutboundAllow, Timeout: dialWait}.DialContext)
}

// pushTeller tells by push.
type pushTeller struct {
	sender        *push.Sender
	texts         *locale.Catalogue
	types         reach.Types
	announcements pipeline.AnnouncementBadges
	base          string // how links begin
	log           *slog.Logger
}

// Tell sends one message to one device.
func (t pushTeller) Tell(ctx context.Context, m *reach.Message) reach.Outcome {
	text, newest := t.texts.For(m.User.Locale, ""), &m.Entries[0]
	message := push.Message{
		Notification: push.Notification{
			Title: newest.Title, Body: newest.Body, Lang: text.Lang(), Navigate: t.base + "/n/" + strconv.FormatInt(newest.NoticeID, 10),
		},
		Key: newest.Key, Badge: t.badge(ctx, m), Inbox: m.Badge, Urgent: t.urgent(m.Entries), Expires: newest.ExpiresAt,
	}
	if n := len(m.Entries); n > 1 {
		var titles []string
		for _, e := range m.Entries[:min(n, pushTitles)] {
			titles = append(titles, e.Title)
		}
		message.Expires = time.Time{}
		message.Notification.Title = text.N("mail.heading", int64(n))
		message.Notification.Body = strings.Join(titles, "\n")
		message.Notification.Navigate = t.base + "/inbox"
	}
	return t.send(ctx, m.Target, message)
}

// badge returns the number on the bell. Without the announcements' half of it, the message is sent all the same.
func (t pushTeller) badge(ctx context.Context, m *reach.Message) int64 {
	half, err := t.announcements.Badges(ctx, []notifier.Reader{{Seq: m.User.Seq, Audience: m.User.Audience}})
	if err != nil {
		t.log.WarnContext(ctx, "push sent without the number of announcements", "stage", "reach", "user", m.User.Seq, "err", err)
		return m.Badge
	}
	return m.Badge + half[0].Announcements
}

// urgent reports whether a notice of an urgent type is among these.
func (t pushTeller) urgent(entries []notifier.Entry) bool {
	return slices.ContainsFunc(entries, func(e notifier.Entry) bool {
		typ, _ := t.types.Type(e.Type)
		return typ.Urgent
	})
}

func (t pushTeller) send(ctx context.Context, target *notifier.ReachTarget, message push.Message) reach.Outcome {
	sub, ok := subscriptionOf(target)
	if !ok {
		return reach.Outcome{Verdict: reach.Gone, Reason: "its keys are damaged"}
	}
	out, err := t.sender.Send(ctx, sub, message)
	if err != nil {
		return reach.Outcome{Verdict: reach.Refused, Reason: err.Error()}
	}
	return pushOutcome(out, target, time.Now())
}

// pushOutcome says what the answer of a push service means for a target. One service that refuses the key
// stops no other.
func pushOutcome(out push.Outcome, target *notifier.ReachTarget, now time.Time) reach.Outcome {
	reason := "no answer from the push service"
	if out.Status != 0 {
		reason = fmt.Sprintf("the push service answered %d", out.Status)
	}
	switch out.Verdict {
	case push.Accepted:
		return reach.Outcome{Verdict: reach.Told}
	case push.Gone:
		return reach.Outcome{Verdict: reach.Gone, Reason: reason}
	case push.Paused:
		if since := target.FailingSince; out.Status != 0 && !since.IsZero() && now.Sub(since) > refusedFor {
			return reach.Outcome{Verdict: reach.Gone, Reason: reason}
		}
		return reach.Outcome{Verdict: reach.Later, After: out.After, Reason: "the push service refuses our key"}
	case push.Later:
		return reach.Outcome{Verdict: reach.Later, After: out.After, Reason: reason}
	case push.Refused:
		if out.Status == 0 {
			reason = "expired"
		}
	}
	return reach.Outcome{Verdict: reach.Refused, Reason: reason}
}

// subscriptionOf returns the subscription of a device: its keys are the point and the secret, one after the other.
func subscriptionOf(target *notifier.ReachTarget) (sub push.Subscription, ok bool) {
	point, secret := len(sub.P256DH), len(sub.Auth)
	if len(target.Keys) != point+secret {
		return sub, false
	}
	sub.Endpoint = target.Address
	copy(sub.P256DH[:], target.Keys)
	copy(sub.Auth[:], target.Keys[point:])
	return sub, true
}

// streams notes who looks at a page when its stream begins: a push waits for them.
type streams struct {
	*live.Hub
	looking *reach.Looking
}

// Serve is that of the hub.
func (s streams) Serve(w http.ResponseWriter, r *http.Request, who notifier.Reader, of notifier.StreamOf) error {
	if of.Visible {
		s.looking.Set(who.Seq, true)
	}
	return s.Hub.Serve(w, r, who, of)
}
