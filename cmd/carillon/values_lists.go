package main

import (
	"net/netip"
	"regexp"
	"strconv"
	"strings"

	"github.com/carillonhq/carillon/notifier"
)

func (f *faults) proxies(flag, s string) []netip.Prefix {
	var all []netip.Prefix
	for _, text := range split(s) {
		if addr, err := netip.ParseAddr(text); err == nil {
			all = append(all, netip.PrefixFrom(addr, addr.BitLen()))
			continue
		}
		prefix, err := netip.ParsePrefix(text)
		if err != nil {
			f.add(flag, "%q is not an address or a range such as 10.0.0.0/8", text)
			continue
		}
		all = append(all, prefix)
	}
	return all
}

func (f *faults) hosts(flag, s string) []string {
	host := regexp.MustCompile(`\A[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:[0-9]{1,5})?\z`)
	all := split(strings.ToLower(s))
	for _, text := range all {
		if !host.MatchString(text) {
			f.add(flag, "%q is not a host name, such as shop.example.com", text)
		}
	}
	return all
}

func (f *faults) audiences(flag, s string) map[notifier.Audience]string {
	name := regexp.MustCompile(`\A[a-z][a-z0-9_-]{0,31}\z`)
	all, used := map[notifier.Audience]string{}, map[string]bool{}
	for _, text := range split(s) {
		number, word, _ := strings.Cut(text, "=")
		n, err := strconv.ParseUint(number, 10, 8)
		switch {
		case err != nil || n == 0 || !name.MatchString(word):
			f.add(flag, "%q is not NUMBER=name, with a number from 1 to 255", text)
		case all[notifier.Audience(n)] != "" || used[word]:
			f.add(flag, "%q names a number or a name twice", text)
		default:
			all[notifier.Audience(n)], used[word] = word, true
		}
	}
	if s = strings.TrimSpace(s); s == "" {
		f.add(flag, "must name at least one audience")
	}
	return all
}
