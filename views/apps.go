package views

import "github.com/carillonhq/carillon/views/components"

// Apps is the page of host applications, with the form of a new one.
type Apps struct {
	Frame
	List
	Faults
	Name, Origins, Roles    string
	Audiences, Lives, Kinds []components.Option
	PublicKey, JWKS, Issuer string
	Rows                    []AppRow
}

// AppRow is one host application.
type AppRow struct {
	Name, Href, Audience, State string
	Origins, Keys               []string
	Made                        Dated
	Revoked                     bool
}

// App is the page of one host application.
type App struct {
	Frame
	Faults
	ID, Path          string // without an ID, the page shows only Made
	Origins, Roles    []string
	Audience, MaxLife string
	Issuer, JWKS      string
	Base, InboxURL    string // where links in mails lead
	SettingsURL       string
	Set               AppSettings
	APIKeys, Back     string
	Added, Revoked    Dated // Revoked without a date: still valid
	Columns           []components.Column
	Keys              []AppKeyRow
	Newest            string   // the ID of the newest key
	NewestAPIKey      string   // the ID of the newest API key
	PublicKey         string   // typed for a new key
	Made              *AppKeys // the keys just created; nil: none
	Revoke            *Revoke  // nil: no revocation of a key was requested
	Endpoints         []Endpoint
	HTML              string // the HTML to show the bell; empty for a revoked app
}

// new reports whether the app was just added: then the page shows the code to copy first.
func (p *App) new() bool {
	return p.Made != nil && p.Made.APIKey != "" && (p.Made.TokenKey != "" || p.JWKS != "")
}

// Endpoint is the code with which an application on one framework signs tokens.
type Endpoint struct{ ID, Name, Text string }

// AppKeys are keys that were just created, shown once.
type AppKeys struct{ APIKey, TokenKey string }

// AppKeyRow is one key of an app.
type AppKeyRow struct {
	ID, Kid, Alg            string
	Made, Revoked           Dated // Revoked without a date: still valid
	RevokeHref, RevokeNamed string
}

// AppSettings are the fields of the form that changes an app.
type AppSettings struct {
	Title, Icon            string
	Origins, Roles, Issuer string
	Audiences, Lives       []components.Option
}
