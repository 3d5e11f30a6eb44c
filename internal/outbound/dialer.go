// Package outbound connects to addresses from untrusted sources, such as the endpoint of a browser,
// without access to the networks that only this machine can reach.
package outbound

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"syscall"
	"time"
)

// ErrPrivate means that the name resolves to an address that is neither public nor allowed by the operator.
var ErrPrivate = errors.New("the address is not public")

// reserved contains networks that are not public but that netip does not classify. Networks that embed an
// IPv4 address in an IPv6 one are rejected as a whole.
var reserved = prefixes(
	"0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "240.0.0.0/4",
	"::/96", "64:ff9b::/96", "64:ff9b:1::/48", "100::/64", "2001::/23", "2001:db8::/32", "2002::/16", "fec0::/10",
)

// Dialer dials public addresses, and those in Allow. It checks each address after resolving the name, so a
// name that resolves differently the second time cannot bypass the check.
type Dialer struct {
	// Allow contains the networks allowed by the operator.
	Allow []netip.Prefix
	// Only refuses addresses outside Allow, public ones too: for requests without encryption.
	Only bool
	// Timeout limits a dial; 0 means only the limit of the context.
	Timeout time.Duration
}

// DialContext has the signature required by http.Transport. For a rejected address it returns ErrPrivate.
func (d Dialer) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	dialer := net.Dialer{Timeout: d.Timeout, ControlContext: d.control}
	return dialer.DialContext(ctx, network, address)
}

// Allowed reports whether an address may be reached.
func (d Dialer) Allowed(addr netip.Addr) bool {
	addr = addr.Unmap().WithZone("")
	for _, p := range d.Allow {
		if p.Contains(addr) {
			return true
		}
	}
	if d.Only || !addr.IsGlobalUnicast() || addr.IsPrivate() {
		return false
	}
	for _, p := range reserved {
		if p.Contains(addr) {
			return false
		}
	}
	return true
}

// Transport returns a transport for addresses from untrusted sources. With a proxy, the proxy decides which of
// them may be reached.
func (d Dialer) Transport(proxy *url.URL) *http.Transport {
	t := &http.Transport{
		DialContext: d.DialContext, ForceAttemptHTTP2: true, MaxIdleConnsPerHost: 16, IdleConnTimeout: time.Minute, TLSHandshakeTimeout: 10 * time.Second,
	}
	if proxy != nil {
		t.DialContext, t.Proxy = (&net.Dialer{Timeout: d.Timeout}).DialContext, http.ProxyURL(proxy)
	}
	return t
}

func (d Dialer) control(_ context.Context, _, address string, _ syscall.RawConn) error {
	ap, err := netip.ParseAddrPort(address)
	if err != nil {
		return fmt.Errorf("dial %s: %w", address, err)
	}
	if !d.Allowed(ap.Addr()) {
		return fmt.Errorf("dial %s: %w", address, ErrPrivate)
	}
	return nil
}

// ParseNetworks parses networks and single addresses, separated by commas.
func ParseNetworks(text string) ([]netip.Prefix, error) {
	var found []netip.Prefix
	for part := range strings.SplitSeq(text, ",") {
		part = strings.TrimSpace(part)
		if part == "" {
			continue
		}
		if addr, err := netip.ParseAddr(part); err == nil {
			addr = addr.Unmap().WithZone("")
			found = append(found, netip.PrefixFrom(addr, addr.BitLen()))
			continue
		}
		p, err := netip.ParsePrefix(part)
		if err != nil {
			return nil, fmt.Errorf("%q is neither a network such as 10.0.0.0/8 nor an address", part)
		}
		found = append(found, p.Masked())
	}
	return found, nil
}

func prefixes(texts ...string) []netip.Prefix {
	all := make([]netip.Prefix, len(texts))
	for i, t := range texts {
		all[i] = netip.MustParsePrefix(t)
	}
	return all
}
