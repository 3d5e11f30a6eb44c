package notifier_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/notifier"
)

const day = 24 * time.Hour

var (
	noon      = time.Date(2025, 3, 1, 12, 0, 0, 123_456_789, time.UTC)
	windowed  = notifier.Limits{Keep: 180 * day, Audiences: []notifier.Audience{1, 2, 3}, Now: noon}
	untilNoon = noon.Truncate(time.Millisecond)
)

func announcement() notifier.Draft {
	return notifier.Draft{Target: notifier.Target{Audiences: []notifier.Audience{2}}, Title: "Maintenance"}
}

func TestAnAnnouncementWithoutATypeGetsTheDefaultType(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{"": notifier.TypeAnnouncement, "  ": notifier.TypeAnnouncement, "outage": "outage"} {
		d := announcement()
		d.Type = given
		if err := d.Validate(windowed); err != nil || d.Type != want {
			t.Errorf("%q: %q, %v", given, d.Type, err)
		}
	}
}

func TestAWindowGetsAStartAndAnEnd(t *testing.T) {
	t.Parallel()
	tokyo := time.FixedZone("", 9*3600)
	for name, c := range map[string]struct {
		starts, ends time.Time
		expires      time.Duration
		want         notifier.Window
	}{
		"nothing set":               {want: notifier.Window{StartsAt: untilNoon, EndsAt: untilNoon.Add(180 * day)}},
		"an expiry sets the length": {expires: 3 * day, want: notifier.Window{StartsAt: untilNoon, EndsAt: untilNoon.Add(3 * day)}},
		"counted from the start": {
			starts: noon.Add(day), expires: 3 * day,
			want: notifier.Window{StartsAt: untilNoon.Add(day), EndsAt: untilNoon.Add(4 * day)},
		},
		"an end takes precedence over an expiry": {
			ends: noon.Add(day), expires: 3 * day,
			want: notifier.Window{StartsAt: untilNoon, EndsAt: untilNoon.Add(day)},
		},
		"in UTC, to the millisecond": {
			starts: noon.In(tokyo), ends: noon.Add(day + time.Microsecond).In(tokyo),
			want: notifier.Window{StartsAt: untilNoon, EndsAt: untilNoon.Add(day)},
		},
		"already started": {
			starts: noon.Add(-day), ends: noon.Add(day),
			want: notifier.Window{StartsAt: untilNoon.Add(-day), EndsAt: untilNoon.Add(day)},
		},
	} {
		d := announcement()
		d.StartsAt, d.EndsAt, d.ExpiresIn, d.Pinned, d.LateJoiners = c.starts, c.ends, c.expires, true, true
		c.want.Pinned, c.want.LateJoiners = true, true
		if err := d.Validate(windowed); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if diff := cmp.Diff(c.want, d.Window); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		again := d
		if err := again.Validate(windowed); err != nil || !cmp.Equal(again, d) {
			t.Errorf("%s: the second Validate failed or changed the draft: %v", name, err)
		}
	}
}

