package notifier

import (
	"maps"
	"slices"
	"strings"
	"time"
)

// Topic is what users and roles subscribe to: a notice type and a scope, such as a warehouse. The empty scope is an
// ordinary scope, not a wildcard.
type Topic struct {
	Type  string `json:"type"`
	Scope string `json:"scope"`
}

// check adds the faults of the topic's type and scope.
func (t Topic) check(bad *InvalidError) {
	switch {
	case t.Type == "":
		bad.Add("type", CodeRequired, nil)
	case !ValidType(t.Type):
		bad.Add("type", CodeBadType, nil)
	}
	if !scopePattern.MatchString(t.Scope) {
		bad.Add("scope", CodeBadScope, nil)
	}
}

// checkTarget adds the faults of a topic that is the target of a notice.
func (t Topic) checkTarget(bad *InvalidError) {
	if !ValidType(t.Type) || !scopePattern.MatchString(t.Scope) {
		bad.Add("to", CodeBadTopic, nil)
	}
}

// MaxTypes is the maximum number of notice types created by use. Beyond it, notices of new types
// are still delivered, but their types stay unlisted until staff describe them or delete other
// types.
const MaxTypes = 2000

// NoticeType is a known notice type. Its first use creates it; staff may then describe it.
type NoticeType struct {
	Slug      string
	Names     map[string]string // by language (en, ja, zh-Hans, zh-Hant); none: the slug is displayed
	ExpiresIn time.Duration     // the default life of its notices; 0: unlimited by the type
	NoMute    bool              // users cannot mute it
	Open      bool              // users may subscribe to it themselves
	Icon      string            // one of TypeIcons; empty: it follows from the slug
	Color     string            // one of TypeColors; empty: it follows from the slug
	Urgent    bool              // ignores quiet hours, pauses and the time of daily mails
	NoPush    bool              // no push by default
	NoMail    bool              // no mail by default
	CreatedAt time.Time
}

// Undescribed reports whether a type has only the slug from its first use.
func (t *NoticeType) Undescribed() bool {
	return len(t.Names) == 0 && t.ExpiresIn == 0 && !t.NoMute && !t.Open && t.Icon == "" && t.Color == "" && !t.Urgent && !t.NoPush && !t.NoMail
}

// MaxTypeName is the maximum length of a type's name in one language, in characters.
const MaxTypeName = 80

// TypeIcons are the icons to choose from for a type, by their names in static/icons.
func TypeIcons() []string {
	return []string{
		"bell", "message-circle", "at-sign", "heart", "star", "user-plus", "calendar", "clock", "file-text",
		"package", "truck", "receipt", "megaphone", "shield", "server", "triangle-alert",
	}
}

// TypeColors are the colours to choose from for a type's icon, by their names in
// tailwind.config.js.
func TypeColors() []string {
	return []string{"amber", "blue", "green", "red", "purple", "teal", "pink", "gray"}
}

// checkChoice adds a fault unless value is empty or one of allowed.
func checkChoice(field, value string, allowed []string, bad *InvalidError) {
	if value != "" && !slices.Contains(allowed, value) {
		bad.Add(field, CodeBadChoice, map[string]any{"Allowed": strings.Join(allowed, ", ")})
	}
}

// Validate returns an *InvalidError with every fault of the type, or nil. keep is the maximum life of
// its notices.
func (t *NoticeType) Validate(keep time.Duration) error {
	var bad InvalidError
	switch {
	case t.Slug == "":
		bad.Add("slug", CodeRequired, nil)
	case !ValidType(t.Slug):
		bad.Add("slug", CodeBadType, nil)
	}
	for _, lang := range slices.Sorted(maps.Keys(t.Names)) {
		checkText("names."+lang, t.Names[lang], MaxTypeName, "", &bad)
	}
	if keep <= 0 {
		keep = DefaultKeep
	}
	switch {
	case t.ExpiresIn < 0:
		bad.Add("expires_in", CodeExpiresPast, nil)
	case t.ExpiresIn > keep:
		bad.Add("expires_in", CodeExpiresLate, lateParams(keep))
	}
	checkChoice("icon", t.Icon, TypeIcons(), &bad)
	checkChoice("color", t.Color, TypeColors(), &bad)
	return bad.OrNil()
}

// Subscriber is a user or a role, by name. Exactly one field is set.
type Subscriber struct {
	User string
	Role string
}

// Subscription is a topic with one subscriber.
type Subscription struct {
	ID int64 // set by the store; later ones have higher ids
	Topic
	Subscriber
	CreatedAt time.Time
}

// Validate returns an *InvalidError with every fault of the subscription, in the order of
// the form's fields, or nil. The store checks whether the user or role exists.
func (s *Subscription) Validate() error {
	var bad InvalidError
	s.Topic.check(&bad)
	switch {
	case s.User != "" && s.Role != "":
		bad.Add("user", CodeOneSubscriber, nil)
	case s.User == "" && s.Role == "":
		bad.Add("user", CodeRequired, nil)
	case s.User != "" && !ValidName(s.User):
		bad.Add("user", CodeBadName, map[string]any{"Name": excerpt(s.User)})
	case s.Role != "" && !ValidName(s.Role):
		bad.Add("role", CodeBadName, map[string]any{"Name": excerpt(s.Role)})
	}
	return bad.OrNil()
}

// SubscriptionQuery selects subscriptions to list, the latest first.
type SubscriptionQuery struct {
	Type     string // empty: all
	Scope    string // only this scope of Type; ignored unless ByScope is set
	ByScope  bool
	User     string // only this user's own subscriptions; empty: all
	Role     string // only this role's subscriptions; empty: all
	Contains string // only subscriptions with this in the type, scope or name, ignoring case; empty: all
	Before   int64  // only subscriptions with a lower id; 0: all
	Limit    int    // maximum number of subscriptions; 0: a page of 50
}

// MaxSubscriptions is the maximum number of topics that a user can subscribe to themselves.
const MaxSubscriptions = 200

// TopicSubscribers lists the subscribers of a topic: users by seq, roles by name.
type TopicSubscribers struct {
	Topic
	Users []int64
	Roles []string // sorted
}
