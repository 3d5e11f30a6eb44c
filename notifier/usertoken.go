package notifier

import "time"

// UserToken is a verified token, by which an app identifies the user of a request.
type UserToken struct {
	App      App
	KeyID    int64  // of the key that verified it; 0: a key of the app's JWKS
	Subject  string // the app's id of the user
	IssuedAt time.Time
	Expires  time.Time
	ReadOnly bool // it may only read
	Profile  TokenProfile
}

// TokenProfile contains a token's claims about its user. Nil: the claim is missing; the zero value:
// the token clears the field.
type TokenProfile struct {
	Display  *string
	Locale   *string   // BCP 47
	Audience *Audience // 0: the app's
	Email    *string   // their mail address
	Zone     *string   // IANA; used until a browser sends another
	Roles    *[]string // sorted; only roles that the app may grant
	Notes    ProfileNotes
}

// Audience is the audience of a user created by the token.
func (t *UserToken) Audience() Audience {
	if t.Profile.Audience == nil || *t.Profile.Audience == 0 {
		return t.App.Audience
	}
	return *t.Profile.Audience
}

// TokenCode is the reason why a token is rejected: the member `code` of the response.
type TokenCode string

// The codes. Before the signature is verified, the only code is TokenInvalid, which does not reveal the
// reason.
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

// TokenError contains the reason why a token is rejected. It is an ErrUnauthenticated, or an ErrForbidden if a
// valid token has a claim that its app may not make.
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