func TestEachRuleOfAnAnnouncementIsChecked(t *testing.T) {
	t.Parallel()
	type draft = notifier.Draft
	window := func(starts, ends time.Duration) func(*draft) {
		return func(d *draft) { d.StartsAt, d.EndsAt = noon.Add(starts), noon.Add(ends) }
	}
	to := func(audiences ...notifier.Audience) func(*draft) {
		return func(d *draft) { d.Target.Audiences = audiences }
	}
	for name, c := range map[string]struct {
		change func(*draft)
		want   string // empty: accepted
	}{
		"starts as late as allowed":            {window(180*day, 181*day), ""},
		"starts too late":                      {window(180*day+time.Millisecond, 181*day), "starts_at: starts_late"},
		"ends now":                             {window(-day, 0), "ends_at: ends_past"},
		"ends in a millisecond":                {window(-day, time.Millisecond), ""},
		"in the past, ends before it starts":   {window(-day, -2*day), "ends_at: ends_past"},
		"ends when it starts":                  {window(day, day), "ends_at: ends_before"},
		"ends in the millisecond of its start": {window(day, day+time.Microsecond), "ends_at: ends_before"},
		"ends before it starts":                {window(2*day, day), "ends_at: ends_before"},
		"as long as allowed":                   {window(day, 181*day), ""},
		"too long":                             {window(day, 181*day+time.Millisecond), "ends_at: ends_late"},
		"started so long ago that it is over":  {func(d *draft) { d.StartsAt = noon.Add(-180 * day) }, "starts_at: ends_past"},
		"an expiry that is too long":           {func(d *draft) { d.ExpiresIn = 181 * day }, "expires_in: expires_late"},
		"a negative expiry":                    {func(d *draft) { d.ExpiresIn = -1 }, "expires_in: expires_past"},
		"all audiences":                        {to(1, 2, 3), ""},
		"an unknown audience":                  {to(1, 4), "to: unknown_audience"},
		"audience 0":                           {to(0), "to: unknown_audience"},
		"a negative audience":                  {to(-1), "to: unknown_audience"},
		"no audience":                          {to(), "to: required"},
		"users too":                            {func(d *draft) { d.Target.Users = []string{"alice"} }, "target: one_target"},
		"a role too":                           {func(d *draft) { d.Target.Role = "picker" }, "target: one_target"},
		"all three":                            {func(d *draft) { d.Target.Users, d.Target.Role = []string{"alice"}, "picker" }, "target: one_target"},
		"a malformed type":                     {func(d *draft) { d.Type = "A" }, "type: bad_type"},
		"no title":                             {func(d *draft) { d.Title = "" }, "title: required"},
	} {
		d := announcement()
		c.change(&d)
		var got []string
		var bad *notifier.InvalidError
		if err := d.Validate(windowed); errors.As(err, &bad) {
			for _, f := range bad.Fields {
				got = append(got, f.Field+": "+f.Code)
			}
		} else if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if s := strings.Join(got, ", "); s != c.want {
			t.Errorf("%s: got %q, want %q", name, s, c.want)
		}
	}
}

func TestWindowFaultsIncludeTheLimits(t *testing.T) {
	t.Parallel()
	d := announcement()
	d.Target.Audiences, d.StartsAt = []notifier.Audience{7, 9}, noon.Add(200*day)
	want := &notifier.InvalidError{Fields: []notifier.FieldError{
		{Field: "to", Code: notifier.CodeUnknownAudience, Params: map[string]any{"Name": "7"}},
		{Field: "starts_at", Code: notifier.CodeStartsLate, Params: map[string]any{"Max": "4320h0m0s", "Days": int64(180)}},
	}}
	if diff := cmp.Diff(error(want), d.Validate(windowed)); diff != "" {
		t.Error(diff)
	}
}

func TestDuplicateAudiencesAreDropped(t *testing.T) {
	t.Parallel()
	d := announcement()
	given := []notifier.Audience{3, 1, 3, 1}
	d.Target.Audiences = given
	if err := d.Validate(windowed); err != nil || !cmp.Equal(d.Target.Audiences, []notifier.Audience{1, 3}) {
		t.Errorf("%v: %v", err, d.Target.Audiences)
	}
	if !cmp.Equal(given, []notifier.Audience{3, 1, 3, 1}) {
		t.Errorf("Validate changed the caller's slice to %v", given)
	}
}

func TestAnyAudienceIsValidWithoutAListOfAudiences(t *testing.T) {
	t.Parallel()
	d, l := announcement(), windowed
	d.Target.Audiences, l.Audiences = []notifier.Audience{40}, nil
	if err := d.Validate(l); err != nil {
		t.Error(err)
	}
}

func TestOnlyAnnouncementsHaveAWindow(t *testing.T) {
	t.Parallel()
	d := validDraft()
	d.Window = notifier.Window{StartsAt: noon.Add(-day), EndsAt: noon.Add(-2 * day), Pinned: true, LateJoiners: true}
	l := limits
	l.Now = noon
	if err := d.Validate(l); err != nil || d.Window != (notifier.Window{}) {
		t.Errorf("%+v, %v", d.Window, err)
	}
}

func TestWithoutACurrentTimeTheWindowIsNotChecked(t *testing.T) {
	t.Parallel()
	d, l := announcement(), windowed
	d.Window = notifier.Window{StartsAt: noon, EndsAt: noon.Add(-day)}
	given := d.Window
	l.Now = time.Time{}
	if err := d.Validate(l); err != nil || d.Window != given {
		t.Errorf("%+v, %v", d.Window, err)
	}
}
