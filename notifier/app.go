package notifier

import (
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// App is a host application. It has its own users and identifies the user of a request by a
// signed token.
type App struct {
	ID        int64
	Name      string
	Origins   []string      // of its pages, such as https://shop.example.com; they may call /api/v1/me
	Audience  Audience      // of users whose token has no audience
	Roles     []string      // that its tokens may grant, never RoleStaff
	MaxLife   time.Duration // longest life of a token
	Issuer    string        // required in its tokens; empty: any
	JWKS      string        // address of its public keys; empty: its keys are stored here
	AppPlaces               // where its users read their notices
	AppLook                 // how rows show it
	CreatedAt time.Time
	RevokedAt time.Time // zero: still valid
}

// SendingApp is the app whose key sends a notice. The zero SendingApp is none.
type SendingApp struct {
	ID   int64
	Name string
}

// AddedApp is a newly added app with its secrets, which are shown only once.
type AddedApp struct {
	App
	APIKey   string
	TokenKey string // kid and secret; for a public key only the kid; empty for a JWKS
}

// KeyAlg is the signature algorithm of an app's key. The key determines the algorithm; the header
// of a token cannot choose another.
type KeyAlg string

// The algorithms.
const (
	AlgHS256 KeyAlg = "HS256" // a secret that the application and Carillon share
	AlgES256 KeyAlg = "ES256" // P-256
	AlgEdDSA KeyAlg = "EdDSA" // Ed25519
	AlgRS256 KeyAlg = "RS256" // RSA of at least 2,048 bits
)

// AppKey is a key that verifies the tokens of an app.
type AppKey struct {
	ID        int64
	AppID     int64
	Alg       KeyAlg
	Material  []byte // of AlgHS256 the sealed secret, else the public key in PKIX form
	CreatedAt time.Time
	RevokedAt time.Time // zero: still valid
}

// appKeyPrefix starts the name of every app key, so that a leaked key can be recognised.
const appKeyPrefix = "tk_"

// Kid returns the name of the key, as in a token's `kid` header.
func (k *AppKey) Kid() string { return appKeyPrefix + strconv.FormatInt(k.ID, 10) }

// ParseKid returns the number of a key from its name.
func ParseKid(kid string) (id int64, ok bool) {
	digits, found := strings.CutPrefix(kid, appKeyPrefix)
	if id, ok = parseExact(digits); !found || !ok {
		return 0, false
	}
	return id, true
}

// Limits of apps.
const (
	MaxApps       = 100 // valid at the same time
	MaxAppKeys    = 10  // valid at the same time, per app
	MaxOrigins    = 20
	MaxAppRoles   = 50
	maxIssuer     = 500 // bytes
	MinTokenLife  = time.Minute
	MaxTokenLife  = 24 * time.Hour
	UsualMaxLife  = time.Hour
	maxOriginText = 300 // bytes
	maxPlace      = 500 // bytes
)

// FieldError codes of apps.
const (
	CodeBadOrigin    = "bad_origin"     // Name: not scheme://host[:port] with http or https
	CodeTooManyItems = "too_many_items" // Max: the list is longer
	CodeStaffRole    = "staff_role"     // roles: tokens cannot grant the role staff
	CodeBadLife      = "bad_life"       // max_life: not between a minute and a day
	CodeBadJWKS      = "bad_jwks"       // jwks: not an https address
	CodeIssuerNeeded = "issuer_needed"  // issuer: an address of keys needs one
	CodeBadPlace     = "bad_place"      // base, inbox_url, settings_url: not an https address, or http on this machine
	CodeBadAppKey    = "bad_app_key"    // public_key: not a PEM public key of a supported kind
)

// Validate returns an *InvalidError with every fault of an app about to be added, or nil. It
// normalises the origins and removes duplicates.
func (a *App) Validate(audiences map[Audience]string) error {
	var bad InvalidError
	switch {
	case a.Name == "":
		bad.Add("name", CodeRequired, nil)
	case !ValidName(a.Name):
		bad.Add("name", CodeBadName, map[string]any{"Name": excerpt(a.Name)})
	}
	a.checkOrigins(&bad)
	if _, known := audiences[a.Audience]; !known {
		bad.Add("audience", CodeUnknownAudience, map[string]any{"Name": strconv.Itoa(int(a.Audience))})
	}
	a.checkRoles(&bad)
	if a.MaxLife < MinTokenLife || a.MaxLife > MaxTokenLife {
		bad.Add("max_life", CodeBadLife, nil)
	}
	a.checkIssuer(&bad)
	a.checkPlaces(&bad)
	a.checkTitle(&bad)
	return bad.OrNil()
}

func (a *App) checkOrigins(bad *InvalidError) {
	if len(a.Origins) > MaxOrigins {
		bad.Add("origins", CodeTooManyItems, map[string]any{"Max": MaxOrigins})
		return
	}
	for i, text := range a.Origins {
		origin, ok := Origin(text)
		if !ok {
			bad.Add("origins", CodeBadOrigin, map[string]any{"Name": excerpt(text)})
		}
		a.Origins[i] = origin
	}
	var unique []string // in the given order: links use the first
	for _, origin := range a.Origins {
		if !slices.Contains(unique, origin) {
			unique = append(unique, origin)
		}
	}
	a.Origins = unique
}

func (a *App) checkRoles(bad *InvalidError) {
	if len(a.Roles) > MaxAppRoles {
		bad.Add("roles", CodeTooManyItems, map[string]any{"Max": MaxAppRoles})
		return
	}
	for _, role := range a.Roles {
		switch {
		case !ValidName(role):
			bad.Add("roles", CodeBadName, map[string]any{"Name": excerpt(role)})
		case role == RoleStaff:
			bad.Add("roles", CodeStaffRole, nil)
		}
	}
	slices.Sort(a.Roles)
	a.Roles = slices.Compact(a.Roles)
}

func (a *App) checkIssuer(bad *InvalidError) {
	if len(a.Issuer) > maxIssuer {
		bad.Add("issuer", CodeTooLong, map[string]any{"Max": maxIssuer, "Count": len(a.Issuer)})
	} else if r, found := badRune(a.Issuer, ""); found {
		bad.Add("issuer", CodeBadText, map[string]any{"Char": r})
	}
	if a.JWKS == "" {
		return
	}
	if u, err := url.Parse(a.JWKS); err != nil || u.Scheme != "https" || u.Host == "" || u.User != nil || len(a.JWKS) > maxIssuer {
		bad.Add("jwks", CodeBadJWKS, nil)
	}
	if a.Issuer == "" {
		bad.Add("issuer", CodeIssuerNeeded, nil)
	}
}

// Origin returns an origin as browsers send it: scheme and host in lower case, without the default
// port. ok is false unless the text consists of exactly a scheme, a host and optionally a port.
func Origin(text string) (origin string, ok bool) {
	u, err := url.Parse(text)
	if err != nil || len(text) > maxOriginText || u.Scheme != "https" && u.Scheme != "http" || u.Hostname() == "" {
		return "", false
	}
	if u.User != nil || u.Path != "" && u.Path != "/" || u.RawQuery != "" || u.Fragment != "" || u.ForceQuery || u.Opaque != "" {
		return "", false
	}
	host := strings.ToLower(u.Hostname())
	if strings.Trim(host, "abcdefghijklmnopqrstuvwxyz0123456789.-_") != "" {
		addr, err := netip.ParseAddr(host)
		if err != nil || addr.Zone() != "" {
			return "", false // browsers send the ASCII form of other names
		}
	}
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	port := u.Port()
	if port == "" || u.Scheme == "https" && port == "443" || u.Scheme == "http" && port == "80" {
		return u.Scheme + "://" + host, true
	}
	if n, ok := parseExact(port); !ok || n == 0 || n > 65535 {
		return "", false
	}
	return u.Scheme + "://" + host + ":" + port, true
}
