package trouble

import (
	"errors"
	"regexp"
	"strings"

	"github.com/redis/go-redis/v9"
)

const redisFlag = "--redis-url"

// answer is an error reply of Redis to a command or a connection, identified by its first words.
type answer struct {
	begins string
	means  Trouble
}

// The kinds of server that --redis-url cannot describe as a single node.
var (
	ClusterNode  = Trouble{"it is a node of a Redis Cluster", "write redis+cluster://HOST:PORT,… in --redis-url; a cluster has no database number", Refused}
	SentinelNode = Trouble{"it is a Sentinel, which holds no data", "write redis+sentinel://HOST:PORT,…/MASTER in --redis-url", Refused}
)

var answers = []answer{
	{"WRONGPASS", Trouble{"it refuses the user or the password", "correct the user and the password in --redis-url; special characters must be escaped, such as %40 for @", Refused}},
	{"NOAUTH", Trouble{"it asks for a password", "give --redis-url one: redis://USER:PASSWORD@HOST, or redis://:PASSWORD@HOST for the default user", Refused}},
	{"AUTH <password> called without any password", Trouble{"it has no password, and --redis-url gives one", "set requirepass there, or remove the password from --redis-url", Refused}},
	{"DB index is out of range", Trouble{"it has no database with the number in --redis-url", "use a lower number, or raise `databases` in its configuration", Refused}},
	{"invalid DB index", Trouble{"it has no database with the number in --redis-url", "use a lower number, or raise `databases` in its configuration", Refused}},
	{"SELECT is not allowed in cluster mode", ClusterNode},
	{"MOVED", ClusterNode},
	{"This instance has cluster support disabled", Trouble{"it is not a Redis Cluster", "write redis://HOST:PORT instead of redis+cluster:// in --redis-url", Refused}},
	{"DENIED", Trouble{"it is in protected mode, which refuses other machines", "give it a password (requirepass), and write it in --redis-url", Refused}},
	{"max number of clients reached", Trouble{"it has its maximum number of clients", "raise maxclients, or find out who holds the connections (CLIENT LIST)", Away}},
	{"LOADING", Trouble{"it is loading its data", "wait: it is in use as soon as it has loaded", Away}},
	{"READONLY", Trouble{"it is a replica: it refuses every change", "name its master in --redis-url, or use redis+sentinel:// to find it", Refused}},
	{"MASTERDOWN", Trouble{"it is a replica without a master", "restore its master, or use redis+sentinel:// to find another", Away}},
	{"CLUSTERDOWN", Trouble{"the cluster is down", "see `CLUSTER INFO` at one of its nodes: slots without a master make it refuse everything", Away}},
	{"TRYAGAIN", Trouble{"slots of the cluster are being moved", "wait until they have moved", Away}},
	{"BUSY ", Trouble{"a script holds it", "see `SLOWLOG GET`; if the script is not Carillon's, `SCRIPT KILL` ends it", Away}},
	{"MISCONF", Trouble{"it cannot write its file, and refuses changes", "make room on its disk, or see its log; it recovers by itself", Changes}},
	{"OOM", Trouble{"it is full, and refuses changes", "raise maxmemory", Changes}},
	{"NOREPLICAS", Trouble{"it has too few replicas, and refuses changes", "restore its replicas, or lower min-replicas-to-write", Changes}},
}

// inScript begins the error of Redis 7.0 for a script that exceeds the rights of its user. Later versions reply "ACL failure in script".
const inScript = "The user executing the script can't"

// refusedCommand finds the command that a user lacks the right to run. In a script, Redis 7.0 does not name the command.
var (
	refusedCommand = regexp.MustCompile(`(?i)no permissions to run the '([^']+)' command`)
	refusedKey     = regexp.MustCompile(`(?i)no permissions to access (?:one of the keys|a key)|can't access at least one of the keys`)
	refusedChannel = regexp.MustCompile(`(?i)no permissions to access (?:one of the channels|a channel)|can't publish to the channel`)
)

// OfRedis returns the trouble behind an error of a call to Redis.
func OfRedis(err error) Trouble {
	if err == nil {
		return Trouble{}
	}
	bySentinel := strings.Contains(err.Error(), "all sentinels specified")
	var found Trouble
	each(err, func(one error) bool {
		var reply redis.Error
		if !errors.As(one, &reply) {
			return false
		}
		if bySentinel {
			found = ofSentinel(reply)
		} else {
			found = ofAnswer(reply.Error())
		}
		return found != Trouble{}
	})
	if found != (Trouble{}) {
		return found
	}
	found = network(err, redisFlag)
	if bySentinel && found != (Trouble{}) {
		found.Found = "no Sentinel can be asked: " + strings.Replace(found.Found, "its address", "their addresses", 1)
	}
	return found
}

func ofAnswer(reply string) Trouble {
	reply = strings.TrimPrefix(reply, "ERR ")
	for _, a := range answers {
		if strings.HasPrefix(reply, a.begins) {
			return a.means
		}
	}
	if strings.HasPrefix(reply, "NOPERM") || strings.HasPrefix(reply, "ACL failure in script") || strings.HasPrefix(reply, inScript) {
		return ofRights(reply)
	}
	if strings.HasPrefix(reply, "unknown command") && strings.Contains(strings.ToLower(reply), "'time'") {
		return SentinelNode
	}
	return Trouble{}
}

// ofRights returns the trouble with the missing right of an ACL.
func ofRights(reply string) Trouble {
	t := Trouble{Kind: Rights}
	switch command := refusedCommand.FindStringSubmatch(reply); {
	case command != nil:
		name := strings.ToLower(command[1])
		t.Found, t.Cure = "its user may not run "+strings.ToUpper(strings.ReplaceAll(name, "|", " ")), "add +"+name+" to the user"
	case refusedChannel.MatchString(reply):
		t.Found, t.Cure = "its user may not use Carillon's channels", "add &PREFIX* to the user, where PREFIX is --redis-prefix"
	case refusedKey.MatchString(reply):
		t.Found, t.Cure = "its user may not use Carillon's keys", "add ~PREFIX* to the user, where PREFIX is --redis-prefix"
	case strings.HasPrefix(reply, inScript+" run"):
		t.Found, t.Cure = "its user may not run a command of a script", "add the command to the user: `carillon doctor` names it"
	default:
		t.Found, t.Cure = "its user lacks a right", "compare it with the line for ACL SETUSER"
	}
	t.Cure += "; docs/operations.md, \"A user of Redis\", has the whole line"
	return t
}

func ofSentinel(reply redis.Error) Trouble {
	text := reply.Error()
	const where = "redis+sentinel://USER:PASSWORD@HOST:PORT,…/MASTER?sentinel_password=…; the password before the @ is that of Redis"
	switch {
	case errors.Is(reply, redis.Nil), strings.Contains(text, "No such master"):
		return Trouble{"Sentinel knows no master of the name in --redis-url", "correct MASTER in redis+sentinel://HOST:PORT,…/MASTER; `SENTINEL MASTERS` lists the names", Refused}
	case strings.HasPrefix(text, "WRONGPASS"):
		return Trouble{"Sentinel refuses its user or password", "correct sentinel_password (and sentinel_username) in --redis-url: " + where, Refused}
	case strings.HasPrefix(text, "NOAUTH"):
		return Trouble{"Sentinel asks for a password", "add sentinel_password to --redis-url: " + where, Refused}
	case strings.Contains(strings.ToLower(text), "unknown command"):
		return Trouble{"no Sentinel is at its address", "write redis://HOST:PORT in --redis-url, or correct the host and port of Sentinel", Refused}
	}
	return ofAnswer(text)
}
