package person

import (
	"context"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// SetSettings changes the settings that are set in set, and returns the result. Every instance uses them from the
// user's next request on, and open streams start or stop showing toasts.
func (p *People) SetSettings(ctx context.Context, seq int64, set notifier.PutSettings) (notifier.Settings, error) {
	u, err := p.Store.SetSettings(ctx, seq, set)
	if err != nil {
		return notifier.Settings{}, err
	}
	p.Sessions.Publish(ctx, seq)
	return u.Settings, p.holdToasts(ctx, u, time.UnixMilli(u.Paused))
}

// SetMute mutes or unmutes a type of notice for a user; repeating it changes nothing. For a type that cannot be muted
// it returns a *notifier.InvalidError.
func (p *People) SetMute(ctx context.Context, seq int64, typ string, muted bool) error {
	if muted && p.Topics != nil && !p.Topics.Mutable(typ) {
		var bad notifier.InvalidError
		bad.Add("type", notifier.CodeNotMutable, nil)
		return &bad
	}
	if err := p.Store.SetMute(ctx, seq, typ, muted); err != nil {
		return err
	}
	p.Sessions.Publish(ctx, seq)
	return nil
}

// zoneEvery is how often a user's time zone may change automatically, so that two browsers in two zones do not change
// it with every request.
const zoneEvery = time.Hour

// SeeZone records the time zone of a user's browser, which applies until they choose one, and returns the user with
// it. An invalid name is ignored. It never fails, because the request is about something else.
func (p *People) SeeZone(ctx context.Context, u notifier.User, zone string) notifier.User {
	now := time.Now()
	if u.Zones.Seen == zone || !notifier.ValidZone(zone) || now.Sub(time.UnixMilli(u.Zones.SeenAt)).Abs() < zoneEvery {
		return u
	}
	changed, err := p.Store.SetZone(ctx, u.Seq, zone)
	if err != nil {
		p.Log.WarnContext(ctx, "could not store the time zone of a user", "user_id", u.Seq, "err", err)
		return u
	}
	if changed {
		p.Sessions.Publish(ctx, u.Seq)
	}
	u.Zones.Seen, u.Zones.SeenAt = zone, now.UnixMilli()
	return u
}
