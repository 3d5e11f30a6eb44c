package outbound_test

import (
	"errors"
	"net"
	"net/netip"
	"testing"

	"github.com/carillonhq/carillon/internal/outbound"
)

func TestOnlyPublicAddressesAreAllowed(t *testing.T) {
	t.Parallel()
	for addr, want := range map[string]bool{
		"8.8.8.8": true, "2606:4700::1111": true, "::ffff:8.8.8.8": true,
		"127.0.0.1": false, "10.1.2.3": false, "172.31.0.1": false, "192.168.1.1": false, "169.254.169.254": false,
		"100.64.0.1": false, "0.0.0.0": false, "0.1.2.3": false, "224.0.0.1": false, "255.255.255.255": false, "198.18.0.1": false,
		"::": false, "::1": false, "::ffff:127.0.0.1": false, "::127.0.0.1": false, "fe80::1%eth0": false, "fc00::1": false, "ff02::1": false,
		"64:ff9b::7f00:1": false, "2002:7f00:1::": false, "2001:0:1::1": false,
	} {
		if got := (outbound.Dialer{}).Allowed(netip.MustParseAddr(addr)); got != want {
			t.Errorf("%s is allowed: %v, want %v", addr, got, want)
		}
	}
}

func TestANameThatResolvesToThisMachineIsRefusedUnlessTheOperatorAllowsIt(t *testing.T) {
	t.Parallel()
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	_, port, err := net.SplitHostPort(listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	if _, err = (outbound.Dialer{}).DialContext(t.Context(), "tcp4", "localhost:"+port); !errors.Is(err, outbound.ErrPrivate) {
		t.Errorf("localhost: %v, want ErrPrivate", err)
	}
	allow, err := outbound.ParseNetworks("10.0.0.0/8, 127.0.0.1")
	if err != nil {
		t.Fatal(err)
	}
	conn, err := outbound.Dialer{Allow: allow}.DialContext(t.Context(), "tcp4", "localhost:"+port)
	if err != nil {
		t.Fatalf("allowed, and yet: %v", err)
	}
	_ = conn.Close()
}

func TestANetworkThatIsNoneIsNamed(t *testing.T) {
	t.Parallel()
	if _, err := outbound.ParseNetworks("10.0.0.0/8,inside"); err == nil {
		t.Error("no error for a network that is none")
	}
}
