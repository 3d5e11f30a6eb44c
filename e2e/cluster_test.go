package e2e

import (
	"strings"
	"testing"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/internal/sqltest"
)

func TestTheBadgeJourneyOnARedisCluster(t *testing.T) {
	t.Parallel()
	cluster := redistest.Cluster(t)
	s := &site{t: t, flags: append(shared(t), "--database-url", sqltest.URL(t))}
	user := redistest.LeastRights(t, cluster, s.prefix())
	s.flags = append(s.flags, "--redis-url", "redis+cluster://"+user+strings.Join(cluster.Options().Addrs, ","))
	s.user("alice", "staff", "picker")
	s.user("bob", "picker")
	one, two := s.serve(), s.serve()

	bob := open(t, two).signIn("bob").goTo("/inbox?filter=unread")
	alice := open(t, one).signIn("alice").goTo("/staff/send")
	s.carillon("", "send", "--role", "picker", "--type", "order.late", "--subject", "order:42", "--title", "Order 42 is late")
	alice.badge("1")
	bob.badge("1")
	bob.goTo("/inbox")
	bob.attribute(entry("order.late:order:42"), "data-read", "0")
	bob.badge("")
	alice.goTo("/staff/notices/1")
	alice.attribute(`[data-testid=delivered]`, "value", "2")
	alice.attribute(`[data-testid=read]`, "value", "1")
	alice.shot("notice-on-a-cluster")
}
