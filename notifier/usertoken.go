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
	Roles    *[]string // sorted; each one that the app may give
}

// TokenCode says why a token is refused. It is the member `code` of the answer.
type TokenCode string

// The codes. Until the signature is known to be right, the only one is CodeTokenInvalid, which says
// nothing about the reason.
const (
	CodeTokenInvalid    TokenCode = "token_invalid"
	CodeTokenClaim      TokenCode = "token_claim"    // a claim is missing or malformed
	CodeTokenExpired    TokenCode = "token_expired"  //
	CodeTokenEarly      TokenCode = "token_early"    // issued, or valid, only in the future
	CodeTokenAudience   TokenCode = "token_audience" // made for another service
	CodeTokenLifetime   TokenCode = "token_lifetime" // longer than the app allows
	CodeTokenRevoked    TokenCode = "token_revoked"  // the user was signed out after it was issued
	CodeRoleRefused     TokenCode = "role_refused"
	CodeAudienceUnknown TokenCode = "audience_unknown"
)

// TokenError says why a token is refused. It is an ErrUnauthenticated, or an ErrForbidden when a
// right token claims what its app may not give.
type TokenError struct {
	Code   TokenCode
	Claim  string // of CodeTokenClaim
	Detail string // for the developer of the app; never the token or a part of its signature
}

func (e *TokenError) Error() string {
	if e.Detail == "" {
		return string(e.Code)
	}
	return string(e.Code) + ": " + e.Detail
}

func (e *TokenError) Unwrap() error {
	if e.Code == CodeRoleRefused || e.Code == CodeAudienceUnknown {
		return ErrForbidden
	}
	return ErrUnauthenticated
}
