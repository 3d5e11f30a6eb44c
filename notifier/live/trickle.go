package live

import (
	"net/http"
	"time"
)

// Trickle answers r in the way and with the headers of Serve, with these lines instead of events, so that
// what a proxy does to streams can be measured. It waits for each pause after its line.
func Trickle(w http.ResponseWriter, r *http.Request, lines []string, pauses []time.Duration) {
	write := func(text []byte) error {
		if _, err := w.Write(text); err != nil {
			return err
		}
		return http.NewResponseController(w).Flush()
	}
	var head []byte
	if r.ProtoMajor == 1 {
		out, ok, err := hijack(w, time.Minute)
		if err != nil {
			return
		}
		if ok {
			defer func() { _ = out.nc.Close() }()
			head = out.head
			write = func(text []byte) error {
				if err := out.nc.SetWriteDeadline(time.Now().Add(5 * time.Second)); err != nil {
					return err
				}
				_, err := out.nc.Write(text)
				return err
			}
		}
	}
	if head == nil {
		setHeaders(w.Header())
	}
	tick := time.NewTimer(0)
	defer tick.Stop()
	<-tick.C
	for i, line := range lines {
		if write(append(head, line+"\n\n"...)) != nil {
			return
		}
		head = nil
		if i == len(pauses) {
			return
		}
		tick.Reset(pauses[i])
		select {
		case <-tick.C:
		case <-r.Context().Done(): // of a connection that was taken over, it ends with the server alone
			return
		}
	}
}
