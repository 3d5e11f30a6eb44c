package web

import (
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// Proxies are the addresses of proxies whose X-Forwarded-For is trusted.
type Proxies []netip.Prefix

// Address returns the IP address that a request came from. X-Forwarded-For is trusted as far as
// the proxies are trusted: the address is the last one that is not a trusted proxy.
func (p Proxies) Address(r *http.Request) string {
	addr := parseAddress(r.RemoteAddr)
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for i := len(hops) - 1; i >= 0 && p.trust(addr); i-- {
		hop := parseAddress(strings.TrimSpace(hops[i]))
		if !hop.IsValid() {
			break
		}
		addr = hop
	}
	if !addr.IsValid() {
		return r.RemoteAddr
	}
	return addr.String()
}

// Trust reports whether a request comes from one of the proxies, whatever its headers contain.
func (p Proxies) Trust(r *http.Request) bool { return p.trust(parseAddress(r.RemoteAddr)) }

func (p Proxies) trust(addr netip.Addr) bool {
	return slices.ContainsFunc(p, func(proxy netip.Prefix) bool { return proxy.Contains(addr) })
}

func parseAddress(s string) netip.Addr {
	if ap, err := netip.ParseAddrPort(s); err == nil {
		return ap.Addr().Unmap().WithZone("")
	}
	addr, err := netip.ParseAddr(s)
	if err != nil {
		return netip.Addr{}
	}
	return addr.Unmap().WithZone("")
}
