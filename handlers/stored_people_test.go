package handlers_test

import (
	"fmt"
	"io"

	"github.com/carillonhq/carillon/notifier"
)

// called sets a user's display name and creates the user if needed.
func (d *databases) called(name, display string) {
	d.t.Helper()
	if _, err := d.people.Provided(d.t.Context(), notifier.ProxiedUser{Name: name, Audience: 2, Display: &display}); err != nil {
		d.t.Fatal(err)
	}
}

// haveCrowd creates n users named part 0000, part 0001 and so on.
func (d *databases) haveCrowd(part string, n int, audience notifier.Audience, roles ...string) {
	d.t.Helper()
	made := 0
	_, err := d.db.ImportUsers(d.t.Context(), n, func() (notifier.NewUser, int, error) {
		if made == n {
			return notifier.NewUser{}, 0, io.EOF
		}
		made++
		return notifier.NewUser{Name: fmt.Sprintf("%s %04d", part, made-1), Audience: audience, Roles: roles}, made, nil
	}, nil)
	if err != nil {
		d.t.Fatal(err)
	}
}

// haveAudiences brings the audiences to 4 operators, 10 users and 1,203 customers.
func (d *databases) haveAudiences() {
	d.t.Helper()
	d.haveCrowd("operator", 3, 1)
	d.haveCrowd("user", 9, 2)
	d.haveCrowd("customer", 1202, 3)
}

// haveTypes creates types; one without a description is created as by its first notice.
func (d *databases) haveTypes(types ...notifier.NoticeType) {
	d.t.Helper()
	for _, each := range types {
		err := d.topics.Use(d.t.Context(), []string{each.Slug})
		if bare := (notifier.NoticeType{Slug: each.Slug}); err == nil && fmt.Sprint(each) != fmt.Sprint(bare) {
			err = d.topics.SaveType(d.t.Context(), notifier.Actor{}, each)
		}
		if err != nil {
			d.t.Fatal(err)
		}
	}
}

// haveMembers creates a role with these members, and the users too.
func (d *databases) haveMembers(role string, names ...string) {
	d.t.Helper()
	if err := d.db.CreateRole(d.t.Context(), role); err != nil && role != notifier.RoleStaff {
		d.t.Fatal(err)
	}
	d.haveUsers(names...)
	for _, name := range names {
		if err := d.db.AddRole(d.t.Context(), name, role); err != nil {
			d.t.Fatal(err)
		}
	}
}

// haveUsers creates the users that do not exist yet.
func (d *databases) haveUsers(names ...string) {
	d.t.Helper()
	for _, name := range names {
		if _, err := d.db.UserByName(d.t.Context(), name); err == nil {
			continue
		}
		if _, err := d.db.CreateUser(d.t.Context(), notifier.NewUser{Name: name, Audience: 2}); err != nil {
			d.t.Fatal(err)
		}
	}
}

// haveSubscriptions creates subscriptions.
func (d *databases) haveSubscriptions(all ...notifier.Subscription) {
	d.t.Helper()
	for _, each := range all {
		if _, err := d.topics.Subscribe(d.t.Context(), notifier.Actor{}, each); err != nil {
			d.t.Fatal(err)
		}
	}
}

// members returns the names of a role's members.
func (d *databases) members(role string) []string {
	d.t.Helper()
	users, err := d.db.Users(d.t.Context(), notifier.UserQuery{Role: role, Limit: 100})
	if err != nil {
		d.t.Fatal(err)
	}
	var names []string
	for _, u := range users {
		names = append(names, u.Name)
	}
	return names
}

// allSubscriptions lists the subscriptions, newest first.
func (d *databases) allSubscriptions() []notifier.Subscription {
	d.t.Helper()
	all, err := d.db.Subscriptions(d.t.Context(), notifier.SubscriptionQuery{Limit: 100})
	if err != nil {
		d.t.Fatal(err)
	}
	return all
}

// user returns a user as stored.
func (d *databases) user(seq int64) notifier.User {
	d.t.Helper()
	u, err := d.db.User(d.t.Context(), seq)
	if err != nil {
		d.t.Fatal(err)
	}
	return u
}

// choose sets all of alice's settings.
func (d *databases) choose(s notifier.Settings) {
	d.t.Helper()
	set := notifier.PutSettings{Locale: &s.Locale, Theme: &s.Theme, KeysOff: &s.KeysOff, ToastsOff: &s.ToastsOff, OpensOnly: &s.OpensOnly, Compact: &s.Compact}
	if _, err := d.people.SetSettings(d.t.Context(), alice.Seq, set); err != nil {
		d.t.Fatal(err)
	}
}

// mute mutes these types for alice.
func (d *databases) mute(types ...string) {
	d.t.Helper()
	for _, typ := range types {
		if err := d.people.SetMute(d.t.Context(), alice.Seq, typ, true); err != nil {
			d.t.Fatal(err)
		}
	}
}

// muted returns the types that alice has muted.
func (d *databases) muted() []string {
	d.t.Helper()
	types, err := d.db.Mutes(d.t.Context(), alice.Seq)
	if err != nil {
		d.t.Fatal(err)
	}
	return types
}

// mailToken returns the token in alice's mails.
func (d *databases) mailToken() string {
	d.t.Helper()
	targets, err := d.db.Targets(d.t.Context(), alice.Seq)
	if err != nil || len(targets) != 1 {
		d.t.Fatalf("%d targets, %v", len(targets), err)
	}
	return targets[0].Token
}

// mailState makes mail to alice fail, or switches it off.
func (d *databases) mailState(state notifier.ReachState) {
	d.t.Helper()
	var err error
	switch state {
	case notifier.ReachOff:
		err = d.people.Unsubscribe(d.t.Context(), d.mailToken(), "")
	case notifier.ReachDead, notifier.ReachFailing:
		err = d.people.Bounced(d.t.Context(), byStaff, alice.Name, state == notifier.ReachDead)
	case notifier.ReachOn:
	}
	if err != nil {
		d.t.Fatal(err)
	}
}
