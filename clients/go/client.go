// Package carillon is a client of Carillon, the notification centre beside your application. It needs the standard library alone.
package carillon

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// Null is the value of a member that is to be removed, such as UserChange.Email.
var Null any = json.RawMessage("null")

// Client makes calls with an API key. Its methods may be called concurrently.
type Client struct {
	url, key string
	http     *http.Client
	retries  int
}

// New returns a client of the server at url, which may include the path under which it is mounted. The client waits up to 30 seconds for
// a response, and repeats calls up to four times after failures that may pass: without a response, or after 429, 500, 502, 503 or 504.
func New(url, key string) *Client {
	return &Client{url: strings.TrimRight(url, "/") + "/api/v1", key: key, retries: 4, http: &http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }, // it would get the API key
	}}
}

// WithHTTP returns a client that uses h, for example with another proxy, and repeats calls as often as retries says.
func (c *Client) WithHTTP(h *http.Client, retries int) *Client {
	return &Client{url: c.url, key: c.key, http: h, retries: retries}
}

// Option changes a call.
type Option func(*request)

// IdempotencyKey makes a call safe to repeat by your program, for example with the id of a job. Without it, a call has a key of its own,
// which makes it safe to repeat by the client.
func IdempotencyKey(key string) Option { return func(r *request) { r.once = key } }

// Send sends a notice. Once it returns, the notice is stored and will be delivered.
func (c *Client) Send(ctx context.Context, n *Notice, options ...Option) (*Accepted, error) {
	return result[*Accepted](ctx, c, request{method: http.MethodPost, path: "/notices", body: n, once: rand.Text()}, options...)
}

// DryRun returns who would get a notice if it were sent now, and sends nothing.
func (c *Client) DryRun(ctx context.Context, n *Notice) (*Rehearsal, error) {
	return result[*Rehearsal](ctx, c, request{method: http.MethodPost, path: "/notices?dry_run=1", body: n})
}

// SendAll sends up to 1,000 notices. The results are in the same order; a refused notice has an Error.
func (c *Client) SendAll(ctx context.Context, notices []Notice, options ...Option) ([]Result, error) {
	body := map[string][]Notice{"notices": notices}
	answer, err := result[struct{ Results []Result }](ctx, c, request{method: http.MethodPost, path: "/notices/batch", body: body, once: rand.Text()}, options...)
	return answer.Results, err
}

// Notice returns a notice, and how far its delivery and reading are.
func (c *Client) Notice(ctx context.Context, id int64) (*NoticeState, error) {
	return result[*NoticeState](ctx, c, request{method: http.MethodGet, path: "/notices/" + decimal(id)})
}

// Why returns why a user got a notice, or did not.
func (c *Client) Why(ctx context.Context, id int64, user string) (*Why, error) {
	return result[*Why](ctx, c, request{method: http.MethodGet, path: "/notices/" + decimal(id) + "/why?user=" + url.QueryEscape(user)})
}

// Retract removes a notice from all inboxes.
func (c *Client) Retract(ctx context.Context, id int64) error {
	return c.call(ctx, &request{method: http.MethodDelete, path: "/notices/" + decimal(id)}, nil)
}

// Ask asks people. Wait returns what they chose.
func (c *Client) Ask(ctx context.Context, q *Question, options ...Option) (*Accepted, error) {
	return result[*Accepted](ctx, c, request{method: http.MethodPost, path: "/asks", body: q, once: rand.Text()}, options...)
}

// Wait waits until a question has ended, or ctx has. In the latter case it returns the error of ctx.
func (c *Client) Wait(ctx context.Context, id int64) (*Ask, error) {
	for {
		const seconds = 55
		a, err := result[*Ask](ctx, c, request{method: http.MethodGet, path: fmt.Sprintf("/asks/%d?wait=%d", id, seconds), longer: seconds * time.Second})
		if err != nil || a.State != "open" {
			return a, err
		}
	}
}

// Question returns a question as it is now.
func (c *Client) Question(ctx context.Context, id int64) (*Ask, error) {
	return result[*Ask](ctx, c, request{method: http.MethodGet, path: "/asks/" + decimal(id)})
}

// Withdraw ends an open question without an outcome.
func (c *Client) Withdraw(ctx context.Context, id int64) error {
	err := c.call(ctx, &request{method: http.MethodDelete, path: "/asks/" + decimal(id)}, nil)
	var refused *Error
	if errors.As(err, &refused) && refused.Problem.Code == "ask_ended" {
		// An earlier try may have withdrawn it, and its response was lost.
		if a, failure := c.Question(ctx, id); failure == nil && a.State == "withdrawn" {
			return nil
		}
	}
	return err
}

// PutUser creates a user, or changes what change names. An empty list of roles removes all.
func (c *Client) PutUser(ctx context.Context, name string, change UserChange) (*User, error) {
	return result[*User](ctx, c, request{method: http.MethodPut, path: "/users/" + url.PathEscape(name), body: change})
}

// User returns a user.
func (c *Client) User(ctx context.Context, name string) (*User, error) {
	return result[*User](ctx, c, request{method: http.MethodGet, path: "/users/" + url.PathEscape(name)})
}

// DeleteUser deletes a user and what was sent to them alone. It is no error if there is no such user.
func (c *Client) DeleteUser(ctx context.Context, name string) error {
	err := c.call(ctx, &request{method: http.MethodDelete, path: "/users/" + url.PathEscape(name)}, nil)
	var refused *Error
	if errors.As(err, &refused) && refused.Status == http.StatusNotFound {
		return nil
	}
	return err
}

// Badge returns the numbers of a user's bell.
func (c *Client) Badge(ctx context.Context, name string) (*Badge, error) {
	return result[*Badge](ctx, c, request{method: http.MethodGet, path: "/users/" + url.PathEscape(name) + "/badge"})
}

// ReceiptKeys returns the keys for VerifyReceipt. Keep them for some hours; they change seldom.
func (c *Client) ReceiptKeys(ctx context.Context) (*Keys, error) {
	return result[*Keys](ctx, c, request{method: http.MethodGet, path: "/receipts/jwks.json"})
}

func decimal(id int64) string { return strconv.FormatInt(id, 10) }
