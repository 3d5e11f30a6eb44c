package handlers_test

import (
	"fmt"
	"io"

	"github.com/carillonhq/carillon/notifier"
)

// called gives a user a name for people. They are made if they are not there.
func (d *databases) called(name, display string) {
	d.t.Helper()
	if _, err := d.people.Provided(d.t.Context(), notifier.ProxiedUser{Name: name, Audience: 2, Display: &display}); err != nil {
		d.t.Fatal(err)
	}
}

// haveCrowd makes n users, called part 0000, part 0001 and so on.
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

// haveAudiences makes 4 operators, 10 users and 1,203 customers of the installation.
func (d *databases) haveAudiences() {
	d.t.Helper()
	d.haveCrowd("operator", 3, 1)
	d.haveCrowd("user", 9, 2)
	d.haveCrowd("customer", 1202, 3)
}

// haveTypes makes types of notices; one without a description is known from its first notice.
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

// haveMembers makes roles with these members, who are made too.
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

// haveUsers makes those users who do not exist.
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

// haveSubscriptions makes subscriptions.
func (d *databases) haveSubscriptions(all ...notifier.Subscription) {
	d.t.Helper()
	for _, each := range all {
		if _, err := d.topics.Subscribe(d.t.Context(), notifier.Actor{}, each); err != nil {
			d.t.Fatal(err)
		}
	}
}

// members are the names of the members of a role.
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

// user is a user as stored.
func (d *databases) user(seq int64) notifier.User {
	d.t.Helper()
	u, err := d.db.User(d.t.Context(), seq)
	if err != nil {
		d.t.Fatal(err)
	}
	return u
}

// choose sets all settings of alice.
func (d *databases) choose(s notifier.Settings) {
	d.t.Helper()
	set := notifier.PutSettings{Locale: &s.Locale, Theme: &s.Theme, KeysOff: &s.KeysOff, ToastsOff: &s.ToastsOff, OpensOnly: &s.OpensOnly, Compact: &s.Compact}
	if _, err := d.people.SetSettings(d.t.Context(), alice.Seq, set); err != nil {
		d.t.Fatal(err)
	}
}

// mute has alice mute these types.
func (d *databases) mute(types ...string) {
	d.t.Helper()
	for _, typ := range types {
		if err := d.people.SetMute(d.t.Context(), alice.Seq, typ, true); err != nil {
			d.t.Fatal(err)
		}
	}
}

// muted are the types that alice has muted.
func (d *databases) muted() []string {
	d.t.Helper()
	types, err := d.db.Mutes(d.t.Context(), alice.Seq)
	if err != nil {
		d.t.Fatal(err)
	}
	return types
}

// mailToken is the token of the mails to alice.
func (d *databases) mailToken() string {
	d.t.Helper()
	targets, err := d.db.Targets(d.t.Context(), alice.Seq)
	if err != nil || len(targets) != 1 {
		d.t.Fatalf("%d targets, %v", len(targets), err)
	}
	return targets[0].Token
}

// mailState has the mail of alice fail, or be switched off.
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
