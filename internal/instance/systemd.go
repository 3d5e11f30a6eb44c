package instance

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/coreos/go-systemd/v22/daemon"

	"github.com/carillonhq/carillon/internal/doctor"
)

// notifySystemd notifies the service manager once pages are served and again when the instance is stopping. If
// the watchdog is on, it is fed for as long as the instance answers. Without such a service manager, nothing is
// sent.
func (i *instance) notifySystemd(start context.Context) (func() error, error) {
	every, err := daemon.SdWatchdogEnabled(false)
	if err != nil {
		return nil, fmt.Errorf("read the watchdog's interval: %w", err)
	}
	i.tell(daemon.SdNotifyReady)
	ctx, cancel := context.WithCancel(context.WithoutCancel(start))
	var watch sync.WaitGroup
	if every > 0 {
		watch.Go(func() { i.watchdog(ctx, every/3) })
	}
	return func() error {
		cancel()
		watch.Wait()
		i.tell(daemon.SdNotifyStopping)
		return nil
	}, nil
}

func (i *instance) tell(state string) {
	if _, err := daemon.SdNotify(false, state); err != nil {
		i.log.Warn("could not tell systemd", "state", state, "err", err)
	}
}

// watchdog asks the instance whether it answers, as a proxy would, until ctx ends.
func (i *instance) watchdog(ctx context.Context, every time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		if i.answers(ctx, every) {
			i.tell(daemon.SdNotifyWatchdog)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

func (i *instance) answers(ctx context.Context, within time.Duration) bool {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	res, err := doctor.Ask(ctx, i.at.Addr, "/healthz")
	if err != nil {
		return false
	}
	_ = res.Body.Close()
	return res.StatusCode == http.StatusOK
}
