package config

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestEachKindOfRedisURLIsParsed(t *testing.T) {
	t.Parallel()
	type read struct {
		Kind, User, Password, Master, SentinelPassword string
		Addrs                                          []string
		DB                                             int
		TLS                                            bool
	}
	for raw, want := range map[string]read{
		"redis://localhost":                       {Kind: "node", Addrs: []string{"localhost:6379"}},
		"rediss://u:p%40ss@host:7000/3":           {Kind: "node", User: "u", Password: "p@ss", Addrs: []string{"host:7000"}, DB: 3, TLS: true},
		"unix:///run/redis.sock?db=2":             {Kind: "node", Addrs: []string{"/run/redis.sock"}, DB: 2},
		"redis+cluster://:p@a:7000,b:7001,c:7002": {Kind: "cluster", Password: "p", Addrs: []string{"a:7000", "b:7001", "c:7002"}},
		"rediss+cluster://a:7000":                 {Kind: "cluster", Addrs: []string{"a:7000"}, TLS: true},
		"redis+sentinel://u:p@a:26379,b:26379/mymaster/4?sentinel_password=s": {
			Kind: "sentinel", User: "u", Password: "p", Master: "mymaster", SentinelPassword: "s",
			Addrs: []string{"a:26379", "b:26379"}, DB: 4,
		},
	} {
		target, err := ParseRedis(raw)
		if err != nil {
			t.Errorf("%s: %v", raw, err)
			continue
		}
		var got read
		switch {
		case target.node != nil:
			o := target.node
			got = read{Kind: "node", User: o.Username, Password: o.Password, Addrs: []string{o.Addr}, DB: o.DB, TLS: o.TLSConfig != nil}
		case target.cluster != nil:
			o := target.cluster
			got = read{Kind: "cluster", User: o.Username, Password: o.Password, Addrs: o.Addrs, TLS: o.TLSConfig != nil}
			if o.ClusterStateReloadInterval != time.Second {
				t.Errorf("%s: the cluster state is reloaded every %v", raw, o.ClusterStateReloadInterval)
			}
		case target.sentinel != nil:
			o := target.sentinel
			got = read{
				Kind: "sentinel", User: o.Username, Password: o.Password, Master: o.MasterName,
				SentinelPassword: o.SentinelPassword, Addrs: o.SentinelAddrs, DB: o.DB, TLS: o.TLSConfig != nil,
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", raw, diff)
		}
	}
}

func TestErrorsOfRedisURLsRepeatNoSecret(t *testing.T) {
	t.Parallel()
	for _, raw := range []string{
		"localhost:6379", "http://hunter2@host", "redis+magic://hunter2@host", "unix+cluster:///hunter2",
		"redis://:hunter2@host:port", "redis://:hunter2@host/db", "redis+sentinel://:hunter2@host:26379",
		"redis+cluster://:hunter2@host:7000/3", "redis+cluster://:hunter2@", "redis+cluster://a:1,,b:2",
		"redis://:hunter2@host?hunter=1",
	} {
		target, err := ParseRedis(raw)
		if err == nil {
			t.Errorf("%s: parsed as %+v", raw, target)
			continue
		}
		if strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v", raw, err)
		}
	}
}

func TestAPasswordThatIsNotEscapedIsRefusedAndNotRepeated(t *testing.T) {
	t.Parallel()
	for _, flag := range []string{"--database-url=postgres://shop:hunter/2@db.example/notices", "--database-url=postgresql://shop:@hunter#2@db.example", "--redis-url=redis://:12/hunter2@redis.example"} {
		_, err := parse(t, nil, flag)
		name, _, _ := strings.Cut(flag, "=")
		if err == nil || !strings.Contains(err.Error(), name) || !strings.Contains(err.Error(), "%2F") || strings.Contains(err.Error(), "hunter") {
			t.Errorf("%s: %v", flag, err)
		}
	}
}
