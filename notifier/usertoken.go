package notifier

import "time"

// UserToken is a verified token, by which an app says which of its users is asking.
type UserToken struct {
	App      App
	KeyID    int64  // of the key that verified it; 0: a key of the app's JWKS
	Subject  string // the app's id of the user
	IssuedAt time.Time
	Expires  time.Time
	ReadOnly bool // it may look and change nothing
	Profile  TokenProfile
}

// TokenProfile holds what a token says about its user. Nil: the token does not say; the zero value:
// the token clears it.
type TokenProfile struct {
	Display  *string
	Locale   *string   // BCP 47
	Audience *Audience // 0: the app's
	Email    *string   // where the user gets mail
	Zone     *string   // IANA; it counts until a browser sends another
	Roles    *[]string // sorted; each one that the app may give
	Notes    ProfileNotes
}

// Audience is the audience of a user whom the token creates.
func (t *UserToken) Audience() Audience {
	if t.Profile.Audience == nil || *t.Profile.Audience == 0 {
		return t.App.Audience
	}
	return *t.Profile.Audience
}

// TokenCode says why a token is refused. It is the member `code` of the answer.
type TokenCode string

// The codes. Until the signature is known to be right, the only one is TokenInvalid, which says
// nothing about the reason.
const (
	TokenInvalid         TokenCode = "token_invalid"
	TokenClaim           TokenCode = "token_claim"    // a claim is missing or malformed
	TokenExpired         TokenCode = "token_expired"  //
	TokenEarly           TokenCode = "token_early"    // issued, or valid, only in the future
	TokenAudience        TokenCode = "token_audience" // made for another service
	TokenLifetime        TokenCode = "token_lifetime" // longer than the app allows
	TokenRevoked         TokenCode = "token_revoked"  // the user was signed out after it was issued
	TokenRoleRefused     TokenCode = "role_refused"
	TokenAudienceUnknown TokenCode = "audience_unknown"
)

// TokenError says why a token is refused. It is an ErrUnauthenticated, or an ErrForbidden when a
// right token claims what its app may not give.
type TokenError struct {
	Code   TokenCode
	Claim  string // of TokenClaim
	Detail string // for the developer of the app; never the token or a part of its signature
}

func (e *TokenError) Error() string {
	if e.Detail == "" {
		return string(e.Code)
	}
	return string(e.Code) + ": " + e.Detail
}

func (e *TokenError) Unwrap() error {
	if e.Code == TokenRoleRefused || e.Code == TokenAudienceUnknown {
		return ErrForbidden
	}
	return ErrUnauthenticated
}
