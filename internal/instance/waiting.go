package instance

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/carillonhq/carillon/internal/trouble"
	"github.com/carillonhq/carillon/notifier"
)

const (
	sqlRetry   = time.Second      // how often PostgreSQL is tried while it is away at the start
	sqlPatient = 30 * time.Second // how long systemd may wait for the next sign of life meanwhile
)

// awaitStore opens SQL. While PostgreSQL is away, which may start after Carillon, it goes on trying, and the address of the
// pages already answers: /healthz that the process is alive, and everything else with 503. What waiting does not cure, such as
// a wrong password, ends the start.
func (i *instance) awaitStore(ctx context.Context) error {
	err := i.tryStore(ctx)
	if !i.comesLater(err) {
		return err
	}
	why := trouble.OfSQL(err)
	stop, meanwhile := i.answerMeanwhile(ctx, notifier.Readiness{Down: true, Causes: []string{sentence("sql", why, "")}})
	if meanwhile != nil {
		return meanwhile
	}
	defer stop()
	i.base.WarnContext(ctx, "waiting for sql", "stage", "sql", "err", err, "cause", why.Found, "cure", why.Cure)
	tick := time.NewTicker(sqlRetry)
	defer tick.Stop()
	for {
		i.tell(fmt.Sprintf("STATUS=Waiting for PostgreSQL: %s\nEXTEND_TIMEOUT_USEC=%d", why.Found, sqlPatient.Microseconds()))
		select {
		case <-tick.C:
		case <-ctx.Done():
			return ctx.Err()
		}
		if err := i.tryStore(ctx); !i.comesLater(err) {
			if err == nil {
				i.tell("STATUS=")
				i.base.InfoContext(ctx, "sql answers", "stage", "sql")
			}
			return err
		}
	}
}

func (i *instance) tryStore(ctx context.Context) (err error) {
	i.db, err = openTimed(ctx, i.cfg, i.sqlCalled, i.profileNoted)
	return err
}

// comesLater reports whether SQL may answer by itself later.
func (i *instance) comesLater(err error) bool {
	return i.cfg.Database.URL != "" && trouble.OfSQL(err).Kind == trouble.Away
}

// answerMeanwhile answers at the address of the pages before there are any. stop keeps the listener for them, so that no
// client is refused in between.
func (i *instance) answerMeanwhile(ctx context.Context, now notifier.Readiness) (stop func(), err error) {
	l, err := listen(ctx, i.cfg.Addr)
	if err != nil {
		return nil, err
	}
	i.early = l
	mux := http.NewServeMux()
	say := func(status int, text string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/plain; charset=utf-8")
			w.Header().Set("Cache-Control", "no-store")
			if status != http.StatusOK {
				w.Header().Set("Retry-After", "5")
			}
			w.WriteHeader(status)
			_, _ = w.Write([]byte(text)) // the client may have disconnected
		}
	}
	path := strings.TrimSuffix(i.cfg.Path(), "/")
	for _, at := range []string{"", path} {
		mux.HandleFunc("GET "+at+"/healthz", say(http.StatusOK, "ok"))
		mux.HandleFunc("GET "+at+"/readyz", say(http.StatusServiceUnavailable, now.String()))
		if path == "" {
			break
		}
	}
	mux.HandleFunc("/", say(http.StatusServiceUnavailable, "Carillon is starting: its database does not answer yet."))
	s := server(mux, i.log)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = s.Serve(lent{l}) // it ends by Shutdown
	}()
	return func() {
		_ = within(ctx, s.Shutdown)
		<-ended
		_ = l.(deadliner).SetDeadline(time.Time{})
	}, nil
}

// deadliner is a listener whose Accept can be ended without closing it: of TCP, and of a Unix socket.
type deadliner interface{ SetDeadline(t time.Time) error }

// lent is a listener that stays open when its server closes it.
type lent struct{ net.Listener }

// Close only ends Accept.
func (l lent) Close() error {
	if d, ok := l.Listener.(deadliner); ok {
		return d.SetDeadline(time.Unix(1, 0))
	}
	return errors.New("the listener cannot be lent")
}

// closeEarly closes the listener of a start that failed before the pages had it.
func (i *instance) closeEarly() error {
	if i.early == nil {
		return nil
	}
	return i.early.Close()
}
