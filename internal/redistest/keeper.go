package redistest

import "runtime"

// keeper is a goroutine with a thread of its own that starts servers for tests:
// a server lives no longer than the thread that started it, and a test's own
// thread may end at any time. Main owns it and waits for its end.
type keeper struct {
	work chan func()
	done chan struct{}
}

func newKeeper() *keeper {
	k := &keeper{work: make(chan func()), done: make(chan struct{})}
	go k.keep()
	return k
}

func (k *keeper) keep() {
	defer close(k.done)
	runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
	for f := range k.work {
		f()
	}
}

// do runs f on the kept thread and waits for it.
func (k *keeper) do(f func()) {
	finished := make(chan struct{})
	k.work <- func() { defer close(finished); f() }
	<-finished
}

func (k *keeper) stop() {
	close(k.work)
	<-k.done
}
